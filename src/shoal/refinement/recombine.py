"""Recombination: the best partition whose groups all come from partitions at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.labels import rows_of_each
from shoal.points import Points
from shoal.refinement.bound_problem import Sets
from shoal.refinement.bound_solver import Choice, SetProgramme
from shoal.refinement.effort import Clock

REACHED = 1e-7  # relative distance to a bound at which there is nothing left to gain


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
