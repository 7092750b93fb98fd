"""Arrow IPC files, also called Feather, through polars."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.files.arrow_schema import MAGIC, arrow_columns
from shoal.files.columnar import read_columnar
from shoal.files.format import Format, Input, Target
from shoal.files.source import Contents
from shoal.frames.exact_names import column_of, with_columns_of


def _read(source: Input) -> Contents:
    assert source.path is not None
    return read_columnar(source, "Arrow", _frame, arrow_columns(source.path))


def _frame(path: Path) -> pl.DataFrame:
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    return pl.read_ipc(path) if start == MAGIC else pl.read_ipc_stream(path)


def _write(frame: pl.DataFrame, target: Target) -> None:
    # Text as every reader of Arrow knows it: R's package does not read the newer views that polars has by itself.
    shown = {name: _without_hidden_values(column_of(frame, name)) for name in frame.columns}
    with_columns_of(frame, shown).write_ipc(target.path, compression="zstd", compat_level=pl.CompatLevel.oldest())


def _without_hidden_values(column: pl.Series) -> pl.Series:
    """Return a column in which nothing stands under its missing cells.

    Arrow stores a value for every cell, and beside it which cells are missing: one that was made missing may keep its
    value there, out of sight but in the file.

    Notes
    -----
    Taking the cells anew leaves out what is hidden. Missing cells inside the lists or structures of a column are not
    reached.
    """
    if column.null_count() == 0:
        return column
    rows = pl.int_range(len(column), dtype=pl.get_index_type(), eager=True)
    return column.gather(rows.set(column.is_null(), None))


ARROW = Format(
    name="arrow",
    title="Arrow",
    endings=(".arrow", ".ipc", ".feather"),
    keeps="types",
    read=_read,
    write=_write,
    flat=False,
    empty_structures=True,
    binary=True,
)
