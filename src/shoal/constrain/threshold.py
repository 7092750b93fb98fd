"""The threshold t as an exact number, and what it means for group sizes."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import PlanError
from shoal.points import require_k

MAX_DENOMINATOR = 10**9


def exact(t: float | Fraction) -> Fraction:
    """Read t as the fraction a person means: 0.1 is one tenth, not the nearest binary number.

    Parameters
    ----------
    t
        A number from 0 to 1.

    Returns
    -------
    Fraction
        The number as it is printed; where its denominator passes 10⁹, the nearest fraction that stays below.

    Notes
    -----
    The distance of a group is a ratio of integers, so with an exact t the question "is the group within t?" has one
    answer, whoever computes it and in whatever order.

    Examples
    --------
    >>> exact(0.1), exact(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        value = t if isinstance(t, Fraction) else Fraction(repr(float(t)))
    except (TypeError, ValueError, OverflowError):
        raise PlanError(f"t must be a number from 0 to 1, not {t!r}") from None
    if not 0 <= value <= 1:
        raise PlanError(f"t must lie from 0 to 1, not {t!r}: it is the largest distance a group may have")
    return value.limit_denominator(MAX_DENOMINATOR)


def cluster_size(n: int, k: int, t: float | Fraction) -> int:
    """Size of the groups that ``t_first`` forms.

    Parameters
    ----------
    n
        Number of records.
    k
        Smallest group size asked for.
    t
        Largest distance a group may have.

    Returns
    -------
    int
        The least group size, at least k, that keeps every group within t when no two records share a confidential
        value and the size divides n; then raised so that no group takes more than one record over it.

    Notes
    -----
    P1 §7: Proposition 2 solved for the size (equation 3), then equation 4 with its floor.

    Examples
    --------
    >>> [cluster_size(1080, 2, t) for t in (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)]
    [49, 10, 6, 4, 3, 3, 2]
    """
    require_k(k, n)
    share = n / (2 * (n - 1) * exact(t) + 1)
    size = max(k, -((-share.numerator) // share.denominator))
    return size + (n % size) // (n // size)


def smallest_t(n: int, k: int) -> float:
    """Least distance that a group of k among n records can have, none of them sharing a confidential value.

    Parameters
    ----------
    n
        Number of records.
    k
        Group size.

    Returns
    -------
    float
        No group of k records can be closer than this.

    Notes
    -----
    P1 Proposition 1: (n + k)(n − k) / (4n(n − 1)k).

    Examples
    --------
    >>> round(smallest_t(1080, 2), 4), smallest_t(10, 10)
    (0.1251, 0.0)
    """
    require_k(k, n)
    return (n + k) * (n - k) / (4 * n * (n - 1) * k)
