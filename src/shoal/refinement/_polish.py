"""Polish: the best choice among groups at hand and among all sets that are nearly worth their price."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.classes import equivalence_classes
from shoal.labels import read_labels, rows_of_each
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress
from shoal.protect.rules import require_start
from shoal.refinement._lower_bound import LowerBound
from shoal.refinement.bound_prices import ascend, generate_columns
from shoal.refinement.bound_problem import BoundProblem, Prices, Sets
from shoal.refinement.bound_solver import Choice, SetProgramme, require_solver
from shoal.refinement.effort import Clock, OutOfTime

REACHED = 1e-7  # relative distance to a bound at which there is nothing left to gain
_SLACKS = (0.25, 0.5, 1.0)  # a set may cost more than its prices by so much of the scales of its records
_SETS = 3  # of each record; with fewer there is little to choose from, and the next slack is taken
_KEEP = 25  # sets of each anchor and size
_WIDTH, _NODES = 60, 3000  # candidates and choices of each anchor: the search need not be complete


def polish(
    points: ArrayLike | Points,
    labels: ArrayLike,
    k: int,
    *,
    bound: LowerBound | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Return groups of at least k that lose less than the given ones, or these if none are found.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes.
    labels
        The group of each record, every group of at least k records (subjects, where the points have them).
    k
        Minimum group size.
    bound
        What `lower_bound` said of the same points and k; sought anew if None or if it has no prices.
    seconds
        A budget of time, without which the search goes on until the choice is proven to be the best one. What is found
        within a budget is not the same every time.
    progress
        Called with the work done and the work there is at most.

    Returns
    -------
    labels
        Never with a greater loss than the given ones: sums of squared distances to means, medians and modes. Groups are
        numbered by their first records.

    Notes
    -----
    The prices that prove a bound say which sets can be part of good partitions: those that cost little more than their
    prices. Of these sets of k to 2k − 1 records, and of the groups at hand, an integer programme chooses some that
    cover every record once at the least loss (set partitioning). It ends as soon as the bound is reached.

    Examples
    --------
    >>> polish([[0.0], [1.0], [5.0], [6.0], [11.0], [12.0]], [0, 1, 0, 1, 2, 2], 2)
    array([0, 0, 1, 1, 2, 2])
    """
    points = comparable(points)
    k = require_subjects(k, points)
    start = read_labels(labels, len(points))[0]
    require_start(points, start, k)
    require_solver("polish")
    return polished(points, start, k, bound, Clock(seconds, progress)).chosen


def polished(
    points: Points,
    start: NDArray[np.int64],
    k: int,
    bound: LowerBound | None,
    clock: Clock,
    *,
    others: Sequence[NDArray[np.int32]] = (),
) -> Choice:
    """Polish as `polish` does, with ``others`` to choose from; tell also whether the time ended it."""
    before = float(_core.group_losses(points.records(), start, int(start.max()) + 1).sum())
    best, cut_short = start, False
    try:
        clock.expect(1)
        problem = BoundProblem(points, k, clock.step())
        if bound is not None and bound.prices.size == len(problem):
            prices = bound.prices / problem.unit
        else:
            prices = generate_columns(problem, ascend(problem, clock), clock)
        least = problem.worth(prices)
        if before > least * (1.0 + REACHED):
            sets = [*others, *_enough(points, k, prices, problem, clock)]
            best, cut_short = choose_groups(points, start, sets, least, clock)
    except OutOfTime:
        cut_short = True
    clock.finish()
    return Choice(equivalence_classes([best]), cut_short)


def _enough(points: Points, k: int, prices: Prices, problem: BoundProblem, clock: Clock) -> list[NDArray[np.int32]]:
    """Return the sets to choose from, by the least slack that gives enough of them."""
    for slack in _SLACKS:
        pools = list(_near(points, k, prices, problem, slack, clock))
        if sum(len(pool) for pool in pools) >= _SETS * len(points):
            break
    return pools


def _near(
    points: Points, k: int, prices: Prices, problem: BoundProblem, slack: float, clock: Clock
) -> Iterator[NDArray[np.int32]]:
    """Yield the sets of each size that are nearly worth the prices of their records, and have k subjects."""
    clock.expect(k)
    raised = prices + slack * problem.scales
    for size in range(k, min(2 * k, len(points) + 1)):
        sized = problem if size == k else BoundProblem(points, size)
        sets, _ = sized.price(raised, keep=_KEEP, width=_WIDTH, nodes=_NODES, progress=clock.step())
        rows = sets.rows
        if points.subjects.size:
            owners = np.sort(points.subjects[rows], axis=1)
            rows = rows[1 + (owners[:, 1:] != owners[:, :-1]).sum(axis=1) >= k]
        yield rows


class GroupPool:
    """Groups of partitions of the same records, and the best partition so far."""

    def __init__(self, points: Points, labels: NDArray[np.int64]) -> None:
        self.points = points
        self._seen: set[tuple[int, ...]] = set()
        self.best = labels
        self.add(labels)

    def add(self, labels: NDArray[np.int64]) -> None:
        """Add the groups of a partition. The best one is the better of both from now on, part by part."""
        self._seen.update(tuple(rows.tolist()) for rows in rows_of_each(labels))
        self.best, _, self.loss = _core.better_of(self.points.records(), self.best, labels)

    def by_size(self) -> list[NDArray[np.int32]]:
        """Return the groups as lines of rows, those of each size together, in an order that is always the same."""
        return _by_size(sorted(self._seen))

    def choose(self, least: float, clock: Clock) -> bool:
        """Make the best choice among the groups the best partition; tell whether time ended the search before."""
        labels, cut_short = choose_groups(self.points, self.best, self.by_size(), least, clock)
        self.add(labels)
        return cut_short


def choose_groups(
    points: Points, start: NDArray[np.int64], sets: Sequence[NDArray[np.int32]], least: float, clock: Clock
) -> Choice:
    """Choose labels of the sets that cover every record once and lose least together; a loss of ``least`` is enough.

    There are the groups of ``start``, which are returned if no others lose less, and ``sets``, lines of rows of one
    size each.
    """
    start_groups = _by_size(rows_of_each(start))
    before = math.fsum(float(losses_of(points, rows).sum()) for rows in start_groups)
    if before == 0.0:  # none lose less
        return Choice(start, cut_short=False)
    programme = SetProgramme(len(points))
    lines: list[NDArray[np.int32]] = []
    for rows in (*start_groups, *sets):
        programme.add(Sets(rows, losses_of(points, rows) / before))
        lines += list(rows)
    first = range(int(start.max()) + 1)  # the groups of the start come first
    target = least / before * (1.0 + REACHED)
    chosen, cut_short = programme.choose(first, target=target, seconds=clock.seconds_left, nodes=clock.nodes)
    labels = np.full(len(points), -1, dtype=np.int64)
    for number, column in enumerate(chosen):
        labels[lines[column]] = number
    covers = sum(len(lines[column]) for column in chosen) == len(points) and labels.min() >= 0
    after = math.fsum(float(losses_of(points, lines[column][None, :])[0]) for column in chosen)
    return Choice(labels if covers and after < before else start, cut_short)


def losses_of(points: Points, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return what sets of records lose, one set per line: squared distances to mean, median and mode.

    >>> losses_of(Points.of([0.0, 2.0, 10.0, 12.0]), np.array([[0, 1], [0, 3]], dtype=np.int32)).tolist()
    [2.0, 72.0]
    """
    count, size = rows.shape
    records = points.take(rows.reshape(-1).astype(np.int64))
    return _core.group_losses(records.records(), np.repeat(np.arange(count), size), count)


def _by_size(groups: Sequence[Sequence[int] | NDArray[np.int64]]) -> list[NDArray[np.int32]]:
    """Return the groups of each size as lines of rows."""
    return [
        np.array([rows for rows in groups if len(rows) == size], dtype=np.int32)
        for size in sorted({len(rows) for rows in groups})
    ]
