"""What sets of records cost, the sets that cost less than their prices, and the best partition: all of them tried."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from reference.operators import convex_median
from shoal.points import Points


def pair(points: Points, size: int, a: int, b: int) -> float:
    """What a pair of records adds to ``size`` times the cost of a set, at least."""
    total = float(np.sum((points.coords[a] - points.coords[b]) ** 2))
    total += float(np.sum(((points.ranks[a] - points.ranks[b]) * points.rank_steps) ** 2))
    differ = points.codes[a] != points.codes[b]
    return total + float(np.sum(points.code_weights[differ])) * size / (size - 1)


def least_cost(points: Points, rows: tuple[int, ...]) -> float:
    """The cost of a set whatever stands for it: deviations from mean and best whole rank, records without the mode."""
    total = sum(_squares(points.coords[list(rows), j]) for j in range(points.coords.shape[1]))
    for j, step in enumerate(points.rank_steps):
        ranks = points.ranks[list(rows), j]
        total += step**2 * min(float(np.sum((ranks - r) ** 2)) for r in range(ranks.min(), ranks.max() + 1))
    return total + _uncommon(points, rows)


def loss(points: Points, rows: tuple[int, ...]) -> float:
    """The loss of a group: squared distances to its mean, median or convex median, and mode."""
    total = sum(_squares(points.coords[list(rows), j]) for j in range(points.coords.shape[1]))
    for j, step in enumerate(points.rank_steps):
        ranks = points.ranks[list(rows), j]
        levels = int(points.rank_levels[j])
        middle = convex_median(ranks, levels) if points.rank_convex[j] else statistics.median_low(ranks.tolist())
        total += step**2 * float(np.sum((ranks - middle) ** 2))
    return total + _uncommon(points, rows)


def _squares(values: np.ndarray) -> float:
    exact = [Fraction(value) for value in values.tolist()]
    mean = sum(exact) / len(exact)
    return float(sum((value - mean) ** 2 for value in exact))


def _uncommon(points: Points, rows: tuple[int, ...]) -> float:
    return sum(
        float(weight) * (len(rows) - Counter(points.codes[list(rows), j].tolist()).most_common(1)[0][1])
        for j, weight in enumerate(points.code_weights)
    )


def reduced_costs(points: Points, size: int, prices: np.ndarray) -> dict[tuple[int, ...], float]:
    """The cost of every set beyond the prices of its records."""
    return {
        rows: least_cost(points, rows) - math.fsum(prices[list(rows)])
        for rows in combinations(range(len(points)), size)
    }


def anchor(prices: np.ndarray, rows: tuple[int, ...]) -> int:
    """The record a set belongs to: that of the greatest price, then the lowest row."""
    return min(rows, key=lambda row: (-prices[row], row))


def raise_prices(sets, costs, scales, caps, prices, smoothing, sweeps):
    """Smoothed coordinate ascent, one record after the other, to and fro."""
    prices = prices.copy()
    members = [[t for t, rows in enumerate(sets) if i in rows] for i in range(len(prices))]
    for sweep in range(sweeps):
        for i in range(len(prices)) if sweep % 2 == 0 else reversed(range(len(prices))):
            for _ in range(3):
                exponents = [(prices[i] - caps[i]) / (smoothing * scales[i])]
                inverses = [1 / (smoothing * scales[i])]
                for t in members[i]:
                    inverse = len(sets[t]) / (smoothing * sum(scales[j] for j in sets[t]))
                    exponents.append((sum(prices[j] for j in sets[t]) - costs[t]) * inverse)
                    inverses.append(inverse)
                greatest = max(exponents)
                shares = [math.exp(e - greatest) for e in exponents]
                excess = greatest + math.log(sum(shares))
                slope = sum(share * inverse for share, inverse in zip(shares, inverses, strict=True))
                prices[i] -= excess * sum(shares) / slope
                if abs(excess) < 0.3:
                    break
    return prices


def partitions(rows: tuple[int, ...], k: int) -> Iterator[list[tuple[int, ...]]]:
    """Every partition of some records into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(k - 1, len(rest) + 1):
        if 0 < len(rest) - size < k:
            continue
        for others in combinations(rest, size):
            left = tuple(row for row in rest if row not in others)
            for groups in partitions(left, k):
                yield [(first, *others), *groups]


def least_loss(points: Points, k: int) -> float:
    """The loss of the best partition, by trying all of them."""
    known: dict[tuple[int, ...], float] = {}

    def of(group: tuple[int, ...]) -> float:
        if group not in known:
            known[group] = loss(points, group)
        return known[group]

    return min(sum(of(group) for group in groups) for groups in partitions(tuple(range(len(points))), k))
