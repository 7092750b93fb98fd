"""V-MDAV as it is written: everything is looked at again in every step."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reference.average import average
from reference.distance import farthest, nearest, squared_distances
from shoal.points import Points


def nearest_to_group(points: Points, rows: NDArray[np.int64], group: list[int]) -> tuple[float, int]:
    """Return the smallest distance from a record of ``rows`` to a member, and the lowest such record."""
    distances = np.min([squared_distances(points, rows, points, member) for member in group], axis=0)
    return float(distances.min()), int(rows[distances.argmin()])


def vmdav(points: Points, k: int, gain: float) -> NDArray[np.int64]:
    """Label each record with its group."""
    labels = np.full(len(points), -1)
    free = np.arange(len(points))
    centre = average(points, free)
    groups: list[list[int]] = []
    while len(free) >= k:
        e = farthest(points, free, centre)
        group = [e, *map(int, nearest(points, free, e, k - 1))]
        free = np.setdiff1d(free, group)
        while len(group) < 2 * k - 1 and len(free) > 0:
            inside, x = nearest_to_group(points, free, group)
            others = free[free != x]
            outside = squared_distances(points, others, points, x).min() if len(others) else math.inf
            if not inside < gain * gain * outside:
                break
            group.append(x)
            free = others
        labels[group] = len(groups)
        groups.append(group)
    averages = [average(points, np.sort(group)) for group in groups]
    for row in free:
        labels[row] = np.argmin([squared_distances(points, np.array([row]), place)[0] for place in averages])
    return labels
