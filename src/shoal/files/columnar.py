"""What Parquet and Arrow files share: they are read by polars, which says in its own way what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.format import Input, not_whole
from shoal.files.source import Contents


def read_columnar(source: Input, title: str, reader: Callable[[Path], pl.DataFrame]) -> Contents:
    """Read a file with types; chunks stay as they are in the file, so nothing is held twice."""
    assert source.path is not None
    try:
        return Contents(frame=reader(source.path))
    except pl.exceptions.DuplicateError:
        raise DataError(f"{source.name}: column names must be unique: rename the columns that share a name") from None
    except (pl.exceptions.PolarsError, OSError, ValueError):
        raise not_whole(source.name, title) from None
