"""Strata: how many subsets of a confidential attribute a group draws from, and which record is in which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.exact import exact
from shoal.kinds.hierarchy import meeting_height
from shoal.protect.confidential import Confidential
from shoal.protect.threshold import cluster_size


def strata_count(attribute: Confidential, k: int, t: float | Fraction) -> int:
    """Return how many records of how many subsets make a group of `t_first`.

    Returns
    -------
    int
        For ordered values `cluster_size`, which knows nothing of ties. For categories the size, at least that, from
        which one record of each subset is within t whatever the records are; if half the table is not enough,
        `cluster_size` again.

    Notes
    -----
    Soria-Comas et al. 2015 has Proposition 2 for ordered values without ties. Categories in the order of the codes fill
    most subsets alone. Where a subset is mixed, the record that is drawn stands for all of it and its mass moves: at
    most 1 − (smallest share in the subset), over at most the height at which its first and last category meet.

    Examples
    --------
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
    enough = least
    while enough <= n // 2 and bound(attribute, enough) > threshold:
        enough *= 2
    if enough > n // 2:
        return least
    short = max(least - 1, enough // 2)
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if bound(attribute, middle) <= threshold else (middle, enough)
    grown = enough + (n % enough) // (n // enough)
    return grown if bound(attribute, grown) <= threshold else least


def bound(attribute: Confidential, count: int) -> Fraction:
    """Bound the distance of any group with one record of each of ``count`` subsets of categories, or one more."""
    categories = np.cumsum(np.bincount(attribute.codes, minlength=attribute.levels))
    ends = np.cumsum(subset_sizes(len(attribute), count))
    starts = np.concatenate([[0], ends[:-1]])
    cuts = np.union1d(categories[categories > 0], ends)  # where a piece of one category in one subset ends
    pieces = np.diff(cuts, prepend=0)
    smallest = np.minimum.reduceat(pieces, np.searchsorted(cuts, starts, side="right"))
    moved = Fraction(0)
    for subset in np.flatnonzero(smallest < ends - starts):
        start, end = int(starts[subset]), int(ends[subset])
        first, last = np.searchsorted(categories, [start, end - 1], side="right")
        height = meeting_height(attribute.parents, attribute.climbs, int(first), int(last))
        moved += Fraction(height, attribute.height) * (1 - Fraction(int(smallest[subset]), end - start))
    extra = Fraction(1, count + 1) if len(attribute) % count else 0
    return moved / count + extra


def subset_sizes(n: int, count: int) -> NDArray[np.int64]:
    """Return the sizes of ``count`` subsets of n records: equal, with the rest in the middle one or two."""
    sizes = np.full(count, n // count)
    rest = n % count
    sizes[(count - 1) // 2] += (rest + 1) // 2
    sizes[count // 2] += rest // 2
    return sizes


def nested_counts(attributes: Sequence[Confidential], k: int, t: Sequence[float | Fraction]) -> list[int]:
    """Return how many subsets each attribute is cut into inside those of the one before, for as many as fit n."""
    n = len(attributes[0])
    counts = [strata_count(attributes[0], k, t[0])]
    for attribute, each in zip(attributes[1:], t[1:], strict=True):
        longer = [*counts, strata_count(attribute, 2, each)]
        # No group may take more than one record over its size, and there should be two groups.
        while n % math.prod(longer) >= n // math.prod(longer) and math.prod(longer) <= n // 2:
            longer[0] += 1
        if math.prod(longer) > n // 2:
            break
        counts = longer
    return counts


def nested_subsets(attributes: Sequence[Confidential], counts: Sequence[int]) -> NDArray[np.int32]:
    """Cut the records by the first attribute, each subset by the second, and so on.

    Notes
    -----
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
            sizes = np.full(count, size * inside)
            rest = len(cell) - size * inside * count
            sizes[(count - 1) // 2] += (rest + 1) // 2
            sizes[count // 2] += rest // 2
            parts += np.split(order, np.cumsum(sizes)[:-1])
        cells = parts
    subset_of = np.empty(n, dtype=np.int32)
    for number, cell in enumerate(cells):
        subset_of[cell] = number
    return subset_of
