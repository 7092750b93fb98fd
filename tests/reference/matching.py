"""Bucket numbers and joining groups as they are written: every candidate is looked at every time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reference.average import average
from reference.distance import squared_distances
from shoal.points import Points


def match_buckets(points: Points, buckets: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Domingo-Ferrer and Soria-Comas 2017, Algorithm 1, steps 4 to 6; -1 for records in no bucket."""
    numbers = np.full(len(points), -1)
    numbers[buckets[0]] = np.arange(len(buckets[0]))
    for before, bucket in pairwise(buckets):
        free = np.sort(before)
        for record in bucket:
            match = free[squared_distances(points, free, points, int(record)).argmin()]
            numbers[record] = numbers[match]
            free = free[free != match]
    return numbers


def join_nearest(points: Points, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give records without a group the one whose average record is nearest, then lowest."""
    centres = [average(points, np.flatnonzero(labels == group)) for group in range(labels.max() + 1)]
    joined = labels.copy()
    for row in np.flatnonzero(labels == -1):
        distances = [squared_distances(centre, np.array([0]), points, int(row))[0] for centre in centres]
        joined[row] = int(np.argmin(distances))
    return joined
