"""Intervals for proportions and for differences of two of them."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95
"""The confidence of every interval of an attack."""

Interval = tuple[float, float]

_TERMS, _CLOSE = 100_000, 1e-13
"""Of the continued fraction of the beta distribution: the most terms, and where it ends; terms grow as √tried."""


def wilson(successes: float, tried: int, *, level: float = LEVEL) -> Interval:
    """Return the score interval of a proportion.

    Notes
    -----
    Wilson 1927. Where successes are chances between 0 and 1, their variance is at most that of yes and no with the same
    mean, so that the interval is no shorter than it must be.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(3, 10)]
    [0.1078, 0.6032]
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = successes / tried
    centre = p + z * z / (2 * tried)
    reach = z * math.sqrt(max(p * (1 - p), 0.0) / tried + z * z / (4 * tried * tried))
    unit = 1 + z * z / tried
    return max(0.0, (centre - reach) / unit), min(1.0, (centre + reach) / unit)


def exact(successes: float, tried: int, *, level: float = LEVEL) -> Interval:
    """Return the interval of a proportion that holds it at least as often as it says, however rare successes are.

    Notes
    -----
    Clopper and Pearson 1934, between successes by the beta distribution. Of a chance of 1/n in n attempts the score
    interval lies above it in 8 % of the cases instead of 2.5 %: three successes, where one is expected, are enough.

    Examples
    --------
    >>> [round(end, 4) for end in exact(3, 10)]
    [0.0667, 0.6525]
    """
    tail, failures = (1 - level) / 2, tried - successes
    low = _beta_quantile(tail, successes, failures + 1) if successes > 0 else 0.0
    high = 1 - _beta_quantile(tail, failures, successes + 1) if failures > 0 else 1.0
    return low, high


def above_known(successes: float, tried: int, known: float, *, level: float = LEVEL) -> Interval:
    """Return the interval of a proportion minus a rate that is known exactly.

    >>> [round(end, 4) for end in above_known(3, 10, 0.2)]
    [-0.1333, 0.4525]
    """
    low, high = exact(successes, tried, level=level)
    return low - known, high - known


def newcombe(first: float, of_first: int, second: float, of_second: int, *, level: float = LEVEL) -> Interval:
    """Return the interval of the difference of two independent proportions, from the score interval of each.

    Notes
    -----
    Newcombe 1998, method 10.

    Examples
    --------
    His first example, 56 of 70 against 48 of 80:

    >>> [round(end, 4) for end in newcombe(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    p, q = first / of_first, second / of_second
    (low, high), (least, most) = wilson(first, of_first, level=level), wilson(second, of_second, level=level)
    return p - q - math.hypot(p - low, most - q), p - q + math.hypot(high - p, q - least)


def _beta_quantile(share: float, a: float, b: float) -> float:
    """Return the value that a beta distributed number stays below with a small probability."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _beta_below(middle, a, b) < share else (low, middle)
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """Return the probability that a beta distributed number is at most x, by the continued fraction of its tail."""
    if x > (a + 1) / (a + b + 2):  # where the fraction converges faster
        return 1 - _beta_below(1 - x, b, a)
    ends = a * math.log(x) + b * math.log1p(-x) if x > 0 else -math.inf
    front = math.exp(ends + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return front * value
