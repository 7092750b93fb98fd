"""V-MDAV as it is written: everything is looked at again in every step."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reference.average import average
from reference.distance import farthest, nearest, squared_distances
from reference.subjects import gather, settle, subject_count, with_repeats
from shoal.points import Points


def nearest_to_group(points: Points, rows: NDArray[np.int64], group: NDArray[np.int64]) -> tuple[float, int]:
    """Return the smallest distance from a record of ``rows`` to a member, and the lowest such record."""
    distances = np.min([squared_distances(points, rows, points, member) for member in group], axis=0)
    return float(distances.min()), int(rows[distances.argmin()])


def vmdav(points: Points, k: int, gain: float) -> NDArray[np.int64]:
    """Label each record with its group."""
    labels = np.full(len(points), -1)
    free = np.arange(len(points))
    centre = average(points, free)
    while subject_count(points, free) >= k:
        e = farthest(points, free, centre)
        alone = not points.subjects.size
        group = np.append(nearest(points, free, e, k - 1), e) if alone else gather(points, free, e, k)
        free = np.setdiff1d(free, group)
        while subject_count(points, group) < 2 * k - 1 and len(free) > 0:
            inside, x = nearest_to_group(points, free, group)
            joining = with_repeats(points, free, [x])
            others = np.setdiff1d(free, joining)
            outside = squared_distances(points, others, points, x).min() if len(others) else math.inf
            if not inside < gain * gain * outside:
                break
            group = np.append(group, joining)
            free = others
        labels[group] = labels.max() + 1
    settle(points, labels)
    return labels
