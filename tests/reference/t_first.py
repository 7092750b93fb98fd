"""Algorithm 3 of Soria-Comas et al. 2015, the extras of the middle subsets counted one by one, before the repair."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from reference.about import whose
from reference.average import average
from reference.distance import farthest, squared_distances
from shoal.points import Points


def size(n: int, k: int, t: Fraction) -> int:
    k = max(k, math.ceil(n / (2 * (n - 1) * t + 1)))
    return k + (n % k) // (n // k)


def t_first(points: Points, codes, k: int, fewest: int = 1) -> np.ndarray:
    """Groups of k and some of k + 1, see `size`; more rounds of k as long as there are fewer subjects than asked."""
    n = len(points)
    subjects = whose(points)
    order = sorted(range(n), key=lambda row: (codes[row], row))
    lengths = [n // k] * k
    middle = [k // 2] if k % 2 else [k // 2 - 1, k // 2]
    for extra in range(n % k):
        lengths[middle[extra % len(middle)]] += 1
    subsets = [[order.pop(0) for _ in range(length)] for length in lengths]
    extras = [length - n // k for length in lengths]
    labels = np.full(n, -1)
    rows = np.arange(n)

    def one_round(x):
        group = []
        for i, subset in enumerate(subsets):
            take = 1
            if extras[i] and len(group) == i:
                extras[i] -= 1
                take = 2
            for _ in range(take):
                place = np.array(sorted(subset))
                chosen = int(place[squared_distances(points, place, points, x).argmin()])
                subset.remove(chosen)
                group.append(chosen)
        return group

    def generate(x):
        group = one_round(x)
        while len({subjects[row] for row in group}) < fewest and subsets[0]:
            group += one_round(x)
        return group

    while len(rows):
        x0 = farthest(points, rows, average(points, rows))
        for step in range(2):
            if not len(rows):
                break
            x = x0 if step == 0 else farthest(points, rows, points, x0)
            group = generate(x)
            labels[group] = labels.max() + 1
            rows = np.setdiff1d(rows, group)
    return labels
