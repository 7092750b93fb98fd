"""What a column holds, in words that do not depend on its library."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import narwhals as nw

from shoal.errors import DataError

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

_DTYPES: dict[type[Any], DType] = {
    nw.Boolean: "boolean",
    nw.String: "string",
    nw.Categorical: "categorical",
    nw.Enum: "categorical",
    nw.Date: "date",
    nw.Datetime: "datetime",
    nw.Duration: "duration",
    nw.Decimal: "decimal",
}


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
    for known, dtype in _DTYPES.items():
        if isinstance(own, known):
            return dtype
    return _unusual_dtype(series)


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
