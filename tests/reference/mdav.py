"""MDAV-generic as it is written: everything is looked at again in every step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.average import average
from reference.distance import farthest, nearest
from shoal.points import Points


def mdav(points: Points, k: int) -> NDArray[np.int64]:
    """Label each record with its group."""
    labels = np.full(len(points), -1)
    rows = np.arange(len(points))

    def form_group(row: int) -> None:
        nonlocal rows
        group = np.append(nearest(points, rows, row, k - 1), row)
        labels[group] = labels.max() + 1
        rows = np.setdiff1d(rows, group)

    while len(rows) >= 3 * k:
        r = farthest(points, rows, average(points, rows))
        form_group(r)
        s = farthest(points, rows, points, r)
        form_group(s)
    if len(rows) >= 2 * k:
        form_group(farthest(points, rows, average(points, rows)))
    labels[rows] = labels.max() + 1
    return labels
