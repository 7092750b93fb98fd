"""Dates and times of Stata, SPSS and SAS files: they are numbers, and the display format of a column says of what.

Notes
-----
Stata counts days and milliseconds from 1960, SAS days and seconds from 1960, SPSS seconds from 14 October 1582. A time
is what has passed of a day or, where that is more than a day or less than nothing, a duration: SPSS and SAS mean both
by one format. Of Stata it is an instant of which the date is not shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.frames.calendar import LONG_TIME, OUTSIDE, outside_calendar

_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)
_NAME = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")
_DATES_OF_SAS = ("DATE", "WEEKDATE", "WEEKDATX", "IS8601DA", "E8601DA", "B8601DA", "YYMMDD", "DDMMYYC", "MMDDYYC")
_MARKED = tuple(f"{order}{mark}" for order in ("MMDDYY", "DDMMYY", "YYMMDD") for mark in ("", *"BDNPS"))


@dataclass(frozen=True)
class Clock:
    """What the numbers of a program count, by the display formats of their columns, without widths."""

    origin: date  # the day from which they do
    dates: tuple[str, ...]
    datetimes: tuple[str, ...]
    times: tuple[str, ...]
    of_date: int  # how many microseconds a number of dates stands for
    of_time: int  # and one of the others
    durations: bool = True  # times may be longer than a day

    def read(self, name: str, column: pl.Series, display: str) -> pl.Series:
        """Return a column of numbers as the dates or times that its display format says they are, any other as it is.

        A column of dates in which some have a time of day is one of dates with times. A number of which
        64 bits do not count the microseconds is refused.
        """
        form = self._form(display)
        if not form or not (column.dtype.is_numeric() or column.dtype == pl.Null):
            return column
        numbers = column.cast(pl.Float64).to_numpy()
        there = ~np.isnan(numbers)
        unit, is_time = self.of_date if form in self.dates else self.of_time, form in self.times
        whole = np.floor(np.where(there, numbers, 0.0))
        beyond = np.abs(whole) >= 2.0**62 / unit
        if beyond.any():
            raise outside_calendar(name, LONG_TIME if is_time else OUTSIDE, int(np.argmax(beyond)))
        parts = np.rint((np.where(there, numbers, 0.0) - whole) * unit)
        counts: NDArray[np.int64] = whole.astype(np.int64) * unit + parts.astype(np.int64)
        within_a_day = counts.min(initial=0) >= 0 and counts.max(initial=0) < _DAY
        if is_time and within_a_day:
            return _series(counts * 1000, there, pl.Time())
        if is_time and self.durations:
            return _series(counts, there, pl.Duration("us"))
        dates = _series(counts + (self.origin - _EPOCH).days * _DAY, there, pl.Datetime("us"))
        return dates.cast(pl.Date) if form in self.dates and not (counts % _DAY).any() else dates

    def shows(self, display: str, dtype: pl.DataType) -> bool:
        """Whether a display format is still one of a column, which may have become one of dates with times."""
        return not (self._form(display) in self.dates and isinstance(dtype, pl.Datetime))

    def _form(self, display: str) -> str:
        """Return a display format of dates or times without its width; nothing for any other."""
        match = _NAME.fullmatch(display)
        form = display if match is None else match.group(1)
        return form if form in (*self.dates, *self.datetimes, *self.times) else ""


def _series(counts: NDArray[np.int64], there: NDArray[np.bool_], dtype: pl.DataType) -> pl.Series:
    column = pl.Series(counts).cast(dtype)
    return column if there.all() else column.set(pl.Series(~there), None)


STATA_CLOCK = Clock(
    date(1960, 1, 1),
    dates=("%td", "%d", "%tdD_m_Y", "%tdCCYY-NN-DD"),
    datetimes=("%tC", "%tc"),
    times=("%tcHH:MM:SS", "%tcHH:MM"),
    of_date=_DAY,
    of_time=1000,
    durations=False,
)
SPSS_CLOCK = Clock(
    date(1582, 10, 14),
    dates=("DATE", "ADATE", "EDATE", "JDATE", "SDATE"),
    datetimes=("DATETIME", "YMDHMS"),
    times=("TIME", "DTIME"),
    of_date=1_000_000,
    of_time=1_000_000,
)
SAS_CLOCK = Clock(
    date(1960, 1, 1),
    dates=(*_DATES_OF_SAS, *_MARKED),
    datetimes=("DATETIME", "DTDATE", "E8601DT", "DATEAMPM", "MDYAMPM", "IS8601DT", "B8601DT", "B8601DN"),
    times=("TIME", "HHMM", "TOD", "TIMEAMPM", "IS8601TM", "E8601TM", "B8601TM"),
    of_date=_DAY,
    of_time=1_000_000,
)
