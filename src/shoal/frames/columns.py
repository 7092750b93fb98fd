"""Columns as arrays: what a table gives out, and takes back.

Three shapes are enough for every attribute: ``Numbers``, ``Instants`` (dates and times) and ``Categories``. The same
object goes out of a `Table` and, with other values, back into it; the table remembers the column's own type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value is missing."""
Unit: TypeAlias = Literal["D", "m", "s", "ms", "us", "ns"]
"""What dates and times are counted in, by NumPy's letters."""
Label: TypeAlias = str | int | float | bool

MISSING_INSTANT = np.iinfo(np.int64).min
"""The integer that NumPy uses for a missing date; ``Instants.missing`` marks it, so nobody needs to compare."""

_DAY_PARTS: dict[str, int] = {"D": 1, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
_DAY_PARTS["ns"] = 86_400_000_000_000


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers.

    Parameters
    ----------
    values
        float64, NaN where missing. Integers beyond 2**53 are rounded to the nearest double.
    missing
        True where there is no value; None when every value is there.
    whole
        The column is an integer column. Given back with ``whole=True`` the values return to its integer type
        (they must be whole numbers that fit); with False the column becomes float64.
    """

    values: NDArray[np.float64]
    missing: Mask | None = None
    whole: bool = False

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Instants:
    """A column of dates or times.

    Parameters
    ----------
    values
        int64, counted in ``unit`` from 1970-01-01 (in UTC for columns with a time zone).
    unit
        The coarsest of day, minute, second, millisecond, ... that holds all values exactly: a pandas column of
        midnights counts in days, so that what is averaged in it stays a date.
    missing
        True where there is no value; None when every value is there.
    """

    values: NDArray[np.int64]
    unit: Unit
    missing: Mask | None = None

    def __len__(self) -> int:
        return len(self.values)

    def in_unit(self, unit: str) -> NDArray[np.int64]:
        """Return the values counted in a unit at least as fine; missing ones as NumPy's NaT."""
        factor = _DAY_PARTS[unit] // _DAY_PARTS[self.unit]
        values = self.values if factor == 1 else self.values * factor
        if self.missing is not None:
            values = np.where(self.missing, MISSING_INSTANT, values)
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
        missing: Mask | None = counts == MISSING_INSTANT
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


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories.

    Parameters
    ----------
    codes
        int32 positions in ``labels``, -1 where missing.
    labels
        The categories: in their own order when the column's type has one (a pandas categorical, a polars Enum, an Arrow
        dictionary), else sorted, so that the order of rows never decides. Text, or whole numbers and booleans for
        columns of these.
    scale
        The labels are steps of a scale: an ordered type goes on listing all of them, also where no record has one.
    """

    codes: NDArray[np.int32]
    labels: tuple[Label, ...]
    scale: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> Mask | None:
        """True where there is no value; None when every value is there."""
        mask: Mask = self.codes < 0
        return mask if mask.any() else None


@dataclass(frozen=True, eq=False)
class Rows:
    """A column of the table's own values, taken from other rows.

    Parameters
    ----------
    source
        For each row, the row whose value it receives.
    """

    source: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source)


FrameColumn: TypeAlias = Numbers | Instants | Categories | Rows
"""A column as a table gives it out and takes it back."""
