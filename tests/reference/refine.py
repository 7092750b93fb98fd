"""What groups lose, what moves of refinement change, and the better of two partitions, as the definitions read."""

from __future__ import annotations

import math

import numpy as np

from reference.average import average
from reference.distance import squared_distances
from shoal.points import Points


def loss(points: Points, rows) -> float:
    """Squared distances of some records to what stands for them."""
    rows = np.asarray(rows, dtype=np.int64)
    return math.fsum(squared_distances(points, rows, average(points, rows))) if len(rows) else 0.0


def losses(points: Points, labels) -> list[float]:
    """Loss of each group."""
    return [loss(points, np.flatnonzero(labels == group)) for group in range(labels.max() + 1)]


def joining(points: Points, labels, row: int, group: int) -> float:
    """What a group loses more with another record."""
    members = [*np.flatnonzero(labels == group)]
    return loss(points, [*members, row]) - loss(points, members)


def leaving(points: Points, labels, row: int) -> float:
    """What a record's group loses more without it."""
    members = np.flatnonzero(labels == labels[row])
    return loss(points, members[members != row]) - loss(points, members)


def exchanging(points: Points, labels, row: int, other: int) -> float:
    """What two groups lose more when two of their records change places."""
    changed = labels.copy()
    changed[[row, other]] = labels[[other, row]]
    touched = (labels[row], labels[other])
    return sum(
        loss(points, np.flatnonzero(changed == group)) - loss(points, np.flatnonzero(labels == group))
        for group in touched
    )


def better_of(points: Points, first, second):
    """Take each set of records that no group of either partition leaves from the partition that loses less on it."""
    part = np.arange(len(first))
    while True:
        merged = part.copy()
        for labels in (first, second):
            for group in range(labels.max() + 1):
                merged[labels == group] = merged[labels == group].min()
        if np.array_equal(merged, part):
            break
        part = merged
    chosen = np.empty(len(first), dtype=object)
    for number in np.unique(part):
        rows = np.flatnonzero(part == number)
        old, new = (
            math.fsum(loss(points, np.flatnonzero(labels == group)) for group in np.unique(labels[rows]))
            for labels in (first, second)
        )
        use_second = new < old * (1 - 1e-12)
        for row in rows:
            chosen[row] = (use_second, (second if use_second else first)[row])
    numbers = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in chosen])


def outside_in(points: Points, lists, k: int):
    """Groups of k from lists of near records, farthest from the average first; -1 for records that are left."""
    numbers = np.column_stack([points.coords, points.ranks * points.rank_steps])
    away = np.square(numbers - numbers.mean(axis=0)).sum(axis=1)
    labels = np.full(len(points), -1)
    for row in sorted(range(len(points)), key=lambda row: (-away[row], row)):
        free = [other for other in lists[row] if labels[other] < 0 and other != row]
        if labels[row] < 0 and len(free) >= k - 1:
            labels[[row, *free[: k - 1]]] = labels.max() + 1
    return labels
