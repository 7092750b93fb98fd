"""The records that cost most: which to drop of groups, so that most squared error is saved for each."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.masking.centroids import group_averages
from shoal.points import Points


def costliest(
    points: Points,
    labels: NDArray[np.int64],
    most: int,
    *,
    k: int,
    subjects: NDArray[np.integer[Any]],
    domains: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the rows whose loss saves most, each time that which saves most for a record dropped.

    Parameters
    ----------
    points, labels
        The records as they are compared, and their groups.
    most
        How many may go.
    k
        Subjects that a group keeps, unless it goes as a whole.
    subjects, domains
        Whom each record is about, and the domain it belongs to: its last group stays.
    """
    groups = _Groups(points, labels, k, subjects)
    where = np.zeros(len(labels), dtype=np.int64) if domains is None else np.unique(domains, return_inverse=True)[1]
    left_in = np.bincount([where[rows[0]] for rows in groups.rows])
    heap = [offer for group in range(len(groups.rows)) for offer in groups.offers(group)]
    heapq.heapify(heap)
    gone: list[int] = []
    while heap and len(gone) < most:
        gain, row, group, whole, version = heapq.heappop(heap)
        if version != groups.versions[group] or gain >= 0:
            continue
        rows = groups.rows[group]
        if whole:
            if len(gone) + len(rows) <= most and left_in[where[row]] > 1:
                gone += rows.tolist()
                left_in[where[row]] -= 1
                groups.leave(group, rows[:0])
        else:
            gone.append(row)
            groups.leave(group, rows[rows != row])
            for offer in groups.offers(group):
                heapq.heappush(heap, offer)
    return np.array(gone, dtype=np.int64)


Offer = tuple[float, int, int, bool, int]
"""What a drop costs less than nothing for each record, the first row, the group, whether all of it, and its version."""


class _Groups:
    """Groups that lose records, and what they offer to lose next."""

    def __init__(self, points: Points, labels: NDArray[np.int64], k: int, subjects: NDArray[np.integer[Any]]) -> None:
        self.points, self.k, self.subjects = points, k, subjects
        order = np.argsort(labels, kind="stable")
        self.rows = np.split(order, np.cumsum(np.bincount(labels))[:-1])
        self.versions = [0] * len(self.rows)
        distances = _squared_distances(points, labels)
        self._error = np.bincount(labels, distances.numbers + distances.categories)
        self._savings = savings(points, labels)

    def leave(self, group: int, rows: NDArray[np.int64]) -> None:
        """Let a group have these rows alone."""
        self.rows[group] = rows
        self.versions[group] += 1
        if len(rows):
            left, one = self.points.take(rows), np.zeros(len(rows), dtype=np.int64)
            self._error[group] = squared_error(left, one)
            self._savings[rows] = savings(left, one)

    def offers(self, group: int) -> Iterator[Offer]:
        """Return the whole group, and its costliest record where k subjects stay without it."""
        rows, version = self.rows[group], self.versions[group]
        yield -float(self._error[group]) / len(rows), int(rows[0]), group, True, version
        spare = rows[self._spare(rows)] if len(rows) > self.k else rows[:0]
        if len(spare):
            best = int(spare[np.argmax(self._savings[spare])])
            yield -float(self._savings[best]), best, group, False, version

    def _spare(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which records of a group can go: those of its subjects that are not needed for k."""
        _, whom, records = np.unique(self.subjects[rows], return_inverse=True, return_counts=True)
        again = (records[whom] > 1) & (len(records) >= self.k)
        spare: NDArray[np.bool_] = again | (len(records) > self.k)
        return spare


def savings(points: Points, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the squared error of its group loses without each record.

    Notes
    -----
    Without x the error of n points falls by n / (n - 1) times its squared distance from their mean. The median rank and
    the commonest category are taken to stay.
    """
    sizes = np.bincount(labels)
    distances = _squared_distances(points, labels)
    alone = sizes[labels] == 1
    factor = sizes[labels] / np.where(alone, 1, sizes[labels] - 1)
    return np.where(alone, 0.0, distances.numbers * factor + distances.categories)


def squared_error(points: Points, labels: NDArray[np.int64]) -> float:
    """Return the squared distances of all records from the average of their group."""
    distances = _squared_distances(points, labels)
    return float(distances.numbers.sum() + distances.categories.sum())


@dataclass(frozen=True, eq=False)
class _SquaredDistances:
    """The squared distance of each record from its group's average: in numbers, and in categories."""

    numbers: NDArray[np.float64]
    categories: NDArray[np.float64]


def _squared_distances(points: Points, labels: NDArray[np.int64]) -> _SquaredDistances:
    centres = group_averages(points, labels)
    numbers = ((points.coords - centres.coords[labels]) ** 2).sum(axis=1)
    steps = (points.ranks - centres.ranks[labels]) * points.rank_steps
    differ = (points.codes != centres.codes[labels]) * points.code_weights
    return _SquaredDistances(numbers, (steps**2).sum(axis=1) + differ.sum(axis=1))
