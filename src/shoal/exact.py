"""Thresholds as the exact numbers that people write."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import PlanError

MAX_DENOMINATOR = 10**9


def exact(t: float | Fraction) -> Fraction:
    """Read t as the fraction a person means: 0.1 is one tenth, not the nearest binary number.

    It lies from 0 to 1. Where its denominator passes 10⁹, it is the nearest fraction whose denominator does not.

    The distance of a group is a ratio of integers, so with an exact t the question "is the group within t?" has one
    answer, whoever computes it and in whatever order.

    >>> exact(0.1), exact(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        value = t if isinstance(t, Fraction) else Fraction(repr(float(str(t))))  # of narrow numbers, too
    except (TypeError, ValueError, OverflowError):
        raise PlanError(f"t must be a number from 0 to 1, not {t!r}") from None
    if not 0 <= value <= 1:
        raise PlanError(f"t must lie from 0 to 1, not {t!r}: it is the largest distance a group may have")
    return value.limit_denominator(MAX_DENOMINATOR)
