"""Parquet and Arrow files, through polars, which says in its own way what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.format import Format, Input, Target, not_whole
from shoal.files.source_file import Contents
from shoal.frames.exact_names import column_of, with_columns_of

_ROWS_PER_GROUP = 1 << 18
"""Rows that are compressed together: fixed, so that the bytes of a release do not depend on the machine."""

_ARROW_FILE = b"ARROW1"
"""How an Arrow file begins; a stream of Arrow begins in another way."""

_UNREAD_TYPE = re.compile("not yet implemented|not support|could not import|cannot create series|precision must be")
"""How polars says that a whole file has a type which it does not read, by an error or by a panic."""


def _arrow_frame(path: Path) -> pl.DataFrame:
    with path.open("rb") as file:
        start = file.read(len(_ARROW_FILE))
    return pl.read_ipc(path) if start == _ARROW_FILE else pl.read_ipc_stream(path)


def _read(source: Input, *, title: str, reader: Callable[[Path], pl.DataFrame]) -> Contents:
    """Read a file with types; chunks stay as they are in the file, so no value is in memory twice."""
    assert source.path is not None
    try:
        frame = reader(source.path)
        if not all(_fits(column_of(frame, name)) for name in frame.columns):
            raise not_whole(source.name, title)
        return Contents(frame=frame)
    except pl.exceptions.DuplicateError:
        raise DataError(f"{source.name}: column names must be unique: rename the columns that share a name") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        is_panic = isinstance(error, pl.exceptions.PanicException)  # polars did not foresee what it reads
        is_unread = _UNREAD_TYPE.search(str(error)) is not None
        if not is_panic and not is_unread:
            raise not_whole(source.name, title) from None
        what = "has a column of a type that is not read" + ("" if is_unread else ", or is damaged")
        raise DataError(f"{source.name} {what}: write it with plain types") from None


def _fits(column: pl.Series) -> bool:
    """Whether decimals have the digits of their type: more are only in a damaged file, and cannot be written again."""
    if not isinstance(column.dtype, pl.Decimal) or column.null_count() == len(column):
        return True
    digits = column.to_physical()
    return all(abs(int(str(end))) < 10**column.dtype.precision for end in (digits.min(), digits.max()))


def _write_arrow(frame: pl.DataFrame, target: Target) -> None:
    # Text as every reader of Arrow knows it: R's package does not read the newer views that polars has by itself.
    shown = {name: _without_hidden_values(column_of(frame, name)) for name in frame.columns}
    with_columns_of(frame, shown).write_ipc(target.path, compression="zstd", compat_level=pl.CompatLevel.oldest())


def _without_hidden_values(column: pl.Series) -> pl.Series:
    """Return a column in which nothing stands under its missing cells.

    Arrow stores a value for every cell, and beside it which cells are missing: one that was made missing may keep its
    value there, out of sight but in the file. Taking the cells anew leaves it out, but for missing cells inside lists
    or structures.
    """
    if column.null_count() == 0:
        return column
    rows = pl.int_range(len(column), dtype=pl.get_index_type(), eager=True)
    return column.gather(rows.set(column.is_null(), None))


PARQUET = Format(
    name="parquet",
    title="Parquet",
    endings=(".parquet", ".pq"),
    keeps="types",
    read=partial(_read, title="Parquet", reader=lambda path: pl.read_parquet(path)),
    write=lambda frame, target: frame.write_parquet(target.path, compression="zstd", row_group_size=_ROWS_PER_GROUP),
    flat=False,
    binary=True,
)

ARROW = replace(
    PARQUET,
    name="arrow",
    title="Arrow",
    endings=(".arrow", ".ipc", ".feather"),
    read=partial(_read, title="Arrow", reader=_arrow_frame),
    write=_write_arrow,
    empty_structures=True,
)
