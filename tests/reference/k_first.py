"""Algorithm 2 of Soria-Comas et al. 2015 as it is written, before the repair."""

from __future__ import annotations

import numpy as np

from reference.average import average
from reference.distance import farthest, nearest
from shoal.points import Points


def k_first(points: Points, k: int, rules) -> np.ndarray:
    """Rules are triples (distance, values, t)."""
    labels = np.full(len(points), -1)
    for number, group in enumerate(groups(points, k, rules)):
        labels[group] = number
    return labels


def groups(points: Points, k: int, rules):
    """Each group as it is formed."""
    rows = np.arange(len(points))

    def worst(group):
        """Distance of the group; with several attributes, the largest relative to its t."""
        found = [(distance([values[r] for r in group], values), t) for distance, values, t in rules]
        if len(found) == 1:
            return found[0][0]
        return max(float(distance) / max(float(t), 1e-9) for distance, t in found)

    def within(group):
        return all(distance([values[r] for r in group], values) <= t for distance, values, t in rules)

    def generate(x):
        if len(rows) < 2 * k:
            return rows
        outward = [x, *nearest(points, rows, x, len(rows))]
        group, candidates = outward[:k], outward[k:]
        while not within(group) and candidates:
            y = candidates.pop(0)
            swapped = [(worst([*(r for r in group if r != leaving), y]), leaving) for leaving in group]
            best, leaving = min(swapped)
            if best < worst(group):
                group = [*(r for r in group if r != leaving), y]
        return group

    while len(rows):
        x0 = farthest(points, rows, average(points, rows))
        for step in range(2):
            if not len(rows):
                break
            x = x0 if step == 0 else farthest(points, rows, points, x0)
            group = generate(x)
            rows = np.setdiff1d(rows, group)
            yield group
