"""Parquet and Arrow IPC (Feather) files through polars."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.formats import Format

_ROWS_PER_GROUP = 1 << 18
"""Rows that are compressed together: fixed, so that the bytes of a release do not depend on the machine."""


def read_columnar(path: Path, file_format: Format) -> pl.DataFrame:
    """Read a Parquet or Arrow file; chunks stay as they are in the file, so nothing is held twice."""
    with path.open("rb") as file:
        start = file.read(6)
    if not start:
        raise DataError(f"{path.name} is empty")
    try:
        if file_format == "parquet":
            frame = pl.read_parquet(path)
        elif start == b"ARROW1":
            frame = pl.read_ipc(path)
        else:
            frame = pl.read_ipc_stream(path)
    except pl.exceptions.DuplicateError:
        raise DataError(f"{path.name}: column names must be unique: rename the columns that share a name") from None
    except (pl.exceptions.PolarsError, OSError, ValueError):
        kind = "Parquet" if file_format == "parquet" else "Arrow"
        raise DataError(
            f"{path.name} is not a whole {kind} file: it is damaged, truncated, or of another format"
        ) from None
    return frame


def write_columnar(frame: pl.DataFrame, path: Path, file_format: Format) -> None:
    """Write a Parquet or Arrow file, compressed by zstd."""
    if file_format == "parquet":
        frame.write_parquet(path, compression="zstd", row_group_size=_ROWS_PER_GROUP)
    else:
        frame.write_ipc(path, compression="zstd")
