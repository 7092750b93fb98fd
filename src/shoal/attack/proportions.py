"""Intervals for proportions and for differences of two of them."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95
"""The confidence of every interval of an attack."""

Interval = tuple[float, float]


def wilson(successes: float, tried: int, *, level: float = LEVEL) -> Interval:
    """Return the score interval of a proportion.

    Parameters
    ----------
    successes
        How many attempts succeeded, in expectation where ties were split.
    tried
        How many there were, at least one.
    level
        The confidence.

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


def above_known(successes: float, tried: int, known: float, *, level: float = LEVEL) -> Interval:
    """Return the interval of a proportion minus a rate that is known exactly.

    Examples
    --------
    >>> [round(end, 4) for end in above_known(3, 10, 0.2)]
    [-0.0922, 0.4032]
    """
    low, high = wilson(successes, tried, level=level)
    return low - known, high - known


def newcombe(first: float, of_first: int, second: float, of_second: int, *, level: float = LEVEL) -> Interval:
    """Return the interval of the difference of two independent proportions, from the score interval of each.

    Parameters
    ----------
    first, of_first
        Successes and attempts on one side.
    second, of_second
        The same on the other, which is subtracted.
    level
        The confidence.

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
