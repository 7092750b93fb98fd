"""Optimal univariate: the cheapest cut of one sorted attribute into groups of at least k."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError
from shoal.partitioners.method import Method, in_order
from shoal.points import Points, require_subjects
from shoal.progress import Progress


def univariate(values: ArrayLike | Points, k: int, *, progress: Progress | None = None) -> NDArray[np.int64]:
    """Partition the records of one attribute into runs of at least k with the least sum of squared errors.

    Parameters
    ----------
    values
        One attribute: an array (n,) or (n, 1), or `Points` with a single numeric or ordinal attribute.
    k
        Fewest subjects of a group. Where every record is a subject of its own, groups have k to 2k - 1 records.
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

    *Subjects.* With several records of a subject (`Points.about`) the result is the cheapest partition into runs of the
    sorted values that hold k subjects each. No run is longer than it must be: one that could be cut in two with k
    subjects on both sides costs at least as much as the two. Groups that are no runs may cost less, since a run must
    reach on to the next subject where a group could skip records.

    *Ties.* Equal values are sorted by row. Among partitions of equal cost the last group is the smallest, then the
    one before it, and so on.

    *Numbers.* Costs are compared as exact arithmetic would compare them, whatever offset the values share: in 106 bits
    where 53 do not decide. Partitions whose costs differ by less than about k · 2⁻⁹⁰ of the cost of a run across the
    range of some 6k neighbouring values count as equal; with long runs of few subjects, of some three such runs.

    Examples
    --------
    >>> univariate([5.0, 1.0, 9.2, 1.1, 5.2, 9.0, 9.1], 2)
    array([1, 0, 2, 0, 1, 2, 2])
    """
    points = Points.of(values)
    table = in_order(points)
    if table.shape[1] != 1:
        raise DataError(
            f"univariate takes one attribute, not {table.shape[1]}: use individual to treat each by itself, "
            "or projected or mdav to treat them together"
        )
    k = require_subjects(k, points)
    return _core.univariate(table[:, 0], k, points.subjects, progress=progress)


UNIVARIATE = Method(
    "univariate",
    univariate,
    "the cheapest groups of k to 2k-1 of one quasi-identifier",
    nominal=False,
    attributes="one",
)
