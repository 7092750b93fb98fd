"""Spread: numbers by their statistics, whether the records are at hand or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.report.numbers import mean_and_deviation


class Spread(Protocol):
    """What a report asks of numbers: how many, where they lie, and how many between edges."""

    def __len__(self) -> int: ...

    @property
    def mean_and_deviation(self) -> tuple[float, float]:
        """Mean and standard deviation (n - 1)."""

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
    >>> len(spread), spread.mean_and_deviation[0], spread.quantiles([0.5]), spread.counts(np.array([2.0])).tolist()
    (3, 3.0, [2.0], [1, 2])
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def mean_and_deviation(self) -> tuple[float, float]:
        """Mean and standard deviation (n - 1)."""
        return mean_and_deviation(self.values)

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles, interpolated between neighbours."""
        found: list[float] = np.quantile(self.values, shares).tolist()
        return found

    def counts(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many lie below the first edge, from each edge on, and from the last one on."""
        return np.bincount(np.searchsorted(edges, self.values, side="right"), minlength=len(edges) + 1)
