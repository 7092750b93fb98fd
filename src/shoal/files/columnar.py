"""What Parquet and Arrow files share: they are read by polars, which says in its own way what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.format import Input, not_whole
from shoal.files.schema_column import SchemaColumn, require_levels, unread_column
from shoal.files.source import Contents
from shoal.frames.exact_names import column_of


def read_columnar(
    source: Input, title: str, reader: Callable[[Path], pl.DataFrame], columns: Sequence[SchemaColumn]
) -> Contents:
    """Read a file with types; chunks stay as they are in the file, so nothing is held twice.

    Parameters
    ----------
    source, title
        The file, and what its format is called.
    reader
        Reads it.
    columns
        What its schema says.
    """
    assert source.path is not None
    require_levels(columns, source.name)
    try:
        frame = reader(source.path)
        if not all(_fits(column_of(frame, name)) for name in frame.columns):
            raise not_whole(source.name, title)
        return Contents(frame=frame)
    except pl.exceptions.DuplicateError:
        raise DataError(f"{source.name}: column names must be unique: rename the columns that share a name") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        unread = unread_column(columns, source.name)
        if unread is not None:
            raise unread from None
        if isinstance(error, pl.exceptions.PanicException):
            raise DataError(
                f"{source.name} has a column of a type that is not read, or is damaged: write it with plain types"
            ) from None
        raise not_whole(source.name, title) from None


def _fits(column: pl.Series) -> bool:
    """Whether decimals have the digits of their type: more are only in a damaged file, and cannot be written again."""
    if not isinstance(column.dtype, pl.Decimal) or column.null_count() == len(column):
        return True
    digits = column.to_physical()
    return all(abs(int(str(end))) < 10**column.dtype.precision for end in (digits.min(), digits.max()))
