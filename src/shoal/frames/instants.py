"""Dates and times as integers: where they become numbers, for tables and for single records, and come back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Unit: TypeAlias = Literal["D", "m", "s", "ms", "us", "ns"]
"""What dates and times are counted in, by NumPy's letters."""

MISSING_INSTANT = np.iinfo(np.int64).min
"""The integer that NumPy uses for a missing date; ``Instants.missing`` marks it, so nobody needs to compare."""

_DAY_PARTS: dict[str, int] = {
    "D": 1,
    "m": 1440,
    "s": 86_400,
    "ms": 86_400_000,
    "us": 86_400_000_000,
    "ns": 86_400_000_000_000,
}

MICROSECONDS = tuple(_DAY_PARTS["us"] // parts for parts in _DAY_PARTS.values() if parts <= _DAY_PARTS["us"])
"""How many microseconds the units last that hold whole ones, the longest first."""


def units_in(unit: Unit, part: Unit) -> int:
    """Return how many of a unit that is as fine or finer make one of another.

    >>> units_in("D", "s")
    86400
    """
    return _DAY_PARTS[part] // _DAY_PARTS[unit]


def day_parts(unit: str) -> int | None:
    """Return how many of a unit make a day; None for one that dates and times are not counted in here.

    >>> day_parts("s"), day_parts("W")
    (86400, None)
    """
    return _DAY_PARTS.get(unit)


def finest_unit(*units: Unit) -> Unit:
    """Return the finest of some units.

    >>> finest_unit("s", "D")
    's'
    """
    return max(units, key=_DAY_PARTS.__getitem__)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: date | datetime) -> int:
    """Return a date or time as microseconds since 1970; a time without a zone counts as UTC.

    >>> microseconds(date(1970, 1, 2)), microseconds(datetime(1970, 1, 1, 0, 0, 1))
    (86400000000, 1000000)
    """
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) // timedelta(microseconds=1)


_FIRST, _LAST = microseconds(datetime.min), microseconds(datetime.max)


def moment_at(count: float) -> datetime:
    """Return the time that is so many microseconds after 1970, in UTC.

    >>> moment_at(1_000_000)
    datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc)
    """
    # A double holds the last microseconds of the year 9999 as the year 10000.
    return _EPOCH + timedelta(microseconds=max(_FIRST, min(int(count), _LAST)))


class SizedColumn:
    """What a table gives out or takes back for a column, in as many rows as its first field has."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))


@dataclass(frozen=True, eq=False)
class Instants(SizedColumn):
    """A column of dates or times."""

    values: NDArray[np.int64]  # int64, counted in ``unit`` from 1970-01-01 (in UTC for columns with a time zone)
    # the coarsest of day, minute, second, millisecond, ... that holds all values exactly: a pandas column of midnights
    # counts in days, so that what is averaged in it stays a date
    unit: Unit
    missing: NDArray[np.bool_] | None = None  # True where there is no value; None when every value is there

    def in_unit(self, unit: str) -> NDArray[np.int64]:
        """Return the values counted in a unit at least as fine; missing ones as NumPy's NaT.

        Raises
        ------
        OverflowError
            64 bits do not hold them: nanoseconds end in 2262.
        """
        factor = _DAY_PARTS[unit] // _DAY_PARTS[self.unit]
        there = True if self.missing is None else ~self.missing
        lowest, highest = (int(bound(self.values, initial=0, where=there)) for bound in (np.min, np.max))
        if max(-lowest, highest) * factor > np.iinfo(np.int64).max:
            raise OverflowError(f"not all dates can be counted in {unit}")
        values = self.values if factor == 1 else self.values * factor
        if self.missing is not None:
            values = np.where(self.missing, MISSING_INSTANT, values)
        return values

    def in_microseconds(self) -> NDArray[np.float64]:
        """Return the values as `microseconds` counts single ones, rounded down; NaN where missing."""
        counts = self.values // 1000 if self.unit == "ns" else self.values * units_in(self.unit, "us")
        values = counts.astype(np.float64)
        if self.missing is not None:
            values[self.missing] = np.nan
        return values

    @staticmethod
    def of(values: NDArray[np.datetime64]) -> Instants:
        """Count NumPy dates in the coarsest unit that is exact.

        Examples
        --------
        >>> import numpy as np
        >>> Instants.of(np.array(["1970-01-03T00:00:00", "NaT"], dtype="datetime64[us]"))
        Instants(values=array([2, 0]), unit='D', missing=array([False,  True]))
        """
        unit = np.datetime_data(values.dtype)[0]
        if unit not in _DAY_PARTS:  # hours, months and the like: count in minutes first
            values, unit = values.astype("datetime64[m]"), "m"
        counts = values.view(np.int64) if values.flags.c_contiguous else values.astype(np.int64)
        missing: NDArray[np.bool_] | None = counts == MISSING_INSTANT
        if missing is not None and missing.any():
            counts = np.where(missing, 0, counts)
        else:
            missing = None
        for coarse, parts in _DAY_PARTS.items():
            step = _DAY_PARTS[unit] // parts
            if step <= 1:
                break
            if not np.any(counts % step):
                return Instants(counts // step, coarse, missing)  # type: ignore[arg-type]
        return Instants(counts, unit, missing)  # type: ignore[arg-type]

    @staticmethod
    def of_microseconds(values: NDArray[np.float64]) -> Instants:
        """Return what `in_microseconds` gave, or whole microseconds like it, as dates or times."""
        absent = np.isnan(values)
        stamps = np.where(absent, 0, values).astype(np.int64).view("datetime64[us]")
        stamps[absent] = np.datetime64("NaT")
        return Instants.of(stamps)
