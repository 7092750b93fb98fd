"""Individual ranking: optimal univariate on each attribute by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.partitioners._blocks import blocked
from shoal.partitioners._univariate import univariate
from shoal.partitioners.method import Method, in_order
from shoal.points import Points
from shoal.progress import Progress


def individual(points: ArrayLike | Points, k: int, *, progress: Progress | None = None) -> NDArray[np.int64]:
    """Partition the records once for each attribute, each time with the least sum of squared errors.

    Parameters
    ----------
    points
        Records: an array (n, d), or `Points` with numeric and ordinal attributes.
    k
        Fewest subjects of a group. Where every record is a subject of its own, groups have k to 2k - 1 records.
    progress
        Called about ten times a second with the number of values settled and the number of values, n times d.

    Returns
    -------
    labels
        An array (n, d): column j is the group of each record in attribute j, groups numbered by increasing value.

    Notes
    -----
    Nin 2014, section 2.2, "individual ranking". Every value of an attribute is shared by at least k subjects, but
    records need not be alike in two attributes: with d > 1 the masked table is *not* k-anonymous. Attributes run on all
    processors.

    Examples
    --------
    >>> individual([[1.0, 40.0], [9.0, 10.0], [2.0, 30.0], [8.0, 20.0]], 2)
    array([[0, 1],
           [1, 0],
           [0, 1],
           [1, 0]])
    """
    points = Points.of(points)
    each = [[attribute] for attribute in range(in_order(points).shape[1])]
    return blocked(points, k, blocks=each, partition=univariate, progress=progress)


INDIVIDUAL = Method(
    "individual",
    univariate,
    "each quasi-identifier by itself in the cheapest groups of k to 2k-1; k not guaranteed",
    nominal=False,
    attributes="each",
)
