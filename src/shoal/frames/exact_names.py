"""Columns by their very names, whatever library holds them.

polars takes some names for patterns: ``*`` is all columns, ``^age$`` those that a regular expression fits. It does so
where columns are named, inside the methods of a column that has such a name, and for the fields of a structure. So
columns are taken out of a frame, and put back into it, here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

Frame = TypeVar("Frame", "pl.DataFrame", "nw.DataFrame[Any]")
Column = TypeVar("Column", "pl.Series", "nw.Series[Any]")

_HARMLESS = "column"


def is_pattern(name: str) -> bool:
    """Whether polars takes a name for a pattern.

    >>> [is_pattern(name) for name in ("*", "^age$", "^$", "age", "^age", "a*")]
    [True, True, True, False, False, False]
    """
    return name == "*" or (name.startswith("^") and name.endswith("$"))


@overload
def column_of(frame: pl.DataFrame, name: str) -> pl.Series: ...
@overload
def column_of(frame: nw.DataFrame[Any], name: str) -> nw.Series[Any]: ...
def column_of(frame: Any, name: str) -> Any:
    """Return a column of a frame of polars or narwhals; one whose name is a pattern has another in polars.

    >>> import polars as pl
    >>> column_of(pl.DataFrame({"age": [20, 30], "^age$": [2, None]}), "^age$").is_null().to_list()
    [False, True]
    """
    column = frame[name]
    return harmless(column) if name.startswith(("*", "^")) else column


def harmless(column: Column) -> Column:
    """Return a column under a name that is no pattern, if it is one of polars."""
    library = getattr(column, "implementation", None)  # which the frames of narwhals tell
    if is_pattern(column.name) and (library is None or library.is_polars()):
        return column.alias(_HARMLESS)
    return column


def only_columns(frame: Frame, names: Iterable[str]) -> Frame:
    """Return a frame of polars or narwhals with some of its columns, in the order named.

    >>> import polars as pl
    >>> only_columns(pl.DataFrame({"age": [20, 30], "*": [2, 3]}), ["*"]).rows()
    [(2,), (3,)]
    """
    return frame[:, list(names)]


def with_columns_of(frame: pl.DataFrame, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return a frame of polars with some columns in place of those of their names, or after all others.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [20, 30], "*": [2, 3]})
    >>> with_columns_of(frame, {"*": column_of(frame, "*") * 2}).rows()
    [(20, 4), (30, 6)]
    """
    return frame.with_columns([column.alias(name) for name, column in columns.items()])
