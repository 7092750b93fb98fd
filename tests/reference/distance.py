"""Squared distances in the order every kernel keeps, and what is nearest or farthest by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


def squared_distances(points: Points, rows: NDArray[np.int64], place: Points, row: int = 0) -> NDArray[np.float64]:
    """Squared distance of each of ``rows`` to record ``row`` of ``place``."""
    total = np.zeros(len(rows))
    for j in range(points.coords.shape[1]):
        total += (place.coords[row, j] - points.coords[rows, j]) ** 2
    for j, step in enumerate(points.rank_steps):
        total += (place.ranks[row, j] * step - points.ranks[rows, j] * step) ** 2
    for j, weight in enumerate(points.code_weights):
        total += np.where(points.codes[rows, j] == place.codes[row, j], 0.0, weight)
    return total


def farthest(points: Points, rows: NDArray[np.int64], place: Points, row: int = 0) -> int:
    """Greatest distance, then lowest row (``rows`` ascend, and argmax takes the first)."""
    return int(rows[squared_distances(points, rows, place, row).argmax()])


def nearest(points: Points, rows: NDArray[np.int64], row: int, count: int) -> NDArray[np.int64]:
    """Return the ``count`` nearest others to ``row``: smallest distance, then lowest row."""
    others = rows[rows != row]
    order = np.lexsort((others, squared_distances(points, others, points, row)))
    return others[order[:count]]
