"""The question behind a certificate: prices of records that no set of k records costs less than."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.points import Points
from shoal.progress import Progress

Prices = NDArray[np.float64]

_FARTHEST = 500  # powers of two whose squares are doubles
_WIDTH, _NODES = 2000, 100_000  # an anchor with more candidates or choices is bounded instead of searched


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of records, all of one size, and what each costs at least."""

    rows: NDArray[np.int32]  # (m, size), increasing in each set
    costs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.costs)

    def __add__(self, other: Sets) -> Sets:
        """Return the sets of both, each once."""
        rows = np.concatenate([self.rows, other.rows])
        order = np.lexsort(rows.T[::-1])
        later = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
        first = np.sort(order[np.concatenate([[True], later])]) if len(order) else order
        return Sets(rows[first], np.concatenate([self.costs, other.costs])[first])

    def reduced(self, prices: Prices) -> NDArray[np.float64]:
        """Return what each costs beyond the prices of its records."""
        return np.asarray(self.costs - prices[self.rows].sum(axis=1))

    def take(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Sets:
        """Return some of the sets."""
        return Sets(np.ascontiguousarray(self.rows[which]), self.costs[which])


class PricedSets(NamedTuple):
    """Sets that cost little beside their prices, and prices that none of them is below."""

    sets: Sets
    feasible: Prices


class BoundProblem:
    """Prices of the records of a table, and the sets of one ``size`` (k for a bound) that cost less than theirs.

    Prices are *feasible* if no ``size`` records have prices that add up to more than a group of them costs. Then the
    same holds for larger groups, and the sum of all prices is a bound (docs/refine-bound.md, sections 1 and 2).
    """

    def __init__(self, points: Points, size: int, progress: Progress | None = None) -> None:
        self.exponent = _exponent(points)
        self.points = points.stretched(math.ldexp(1.0, -self.exponent)) if self.exponent else points
        self.size = size
        _, pairs = _core.shifted_neighbours(self.points.records(), size, np.zeros(len(points)), size - 1, progress)
        self._pricing = _core.Pricing(self.points.records(), size, pairs)
        self.shares: Prices = pairs.reshape(len(points), size - 1).sum(axis=1) / (2 * size)
        """What each record adds to the cost of a group at least: feasible prices (section 3)."""

    def __len__(self) -> int:
        return len(self.points)

    @property
    def scales(self) -> Prices:
        """The size that prices have about each record."""
        return self.shares + (0.01 * self.shares.mean() or 1.0)

    @property
    def unit(self) -> float:
        """What a cost of 1 is in squared distances of the points as they were given."""
        return math.ldexp(1.0, 2 * self.exponent)

    def price(
        self,
        prices: Prices,
        *,
        threshold: float = 0.0,
        keep: int = 5,
        width: int = _WIDTH,
        nodes: int = _NODES,
        progress: Progress | None = None,
    ) -> PricedSets:
        """Return sets whose reduced cost is below a threshold, and feasible prices next to the given ones.

        Every set has an anchor, one of its records, of which the ``keep`` best sets are returned. The anchor's price is
        lowered by what the worst of its sets is priced too high (section 4). Where it has more than ``width``
        candidates, or more than ``nodes`` choices to try, its sets are bounded instead of searched.
        """
        rows, costs, least = self._pricing.price(prices, threshold, keep, width, nodes, progress)
        return PricedSets(Sets(rows.reshape(-1, self.size), costs), prices + np.minimum(least, 0.0))

    def raised(
        self, sets: Sets, prices: Prices, *, room: float, smoothing: float, sweeps: int, progress: Progress | None
    ) -> Prices:
        """Return prices as high as some sets allow, none raised by more than ``room`` times its scale."""
        scales = self.scales
        rows = np.ascontiguousarray(sets.rows.reshape(-1))
        return _core.raise_prices(rows, sets.costs, scales, prices + room * scales, prices, smoothing, sweeps, progress)

    def worth(self, prices: Prices) -> float:
        """Return the bound that feasible prices prove, in the unit of the points, rounded down.

        What rounding may have done to the comparison of a set with the prices of its records is a few units in the last
        place of those prices (section 6): it is taken off here, many times over.
        """
        attributes = self.points.dimension
        last_places = 2.0**-53 * 16 * self.size**2 * (attributes + 8)
        value = math.fsum(prices.tolist()) - last_places * math.fsum(np.abs(prices).tolist())
        return max(0.0, math.nextafter(min(value * self.unit, sys.float_info.max), -math.inf))


def _exponent(points: Points) -> int:
    """Return the power of two that brings all distances near 1; a power of two costs no digit."""
    largest = max(
        float(np.abs(points.coords).max(initial=0.0)),
        float((np.abs(points.rank_steps) * points.rank_levels).max(initial=0.0)),
        math.sqrt(float(points.code_weights.max(initial=0.0))),
    )
    if largest == 0.0 or 1e-60 < largest < 1e60:
        return 0
    return max(-_FARTHEST, min(math.frexp(largest)[1], _FARTHEST))
