"""Optimal univariate: the cheapest cut of one sorted attribute into groups of k to 2k - 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError
from shoal.partition.method import Method
from shoal.partition.ordered import in_order
from shoal.points import Points, require_k


def univariate(
    values: ArrayLike | Points,
    k: int,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Partition the records of one attribute into groups of at least k with the least sum of squared errors.

    Parameters
    ----------
    values
        One attribute: an array (n,) or (n, 1), or `Points` with a single numeric or ordinal attribute.
    k
        Minimum group size. Groups have k to 2k - 1 records.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 by increasing value.

    Notes
    -----
    Nin 2014, section 2.2 (Hansen and Mukherjee, 2003): in an optimal partition groups are runs of the sorted values, of
    k to 2k - 1 each, so the best one is a shortest path over the sorted values.

    *Ties.* Equal values are sorted by row. Among partitions of equal cost the last group is the smallest, then the
    one before it, and so on.

    *Numbers.* Costs are compared as exact arithmetic would compare them, whatever offset the values share: in 106 bits
    where 53 do not decide. Partitions whose costs differ by less than about k · 2⁻⁹⁰ of the cost of a run across the
    range of some 6k neighbouring values count as equal.

    Examples
    --------
    >>> univariate([5.0, 1.0, 9.2, 1.1, 5.2, 9.0, 9.1], 2)
    array([1, 0, 2, 0, 1, 2, 2])
    """
    table = in_order(values)
    if table.shape[1] != 1:
        raise DataError(
            f"univariate takes one attribute, not {table.shape[1]}: use individual to treat each by itself, "
            "or projected or mdav to treat them together"
        )
    require_k(k, len(table))
    return _core.univariate(table[:, 0], k, progress=progress)


UNIVARIATE = Method(
    "univariate",
    univariate,
    "the cheapest groups of k to 2k-1 of one quasi-identifier",
    nominal=False,
    attributes="one",
)
