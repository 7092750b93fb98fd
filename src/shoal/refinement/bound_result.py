"""LowerBound: what no partition can fall short of, and how far a given one is from it at most."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError

_ROUNDING = 1e-9  # losses are sums of many doubles


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A loss that no partition into groups of at least k can fall short of.

    Parameters
    ----------
    sse
        The bound, in squared distances of the points.
    percent
        The same in percent of the loss of one group of all records (SST).
    k, records
        What it is about.
    method
        How it was found: "univariate", "columns", "ascent" or "stars".
    proven
        What is proven, in a sentence.
    prices
        The proof: one price per record. No k records have prices that add up to more than a group of them loses, so
        the sum of all prices is a bound. Empty where the proof is another.

    Examples
    --------
    >>> bound = LowerBound(sse=2.0, percent=4.0, k=3, records=9, method="ascent", proven="")
    >>> round(bound.gap(2.03), 6), bound.sentence(2.03)
    (1.5, 'at most 1.5 % above the best possible')
    """

    sse: float
    percent: float
    k: int
    records: int
    method: str
    proven: str
    prices: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)

    def gap(self, sse: float) -> float:
        """Return by how many percent a loss can be above that of the best partition, at most.

        Raises
        ------
        DataError
            The loss is below the bound, so it is not one of groups of at least k of these records.
        """
        if not sse >= self.sse * (1.0 - _ROUNDING):
            raise DataError(
                f"a loss of {sse:.6g} is below {self.sse:.6g}, which no groups of at least {self.k} of these records "
                "reach: it is measured on other records, other scales or smaller groups"
            )
        if sse <= self.sse:
            return 0.0
        return 100.0 * (sse - self.sse) / self.sse if self.sse > 0 else math.inf

    def sentence(self, sse: float) -> str:
        """Say how far a loss is from the best possible, rounded up.

        Examples
        --------
        >>> LowerBound(sse=1.0, percent=1.0, k=2, records=4, method="ascent", proven="").sentence(1.00342)
        'at most 0.35 % above the best possible'
        """
        gap = self.gap(sse)
        if gap <= 100 * _ROUNDING:
            return "the best possible"
        if math.isinf(gap):
            return "how far above the best possible is not known: the bound is 0"
        step = 10.0 ** (math.floor(math.log10(gap)) - 1)  # two digits
        return f"at most {math.ceil(gap / step - _ROUNDING) * step:.12g} % above the best possible"
