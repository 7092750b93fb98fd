"""The average record, attribute by attribute, from the records themselves."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


def median(counts: NDArray[np.int64]) -> int:
    """Lower median of a histogram of ranks."""
    ranks = np.repeat(np.arange(len(counts)), counts)
    return int(ranks[(len(ranks) - 1) // 2])


def convex(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Lift each frequency to the smaller of the greatest at or below it and the greatest at or above it."""
    return np.array([min(counts[: i + 1].max(), counts[i:].max()) for i in range(len(counts))])


def average(points: Points, rows: NDArray[np.int64]) -> Points:
    """Return the average record of ``rows`` as points of one record."""
    coords = [math.fsum(column) / len(rows) for column in points.coords[rows].T]
    ranks = []
    for j, levels in enumerate(points.rank_levels):
        counts = np.bincount(points.ranks[rows, j], minlength=levels)
        ranks.append(median(convex(counts) if points.rank_convex[j] else counts))
    codes = [
        int(np.bincount(points.codes[rows, j], minlength=levels).argmax())
        for j, levels in enumerate(points.code_levels)
    ]
    return Points.build(
        coords=[coords],
        ranks=[ranks],
        rank_steps=points.rank_steps,
        rank_levels=points.rank_levels,
        rank_convex=points.rank_convex,
        codes=[codes],
        code_weights=points.code_weights,
        code_levels=points.code_levels,
    )
