"""Numbers and dates of a column: how they are spread, here or on a cluster, and round edges between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.moments import moments

SECONDS = {"D": 86_400.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""How long the units of dates are."""


def as_numbers(column: Column) -> NDArray[np.float64]:
    """Return the observed values as numbers; dates as seconds from 1970."""
    return in_seconds(column, column.observed)


def in_seconds(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return values of a column as numbers; dates as seconds from 1970."""
    numbers = values.astype(np.float64)
    return (numbers + column.origin) * SECONDS[column.unit] if column.kind.is_date else numbers


def whole_days(column: Column) -> bool:
    """Tell a column of dates that have no time of day: neither has a mean of them, for people."""
    if not column.kind.is_date:
        return False
    return column.unit == "D" or not bool((as_numbers(column) % SECONDS["D"]).any())


@dataclass(frozen=True)
class Location:
    """The mean of numbers, and their standard deviation (n - 1)."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Location:
        """Take numbers, also those whose squares would overflow.

        Examples
        --------
        >>> Location.of(np.array([1.0, 3.0, 5.0])), Location.of(np.array([-1e300, 1e300])).mean
        (Location(mean=3.0, deviation=2.0), 0.0)
        """
        exponent = math.frexp(float(np.abs(values).max(initial=0.0)))[1]
        scaled = moments([np.ldexp(values, -exponent)])
        mean, deviation = np.ldexp([scaled.mean[0], scaled.deviation[0]], exponent)
        return cls(float(mean), float(deviation))


class Spread(Protocol):
    """What a report asks of numbers: how many, where they lie, and how many between edges."""

    def __len__(self) -> int: ...

    @property
    def location(self) -> Location:
        """Mean and standard deviation."""

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles, interpolated between neighbours."""

    def counts(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many lie below the first edge, from each edge on, and from the last one on."""


@dataclass(frozen=True, eq=False)
class ArraySpread:
    """The spread of numbers that are at hand.

    Examples
    --------
    >>> spread = ArraySpread(np.array([1.0, 2.0, 6.0]))
    >>> len(spread), spread.location.mean, spread.quantiles([0.5]), spread.counts(np.array([2.0])).tolist()
    (3, 3.0, [2.0], [1, 2])
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def location(self) -> Location:
        """Mean and standard deviation."""
        return Location.of(self.values)

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles, interpolated between neighbours."""
        quantiles: list[float] = np.quantile(self.values, shares).tolist()
        return quantiles

    def counts(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many lie below the first edge, from each edge on, and from the last one on."""
        return np.bincount(np.searchsorted(edges, self.values, side="right"), minlength=len(edges) + 1)


_DAY = SECONDS["D"]

_CALENDAR: tuple[tuple[str, int, float], ...] = (
    ("s", 1, 1.0),
    ("s", 10, 10.0),
    ("m", 1, 60.0),
    ("m", 10, 600.0),
    ("h", 1, 3600.0),
    ("h", 6, 6 * 3600.0),
    ("D", 1, _DAY),
    ("W", 1, 7 * _DAY),
    ("M", 1, 30.4 * _DAY),
    ("M", 3, 91.3 * _DAY),
    *(("Y", years, years * 365.2 * _DAY) for years in (1, 2, 5, 10, 50, 100)),
)


def round_edges(low: float, high: float, most: int, *, integers: bool = False) -> NDArray[np.float64]:
    """Return round numbers from low to high, at most ``most`` intervals apart, none outside; on demand whole numbers.

    Examples
    --------
    >>> round_edges(17.3, 88.0, 8).tolist()
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
    >>> round_edges(0.1, 0.42, 4).tolist()
    [0.1, 0.2, 0.3, 0.4]
    >>> round_edges(0.0, 1e-323, 4).tolist(), round_edges(1.0, 1.0, 4).tolist()
    ([], [])
    """
    if (high - low) / most < np.finfo(np.float64).tiny:  # also where it is too small to be a step
        return np.empty(0)
    step = _round_step((high - low) / most)
    if integers:
        step = max(1.0, step)
    # Multiples of the step, written as decimals would be: 3 × 0.1 is 0.3 here.
    decimals = max(0, 1 - math.floor(math.log10(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return np.array([round(i * step, decimals) for i in range(first, last + 1)], dtype=np.float64)


def calendar_edges(low: float, high: float, most: int) -> NDArray[np.float64]:
    """Return starts of minutes, days, months or years from low to high, as seconds from 1970.

    Examples
    --------
    >>> edges = calendar_edges(1.70e9, 1.72e9, 8)
    >>> edges.astype("datetime64[s]").astype("datetime64[D]").astype(str).tolist()[:3]
    ['2023-12-01', '2024-01-01', '2024-02-01']
    """
    if not high > low:
        return np.empty(0)
    unit, step, _ = next((entry for entry in _CALENDAR if (high - low) / entry[2] <= most), _CALENDAR[-1])
    ends = np.array([low, high]).astype("datetime64[s]").astype(f"datetime64[{unit}]").astype(np.int64)
    first, last = ends[0] // step * step, (ends[1] // step + 1) * step
    stamps = np.arange(first, last + 1, step).astype(f"datetime64[{unit}]").astype("datetime64[s]")
    edges = stamps.astype(np.int64).astype(np.float64)
    return edges[(edges >= low) & (edges <= high)]


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 times a power of ten that is at least ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= least * (1 - 1e-9))


MOST_INTERVALS = 24


def round_bulk(values: Spread, *, dates: bool = False, integers: bool = False) -> NDArray[np.float64]:
    """Return round edges where the bulk of some numbers is: within three quartile ranges of the quartiles.

    Intervals are spent where the records are; what is beyond is counted in the open intervals. The range is just wide
    enough that the smallest value shown gets an interval.

    Examples
    --------
    >>> round_bulk(ArraySpread(np.arange(20.0, 29.0))).tolist()[:3]
    [20.0, 20.5, 21.0]
    """
    least, lower, upper, most = values.quantiles([0, 0.25, 0.75, 1])
    reach = 3 * (upper - lower) or most - least
    low, high = max(least, lower - reach), min(most, upper + reach)
    margin = (high - low) / MOST_INTERVALS
    low, high = low - margin, high + margin
    if dates:
        return calendar_edges(low, high, MOST_INTERVALS)
    return round_edges(low, high, MOST_INTERVALS, integers=integers)
