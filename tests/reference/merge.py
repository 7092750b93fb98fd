"""Merging as it is written: every group is judged and every centroid computed anew in every step."""

from __future__ import annotations

import numpy as np

from reference.average import average
from reference.distance import squared_distances
from shoal.points import Points


def merge(points: Points, labels, rules) -> np.ndarray:
    """Rules are pairs (judge, values): see reference.constraints."""
    groups = [np.flatnonzero(np.asarray(labels) == g) for g in range(max(labels) + 1)]

    def verdict(rows):
        found = [judge([values[row] for row in rows], list(values)) for judge, values in rules]
        return max(shortfall for shortfall, _ in found), all(kept for _, kept in found)

    while len(groups) > 1:
        verdicts = [verdict(rows) for rows in groups]
        failing = [g for g in range(len(groups)) if not verdicts[g][1]]
        if not failing:
            break
        worst = max(failing, key=lambda g: (verdicts[g][0], -g))
        centroids = [average(points, rows) for rows in groups]
        others = [g for g in range(len(groups)) if g != worst]
        distances = [squared_distances(centroids[g], np.array([0]), centroids[worst])[0] for g in others]
        near = others[int(np.argmin(distances))]
        kept, gone = min(worst, near), max(worst, near)
        groups[kept] = np.union1d(groups[kept], groups[gone])
        del groups[gone]
    result = np.empty(len(points), dtype=np.int64)
    for number, rows in enumerate(groups):
        result[rows] = number
    return result
