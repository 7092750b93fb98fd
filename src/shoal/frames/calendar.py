"""The calendar that dates and times of a table must keep to, whatever their type could hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames.columns import DType, dtype_of
from shoal.frames.exact_names import harmless
from shoal.frames.instants import Unit, day_parts, units_in

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""0001-01-01 and 9999-12-31, in days from 1970."""
_LONGEST_DAYS = 999_999_999
"""Of a duration, as in Python."""
_NAT = int(np.iinfo(np.int64).min)
_MOST = 2.0**63
"""What 64 bits count to, as a double."""


def require_calendar(name: str, series: nw.Series[Any], dtype: DType) -> None:
    """Refuse dates and times of a column outside the years 1 to 9999, and durations of more days than Python counts.

    Types of 64 bits hold dates that no library writes: one that is passed on ends in a crash, in another date or, as
    the least of all integers, in a missing one.
    """
    if dtype in _WHAT and len(series):
        row = _first_outside(series, duration=dtype == "duration")
        if row is not None:
            raise outside_calendar(name, _WHAT[dtype], row)
    elif dtype == "other":
        what = _outside_within(series)
        if what is not None:
            raise DataError(f"column {name!r} has {what}, inside its lists or structures: mend or drop the column")


def outside_calendar(name: str, what: str, row: int) -> DataError:
    """Return the error for a column that has something outside the calendar, the first in a row counted from 0."""
    return DataError(f"column {name!r} has {what}, the first in row {row + 1}: mend it, or make it missing")


def require_released(name: str, counts: NDArray[np.float64], unit: Unit) -> None:
    """Refuse dates that a masked column would have outside the calendar, or beyond what 64 bits count in its unit.

    A mean lies among the values behind it, but a column whose variance is preserved, or that is mixed with others, may
    leave its own range: cast to integers, such a date would come out as another one.
    """
    parts = units_in("D", unit)
    lowest, highest = (float(bound(counts, initial=0.0, where=~np.isnan(counts))) for bound in (np.min, np.max))
    if lowest < max(_FIRST_DAY * parts, -_MOST) or highest > min((_LAST_DAY + 1) * parts - 1, _MOST):
        raise no_room(name)


def no_room(name: str) -> DataError:
    """Return the error for dates that a release would have, and that the type of their column cannot hold."""
    return DataError(
        f"column {name!r} would be released with dates that its type cannot hold (the years 1 to 9999; 1678 to 2261 in "
        "nanoseconds): leave preserve_variance out, or list a date that means no value, such as the last one that "
        "can be written, in missing_values"
    )


OUTSIDE = "a date outside the years 1 to 9999"
LONG_TIME = "a time that is longer than can be counted"
_WHAT = dict.fromkeys(("date", "datetime"), OUTSIDE)
_WHAT["duration"] = f"a duration of more than {_LONGEST_DAYS:,} days"
"""What is refused, by the dtype of the column."""


def _outside_within(series: nw.Series[Any]) -> str | None:
    """Say what is outside the calendar in the lists, structures and maps of a column, or in a type of its own."""
    if not series.implementation.is_polars():
        try:
            series.to_list()
        except (OverflowError, ValueError):  # which every later reader of the cells would meet
            return "a date or duration outside the calendar"
        return None
    for part in _parts(series.to_native()):
        wrapped = nw.from_native(part, series_only=True)
        dtype = dtype_of(wrapped)
        if dtype in _WHAT and len(part) and _first_outside(wrapped, duration=dtype == "duration") is not None:
            return _WHAT[dtype]
    return None


def _parts(series: Any) -> Iterator[Any]:
    """Yield the plain columns that a nested column of polars is made of."""
    series = series.ext.storage()  # of a type of its own what it is kept as, any other as it is
    match series.dtype.base_type().__name__:
        case "Struct":
            for part in series.struct.unnest().get_columns():
                yield from _parts(harmless(part))
        case "List" | "Array":
            yield from _parts(series.explode())
        case "Map":
            yield from _parts(series.map.keys())
            yield from _parts(series.map.values())
        case _:
            yield series


def _first_outside(series: nw.Series[Any], *, duration: bool) -> int | None:
    try:
        values = series.to_numpy()
    except (OverflowError, ValueError):  # a library that has no date for it
        return 0
    if values.dtype.kind not in "mM":  # Python's own dates, which are none but of the calendar
        return None
    parts = day_parts(np.datetime_data(values.dtype)[0])
    if parts is None:  # hours, weeks, months: no library of frames counts in them
        return None
    # A zone may move an instant into the next day or the one before.
    margin = 1 if getattr(series.dtype, "time_zone", None) else 0
    first, last = (-_LONGEST_DAYS, _LONGEST_DAYS) if duration else (_FIRST_DAY + margin, _LAST_DAY - margin)
    low, high = first * parts, (last + 1) * parts - 1
    counts = values.view(np.int64) if values.flags.c_contiguous else values.astype(np.int64)
    if low <= int(counts.min()) and int(counts.max()) <= high and low > _NAT:
        return None
    # The least of all integers is NumPy's sign for a missing date, but a column may also hold it as a value.
    outside = (counts < max(low, _NAT + 1)) | (counts > min(high, np.iinfo(np.int64).max))
    outside &= ~series.is_null().to_numpy().astype(np.bool_)
    return int(np.argmax(outside)) if outside.any() else None
