"""Group operators as their definitions read, one group at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def mean(values, weights=None):
    weights = [1] * len(values) if weights is None else weights
    total = sum(Fraction(float(w)) * Fraction(float(v)) for v, w in zip(values, weights, strict=True))
    return float(total / sum(Fraction(float(w)) for w in weights))


def median(values):
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2]


def modes(codes):
    best = max(list(codes).count(code) for code in codes)
    return {code for code in codes if list(codes).count(code) == best}


def convex_median(ranks, levels):
    frequency = [list(ranks).count(c) for c in range(levels)]
    convex = [min(max(frequency[: c + 1]), max(frequency[c:])) for c in range(levels)]
    return median([c for c in range(levels) for _ in range(convex[c])])


def by_group(operator, values, labels, *extra):
    count = int(labels.max()) + 1
    return np.array([operator(values[labels == g], *[e[labels == g] for e in extra]) for g in range(count)])
