"""What the schema of a Parquet or Arrow file says of a column, looked at before a library reads the file.

The libraries call themselves for each level of a nested type, without an end, until the process does; and of a type
that they do not read they say in which file it is, not in which column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.errors import DataError, printable

DEEPEST = 64
"""Levels of lists and structures, as many as Arrow's own library takes."""
MOST_FIELDS = 1 << 20
"""Fields inside of columns: a schema can be made to have one of them any number of times."""


@dataclass(frozen=True)
class SchemaColumn:
    """A column.

    Parameters
    ----------
    name
        Of the column.
    levels
        How many lists and structures stand inside each other.
    unread
        What in it no reader here takes, in words for messages; empty where there is nothing.
    endless
        With it, the columns have more fields than are looked at.
    """

    name: str
    levels: int
    unread: str = ""
    endless: bool = False


def require_levels(columns: Iterable[SchemaColumn], file: str) -> None:
    """Refuse a file with a column that is nested too deeply, or has no end.

    Raises
    ------
    DataError
        One sentence that names the column.
    """
    for column in columns:
        if column.levels > DEEPEST:
            raise DataError(
                f"{file}: column {column.name!r} has lists or structures more than {DEEPEST} levels deep, which are "
                "not read: leave it out, or write it as text"
            )
        if column.endless:
            raise DataError(
                f"{file}: the columns up to {column.name!r} have more than {MOST_FIELDS:,} fields inside of lists and "
                "structures, which are not read: leave them out, or write them as text"
            )


def unread_column(columns: Iterable[SchemaColumn], file: str) -> DataError | None:
    """Return the error for the first column of a type that is not read; None where there is none."""
    for column in columns:
        if column.unread:
            return DataError(
                f"{file}: column {column.name!r} has {printable(column.unread)}, which cannot be read: make it text, "
                "numbers or dates, or leave it out"
            )
    return None
