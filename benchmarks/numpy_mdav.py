"""MDAV in vectorised NumPy, as a careful user would write it: what the kernels are measured against.

No exact sums, no rule for ties: it does what it must and no more. Coordinates are kept column by column without the
records that have left, a distance is a few passes over contiguous arrays, and the nearest are found by partition.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def squared_distances(columns: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distance of every record (a column of ``columns``) to a place."""
    total: NDArray[np.float64] = columns[0] - place[0]
    total *= total
    for column, value in zip(columns[1:], place[1:], strict=True):
        difference = column - value
        difference *= difference
        total += difference
    return total


def mdav(points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Label each record with its group."""
    columns = np.ascontiguousarray(points.T)
    rows = np.arange(len(points))
    labels = np.empty(len(points), dtype=np.int64)
    formed = 0

    def form_group(distances: NDArray[np.float64]) -> None:
        nonlocal columns, rows, formed
        group = np.argpartition(distances, k - 1)[:k]
        labels[rows[group]] = formed
        formed += 1
        left = np.ones(len(rows), dtype=bool)
        left[group] = False
        columns, rows = columns[:, left], rows[left]

    while len(rows) >= 3 * k:
        r = columns[:, squared_distances(columns, columns.mean(axis=1)).argmax()]
        form_group(squared_distances(columns, r))
        s = columns[:, squared_distances(columns, r).argmax()]
        form_group(squared_distances(columns, s))
    if len(rows) >= 2 * k:
        r = columns[:, squared_distances(columns, columns.mean(axis=1)).argmax()]
        form_group(squared_distances(columns, r))
    labels[rows] = formed
    return labels
