"""t-closeness by steering as it is written: buckets, numbers, MDAV on both, the surplus to the nearest group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reference import matching, mdav
from shoal.points import Points


def buckets(values, count: int) -> list[NDArray[np.int64]]:
    """Cut records into buckets of equal size by value, then row, without the surplus in the middle of the order."""
    order = sorted(range(len(values)), key=lambda row: (values[row], row))
    surplus = len(order) % count
    middle = (len(order) - surplus) // 2
    kept = order[:middle] + order[middle + surplus :]
    size = len(kept) // count
    return [np.sort(kept[i * size : (i + 1) * size]) for i in range(count)]


def steered(points: Points, values, count: int, weight: float) -> NDArray[np.int64]:
    """Domingo-Ferrer and Soria-Comas 2017, Algorithm 1 from step 3 on, with ``count`` buckets and without repair."""
    n = len(points)
    numbers = matching.match_buckets(points, buckets(values, count))
    rows = np.flatnonzero(numbers >= 0)
    added = Points.of(numbers[rows] * (weight / max(n // count - 1, 1)))
    labels = np.full(n, -1)
    records = replace(points.take(rows).joined(added), subjects=np.empty(0, dtype=np.int32))  # a bucket gives one each
    labels[rows] = mdav.mdav(records, count)
    return matching.join_nearest(points, labels)


def numbered(points: Points, values, count: int) -> NDArray[np.int64]:
    """Take the numbers for the groups, as they are with every weight that keeps them apart."""
    return matching.join_nearest(points, matching.match_buckets(points, buckets(values, count)))
