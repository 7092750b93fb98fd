"""The calendar that dates and times of a table must keep to, whatever their type could hold."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from shoal.errors import DataError
from shoal.frames.dtypes import dtype_of
from shoal.frames.instants import day_parts

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""0001-01-01 and 9999-12-31, in days from 1970."""
_LONGEST_DAYS = 999_999_999
"""Of a duration, as in Python."""
_NAT = int(np.iinfo(np.int64).min)


def require_calendar(frame: nw.DataFrame[Any]) -> None:
    """Refuse dates and times outside the years 1 to 9999, and durations of more days than Python counts.

    Types of 64 bits hold dates that no library writes: one that is passed on ends in a crash, in another date or, as
    the least of all integers, in a missing one.

    Raises
    ------
    DataError
        One sentence that names the column and the first such row, never the value.
    """
    for name in frame.columns:
        series = frame[name]
        dtype = dtype_of(series)
        if dtype in ("date", "datetime", "duration") and len(series):
            row = _first_outside(series, duration=dtype == "duration")
            if row is not None:
                what = f"a duration of more than {_LONGEST_DAYS:,} days" if dtype == "duration" else "a date"
                rule = "" if dtype == "duration" else " outside the years 1 to 9999"
                raise DataError(
                    f"column {name!r} has {what}{rule}, the first in row {row + 1}: mend it, or make it missing"
                )


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
