"""Algorithm 2 of Soria-Comas et al. 2015 as it is written, with subjects counted, before the repair."""

from __future__ import annotations

import numpy as np

from reference.about import whose
from reference.average import average
from reference.distance import farthest, nearest, squared_distances
from reference.matching import join_nearest
from shoal.points import Points

ALONG = 0.5625
"""Further records of a group's subjects come along within three quarters of its radius: this is the square."""


def k_first(points: Points, k: int, rules) -> np.ndarray:
    """Rules are triples (distance, values, t). What is left by fewer than k subjects joins the nearest groups."""
    labels = np.full(len(points), -1)
    for number, group in enumerate(groups(points, k, rules)):
        labels[group] = number
    return join_nearest(points, labels)


def groups(points: Points, k: int, rules):
    """Each group as it is formed."""
    rows = np.arange(len(points))
    subjects = whose(points)

    def distinct(group):
        return len({subjects[r] for r in group})

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
        count = next(i for i in range(len(outward) + 1) if distinct(outward[:i]) == k)
        radius = squared_distances(points, np.array([outward[count - 1]]), points, x)[0]
        group = []
        for i, row in enumerate(outward[:count]):
            fresh = subjects[row] not in {subjects[r] for r in outward[:i]}
            if fresh or squared_distances(points, np.array([row]), points, x)[0] < ALONG * radius:
                group.append(row)
        candidates = [row for row in outward if row not in group]
        while not within(group) and candidates and len(group) <= 32 * k:
            y = candidates.pop(0)
            others = {leaving: [*(r for r in group if r != leaving), y] for leaving in group}
            swapped = [(worst(swap), leaving) for leaving, swap in others.items() if distinct(swap) >= k]
            best, leaving = min(swapped, default=(None, None))
            if leaving is not None and best < worst(group):
                group = others[leaving]
        return group

    while distinct(rows) >= k:
        x0 = farthest(points, rows, average(points, rows))
        for step in range(2):
            if distinct(rows) < k:
                break
            x = x0 if step == 0 else farthest(points, rows, points, x0)
            group = generate(x)
            rows = np.setdiff1d(rows, group)
            yield group
