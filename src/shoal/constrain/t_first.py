"""t-closeness first (P1 Algorithm 3): groups that take a record from every part of the confidential distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.constrain.confidential import Confidential, Missing, confidentials
from shoal.constrain.merge import closeness, repair
from shoal.constrain.threshold import cluster_size
from shoal.errors import PlanError
from shoal.points import Points, require_k


def t_first(
    points: ArrayLike | Points,
    confidential: object,
    *,
    k: int,
    t: float | Fraction | Sequence[float | Fraction],
    stratify: int = 0,
    missing: Missing = "error",
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Form groups that hold one record from each of as many subsets of the confidential attribute as t asks for.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    confidential
        (n,) values, (n, c) values of several attributes, `Confidential`, or a list of these.
    k
        Smallest group size.
    t
        Largest distance, one for all attributes or one for each.
    stratify
        Which of several attributes is cut in subsets; the others are met by `merge` alone.
    missing
        What a missing confidential value is: an ``error``, or a ``category`` of its own.
    progress
        Called about ten times a second with (records settled, records).

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 as they are formed; `merge` has repaired what ties, a
        remainder or other attributes left above t.

    Notes
    -----
    P1 Algorithm 3 with equation 4's floor: `cluster_size` says how many subsets there are. Records are sorted by value,
    then row; a remainder joins the middle subset, or is shared by the two middle ones, the odd record to the lower. A
    group takes the record nearest to its centre from each subset, and one extra while there are extras.

    One tree per subset finds the nearest record, and one over all records the farthest.

    Examples
    --------
    >>> t_first([[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 4.0, 3.0], k=2, t=0.35)
    array([0, 1, 0, 1])
    """
    points = Points.of(points)
    require_k(k, len(points))
    constraints = closeness(confidentials(confidential, len(points), missing=missing), t)
    if not 0 <= stratify < len(constraints):
        raise PlanError(f"stratify must be the place of one of {len(constraints)} attributes, not {stratify!r}")
    chosen = constraints[stratify]
    count = cluster_size(len(points), k, chosen.t)
    labels = _core.t_first(points.records(), subsets(chosen.attribute, count), count, progress)
    return repair(points, labels, constraints)


def subsets(attribute: Confidential, count: int) -> NDArray[np.int32]:
    """Cut the records into ``count`` subsets by increasing value: the number of each record's subset."""
    sizes = np.full(count, len(attribute) // count)
    extras = len(attribute) % count
    sizes[(count - 1) // 2] += (extras + 1) // 2
    sizes[count // 2] += extras // 2
    order = np.argsort(attribute.codes, kind="stable")
    subset_of = np.empty(len(attribute), dtype=np.int32)
    subset_of[order] = np.repeat(np.arange(count, dtype=np.int32), sizes)
    return subset_of
