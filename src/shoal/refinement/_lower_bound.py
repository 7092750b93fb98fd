"""A proven lower bound of the loss of any partition into groups of at least k, and how far a given one is from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError, PlanError
from shoal.partitioners import univariate
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress, shown
from shoal.refinement.bound_prices import ascend, ascend_stars, generate_columns
from shoal.refinement.bound_problem import BoundProblem, Prices
from shoal.refinement.bound_solver import has_solver, require_solver
from shoal.refinement.effort import Clock, OutOfTime

_ROUNDING = 1e-9  # losses are sums of many doubles


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A loss that no partition into groups of at least k can fall short of.

    Examples
    --------
    >>> bound = LowerBound(sse=2.0, percent=4.0, k=3, records=9, method="ascent", proven="")
    >>> round(bound.gap(2.03), 6), bound.sentence(2.03)
    (1.5, 'at most 1.5 % above the best possible')
    """

    sse: float  # the bound, in squared distances of the points
    percent: float  # the same in percent of the loss of one group of all records (SST)
    # k, records: what it is about
    k: int
    records: int
    method: str  # how it was found: "univariate", "columns", "ascent" or "stars"
    proven: str  # what is proven, in a sentence
    # the proof: one price per record. No k records have prices that add up to more than a group of them loses, so
    # the sum of all prices is a bound. Empty where the proof is another
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


Method = Literal["auto", "univariate", "columns", "ascent", "stars"]

# What "auto" takes. Beyond them a method still gives a bound, only later.
_FEW_RECORDS, _FEW_CELLS = 3000, 12_000  # records, and records × k: the programme of "columns" is solved in a minute
_SMALL_K = 10  # sets of more records are too many to search

_HOW = {
    "univariate": "the least loss itself, by the shortest path over the sorted values",
    "columns": "prices of records by column generation",
    "ascent": "prices of records by dual ascent over cheap sets of k",
    "stars": "prices of records from the nearest records of each, by ascent",
}


def lower_bound(
    points: ArrayLike | Points,
    k: int,
    *,
    method: Method = "auto",
    seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> LowerBound:
    """Return a loss that no partition into groups of at least k records falls short of, with its proof.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes.
    k
        Minimum group size.
    method
        "univariate" (one attribute: the least loss itself), "columns" (small tables: the best bound of its kind, by
        column generation; needs the extra ``optimal``), "ascent" (tables of any size and small k: close to "columns",
        without a solver), "stars" (any k: weaker, from nearest records alone), or "auto" for the best that takes no
        more than about a minute up to some ten thousand records.
    seconds
        A budget of time. The bound is the best one proven until then, and not the same every time.
    progress
        Called with the work done and the work there is at most; True for a bar, False for none, None for a bar in
        notebooks and at a prompt.

    Returns
    -------
    LowerBound
        The bound as a sum of squared distances and in percent, and what is proven.

    Raises
    ------
    PlanError
        k below 2, an unknown method, a budget that is not positive, or no solver for "columns".
    DataError
        Fewer records than k, or points that cannot be compared.

    Notes
    -----
    *The loss* of a group is the sum of squared distances of its records to what is released for it: a place in
    continuous attributes, a category in ordinal and nominal ones. Whatever stands for the group, the bound holds; it is
    tightest where means, and modes, do. Where records have subjects, a group of k subjects has at least k records, so
    the bound holds for those groups too.

    *The proof* is a price for every record such that no k records have prices that add up to more than a group of them
    loses. Larger groups then cost no less than their prices either, and the groups of a partition have all prices
    together. docs/refine-bound.md has each step.

    Examples
    --------
    >>> bound = lower_bound([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]], 2, method="ascent")
    >>> round(bound.sse, 6), bound.method
    (1.0, 'ascent')
    """
    points = comparable(points)
    k = require_subjects(k, points)
    if method not in get_args(Method):
        names = ", ".join(f'"{name}"' for name in get_args(Method))
        raise PlanError(f'method must be one of {names}, not "{method}"')
    with shown(progress, "bounding the loss") as report:
        clock = Clock(seconds, report)
        how = _choose(points, k) if method == "auto" else method
        if how == "columns":
            require_solver('method "columns"')
        proof = _Proof(_least_loss(points, k)) if how == "univariate" else _priced(points, k, how, clock)
        clock.finish()
    # The total is a rounded sum of n squares; a percentage of the bound must stay one.
    total, n = total_loss(points), len(points)
    percent = 0.0 if total == 0 else 100.0 * proof.sse / total * (1.0 - 2.0**-52 * (n + 16))
    return LowerBound(proof.sse, percent, k, n, how, _proven(points, k, how), proof.prices)


def _choose(points: Points, k: int) -> Method:
    if points.dimension == 1 and not points.has_nominal:
        return "univariate"
    if k > _SMALL_K:
        return "stars"
    return "columns" if suits_columns(points, k) and has_solver() else "ascent"


def suits_columns(points: Points, k: int) -> bool:
    """Whether column generation takes no more than about a minute."""
    return k <= _SMALL_K and len(points) <= _FEW_RECORDS and len(points) * k <= _FEW_CELLS


class _Proof(NamedTuple):
    """A bound, and the prices that prove it; none where the proof is another."""

    sse: float
    prices: Prices = np.empty(0)


def _priced(points: Points, k: int, how: str, clock: Clock) -> _Proof:
    clock.expect(1)
    try:
        problem = BoundProblem(points, k, clock.step())
    except OutOfTime:
        return _Proof(0.0, np.zeros(len(points)))  # nothing is proven but that squares are not negative
    if how == "stars":
        prices = ascend_stars(problem, clock)
    else:
        start = ascend(problem, clock)
        prices = generate_columns(problem, start, clock) if how == "columns" else start.feasible
    return _Proof(problem.worth(prices), prices * problem.unit)


def _least_loss(points: Points, k: int) -> float:
    # Groups of k subjects are groups of k records, and those need not be runs: runs of k records lose least of all.
    labels = univariate(replace(points, subjects=np.empty(0, dtype=np.int32)), k)
    values = points.numeric()[:, 0]
    base = np.zeros(int(labels.max()) + 1)
    base[labels] = values
    off = values - base[labels]
    sizes = np.bincount(labels)
    off -= (np.bincount(labels, off) / sizes)[labels]
    # Sums of squares of rounded differences: a few units in the last place, and as many are taken off.
    return max(0.0, math.fsum((off**2).tolist()) * (1.0 - 2.0**-53 * 16 * int(sizes.max())))


def total_loss(points: Points) -> float:
    """Return the loss of one group of all records: means, medians and modes stand for it.

    >>> total_loss(Points.of([0.0, 2.0, 10.0, 12.0]))
    104.0
    """
    return float(_core.group_losses(points.records(), np.zeros(len(points), dtype=np.int64), 1)[0])


def _proven(points: Points, k: int, how: str) -> str:
    subjects = " (and so of at least k subjects)" if points.subjects.size else ""
    exact = how == "univariate" and points.coords.shape[1] == 1
    least = "the least loss" if exact else "no more than the least loss"
    return (
        f"{least} of any partition of these {len(points):,} records into groups of at least {k} records{subjects}, "
        f"whatever stands for a group; proven by {_HOW[how]}"
    )
