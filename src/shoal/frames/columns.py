"""Columns as arrays: what a table gives out, and takes back.

Three shapes are enough for every attribute: ``Numbers``, ``Instants`` (dates and times) and ``Categories``. The same
object goes out of a `Table` and, with other values, back into it; the table remembers the column's own type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames.instants import Instants, SizedColumn

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value is missing."""
Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True, eq=False)
class Numbers(SizedColumn):
    """A column of numbers."""

    values: NDArray[np.float64]  # float64, NaN where missing. Integers beyond 2**53 are rounded to the nearest double
    missing: Mask | None = None  # True where there is no value; None when every value is there
    # the column is an integer column. Given back with ``whole=True`` the values return to its integer type (they must
    # be whole numbers that fit); with False the column becomes float64
    whole: bool = False


@dataclass(frozen=True, eq=False)
class Categories(SizedColumn):
    """A column of categories."""

    codes: NDArray[np.int32]  # int32 positions in ``labels``, -1 where missing
    # the categories: in their own order when the column's type has one (a pandas categorical, a polars Enum, an Arrow
    # dictionary), else sorted, so that the order of rows never decides. Text, or whole numbers and booleans for columns
    # of these
    labels: tuple[Label, ...]
    # the labels are steps of a scale: an ordered type goes on listing all of them, also where no record has one
    scale: bool = True

    @property
    def missing(self) -> Mask | None:
        """True where there is no value; None when every value is there."""
        mask: Mask = self.codes < 0
        return mask if mask.any() else None


@dataclass(frozen=True, eq=False)
class Rows(SizedColumn):
    """A column of the table's own values, taken from other rows."""

    source: NDArray[np.int64]  # for each row, the row whose value it receives


@dataclass(frozen=True, eq=False)
class Text(SizedColumn):
    """A column that becomes one of text, whatever its type was."""

    codes: NDArray[np.int32]  # positions in ``labels``, -1 where missing
    labels: tuple[str | None, ...] = field(repr=False)  # the texts; None is missing


@dataclass(frozen=True, eq=False)
class Gaps(SizedColumn):
    """A column of the table's own values, some of them taken away."""

    missing: Mask  # True where the cell becomes missing


FrameColumn: TypeAlias = Numbers | Instants | Categories | Rows | Text | Gaps
"""A column as a table gives it out and takes it back."""


DType: TypeAlias = Literal[
    "integer", "float", "boolean", "string", "categorical", "date", "datetime", "duration", "decimal", "other"
]
"""What a column holds, by a name that all frame libraries share."""

DTYPE_WORDS: dict[str, str] = {
    "integer": "whole numbers",
    "float": "numbers",
    "boolean": "true/false values",
    "string": "text",
    "categorical": "categories",
    "date": "dates",
    "datetime": "dates with times",
    "duration": "durations",
    "decimal": "decimal numbers",
    "other": "values of a type shoal does not know",
}
"""What columns of each dtype hold, in words for messages."""


def dtype_of(series: nw.Series[Any]) -> DType:
    """Tell what a column holds."""
    try:
        own = series.dtype
    except ValueError:  # narwhals has no decimals of a negative scale, which Arrow has
        raise DataError(
            f"column {series.name!r} has a type that shoal cannot read: convert it to numbers or text"
        ) from None
    if own.is_integer():
        return "decimal" if isinstance(own, nw.Int128 | nw.UInt128) else "integer"  # NumPy has none of 128 bits
    if own.is_float():
        return "float"
    name = type(own).__name__.lower()
    if name in get_args(DType):
        return cast("DType", name)
    return "categorical" if name == "enum" else _unusual_dtype(series)


def holds(series: nw.Series[Any]) -> str:
    """Say what a column holds, for messages."""
    return "times of day" if isinstance(series.dtype, nw.Time) else DTYPE_WORDS[dtype_of(series)]


def _unusual_dtype(series: nw.Series[Any]) -> DType:
    """Columns of Python dates (pandas), Arrow's 64-bit dates, and columns where nothing is known but nulls."""
    column = series.to_native()
    if series.implementation.is_pyarrow():
        return "date" if str(column.type).startswith("date64") else "float" if str(column.type) == "null" else "other"
    if series.implementation.is_polars():
        return "float" if str(column.dtype) == "Null" else "other"
    try:
        inferred = nw.get_native_namespace(series).api.types.infer_dtype(column, skipna=True)
    except NotImplementedError:  # pandas has no name for some types of Arrow
        return "other"
    return "date" if inferred == "date" else "float" if inferred == "empty" else "other"
