"""What the threshold t means for group sizes."""

from __future__ import annotations

from fractions import Fraction

from shoal.points import require_k
from shoal.steer import bucket_count


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
    Soria-Comas et al. 2015, section 7: Proposition 2 solved for the size (equation 3), then equation 4 with its floor.

    Examples
    --------
    >>> [cluster_size(1080, 2, t) for t in (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)]
    [49, 10, 6, 4, 3, 3, 2]
    """
    size = bucket_count(n, k, t)
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
    Soria-Comas et al. 2015, Proposition 1: (n + k)(n − k) / (4n(n − 1)k).

    Examples
    --------
    >>> round(smallest_t(1080, 2), 4), smallest_t(10, 10)
    (0.1251, 0.0)
    """
    k = require_k(k, n)
    return (n + k) * (n - k) / (4 * n * (n - 1) * k)
