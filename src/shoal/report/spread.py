"""Numbers and dates of a column, and how they are spread, whether the records are at hand or on a cluster."""

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
