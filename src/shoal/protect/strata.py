"""Strata: what t means for group sizes, how many subsets of an attribute a group draws from, and which records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.exact import exact
from shoal.kinds.hierarchy import meeting_height
from shoal.points import require_k
from shoal.protect.confidential import Confidential
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


def strata_count(attribute: Confidential, k: int, t: float | Fraction) -> int:
    """Return how many records of how many subsets make a group of `t_first`.

    For ordered values it is `cluster_size`, which knows nothing of ties. For categories it is the size, at least that,
    from which one record of each subset is within t whatever the records are; if half the table is not enough,
    `cluster_size` again.

    Soria-Comas et al. 2015 has Proposition 2 for ordered values without ties. Categories in the order of the codes fill
    most subsets alone. Where a subset is mixed, the record that is drawn stands for all of it and its mass moves: at
    most 1 − (smallest share in the subset), over at most the height at which its first and last category meet.

    >>> strata_count(Confidential.ordered(np.arange(100.0)), 2, 0.1)
    5
    >>> strata_count(Confidential.nominal(["a", "b", "c"] * 100), 2, 0.1)
    12
    """
    n = len(attribute)
    least = cluster_size(n, k, t)
    if attribute.distance == "ordered":
        return least
    threshold = exact(t)
    short = enough = least
    while 2 * enough <= n and bound(attribute, enough) > threshold:
        short, enough = enough, 2 * enough
    if 2 * enough > n:
        return least
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if bound(attribute, middle) <= threshold else (middle, enough)
    grown = enough + (n % enough) // (n // enough)
    return grown if bound(attribute, grown) <= threshold else least


def bound(attribute: Confidential, count: int) -> Fraction:
    """Bound the distance of any group with one record of each of ``count`` subsets of categories, or one more."""
    categories = np.cumsum(np.bincount(attribute.codes))
    sizes = subset_sizes(len(attribute), count)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    cuts = np.union1d(categories, ends)  # where a piece of one category in one subset ends
    pieces = np.diff(cuts, prepend=0)
    smallest = np.minimum.reduceat(pieces, np.searchsorted(cuts, starts, side="right"))
    moved = Fraction(0)
    for subset in np.flatnonzero(smallest < sizes):
        first, last = np.searchsorted(categories, [starts[subset], ends[subset] - 1], side="right")
        height = meeting_height(attribute.parents, attribute.climbs, int(first), int(last))
        moved += Fraction(height, attribute.height) * (1 - Fraction(int(smallest[subset]), int(sizes[subset])))
    extra = Fraction(1, count + 1) if len(attribute) % count else 0
    return moved / count + extra


def subset_sizes(n: int, count: int, size: int | None = None) -> NDArray[np.int64]:
    """Return the sizes of ``count`` subsets of n records, equal or given, with the rest in the middle one or two."""
    sizes = np.full(count, n // count if size is None else size)
    rest = n - int(sizes.sum())
    less = rest // 2
    sizes[(count - 1) // 2] += rest - less
    sizes[count // 2] += less
    return sizes


def nested_counts(attributes: Sequence[Confidential], k: int, t: Sequence[float | Fraction]) -> list[int]:
    """Return how many subsets each attribute is cut into inside those of the one before, for as many as fit n."""
    n = len(attributes[0])
    counts = [strata_count(attributes[0], k, t[0])]
    for attribute, each in zip(attributes[1:], t[1:], strict=True):
        longer = [*counts, strata_count(attribute, 2, each)]
        # No group may take more than one record over its size, and there should be two groups.
        while n % math.prod(longer) >= n // math.prod(longer) > 1:
            longer[0] += 1
        if 2 * math.prod(longer) > n:
            break
        counts = longer
    return counts


def nested_subsets(attributes: Sequence[Confidential], counts: Sequence[int]) -> NDArray[np.int32]:
    """Cut the records by the first attribute, each subset by the second, and so on.

    A group with one record of each innermost subset is spread over the first attribute as if cut by it alone, and
    inside each part over the second; so it is over the second as a whole, however the two depend on each other. All
    innermost subsets have n div (product of counts) records, the rest joins the middle ones.
    """
    n, inside = len(attributes[0]), math.prod(counts)
    size = n // inside
    cells = [np.arange(n)]
    for attribute, count in zip(attributes, counts, strict=True):
        inside //= count  # innermost subsets in each subset of this attribute
        parts = []
        for cell in cells:
            order = cell[np.argsort(attribute.codes[cell], kind="stable")]
            parts += np.split(order, np.cumsum(subset_sizes(len(cell), count, size * inside))[:-1])
        cells = parts
    subset_of = np.empty(n, dtype=np.int32)
    for number, cell in enumerate(cells):
        subset_of[cell] = number
    return subset_of
