"""Estimators of population uniques by their definitions: plain sums, exact fractions, a search over a grid."""

from __future__ import annotations

import math
from fractions import Fraction


def expected_risk(f, p, most=6000):
    """Sum (1/F)·P(F | f) over the people that a class may have."""
    total, chance = 0.0, p**f  # P(F = f)
    for people in range(f, most):
        total += chance / people
        chance *= (1 - p) * people / (people - f + 1)
    return total


def zayatz(sizes, population):
    """Apply Bayes' rule with exact hypergeometric probabilities."""
    n, classes = sum(sizes), len(sizes)
    uniques = sizes.count(1)

    def seen_once(size):
        return Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))

    total = sum(Fraction(sizes.count(size), classes) * seen_once(size) for size in set(sizes))
    return float(uniques * Fraction(uniques, classes) * seen_once(1) / total * Fraction(population, n))


def pitman_likelihood(sizes, theta, alpha):
    """Add up the logarithms of Pitman's sampling formula one by one."""
    return (
        sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
        - sum(math.log(theta + i) for i in range(1, sum(sizes)))
        + sum(math.log(i - alpha) for size in sizes for i in range(1, size))
    )


def slide_negative_binomial_moments(alpha, beta, fraction, most=4000):
    """Expect uniques and pairs of a sample by summing over the sizes of a class: 1 + negative binomial."""
    once = twice = 0.0
    chance = beta**alpha
    for size in range(1, most):
        once += chance * size * fraction * (1 - fraction) ** (size - 1)
        twice += chance * math.comb(size, 2) * fraction**2 * (1 - fraction) ** max(0, size - 2)
        chance *= (1 - beta) * (alpha + size - 1) / size
    return once, twice
