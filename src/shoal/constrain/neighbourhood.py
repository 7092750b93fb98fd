"""(n, t)-closeness: groups are compared with their neighbourhood of at least n records instead of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.constrain.constraints import Closeness, require_possible
from shoal.constrain.labels import read_labels
from shoal.errors import PlanError
from shoal.points import Points, comparable


class Verdicts(NamedTuple):
    """For each group, its distance relative to t, and whether it is within."""

    shortfall: NDArray[np.float64]
    met: NDArray[np.bool_]


def judge_near(points: ArrayLike | Points, labels: ArrayLike, constraints: Sequence[Closeness], n: int) -> Verdicts:
    """Judge groups by (n, t)-closeness.

    Parameters
    ----------
    points
        Records: an array of scaled coordinates, or `Points`.
    labels
        (records,) group of each record, from 0.
    constraints
        The attributes and their t.
    n
        Fewest records of a neighbourhood.

    Returns
    -------
    Verdicts
        One for each group: the worst of its attributes.

    Notes
    -----
    N. Li, T. Li and S. Venkatasubramanian, *Closeness: a new privacy measure for data publishing*, 2010: a class must
    be within t of some natural superset of at least n records. Here the natural superset of a group is the group and
    those with the nearest centroids, whole, until n records are together; and the table, so that t-closeness is enough.

    Examples
    --------
    >>> from shoal.constrain import Confidential
    >>> values = Confidential.ordered([1.0, 2.0, 1.0, 2.0, 8.0, 9.0, 8.0, 9.0])
    >>> points, labels = [0.0, 1.0, 2.0, 3.0, 14.0, 15.0, 16.0, 17.0], [0, 0, 1, 1, 2, 2, 3, 3]
    >>> judge_near(points, labels, [Closeness(values, 0.1)], 4).met
    array([ True,  True,  True,  True])
    >>> judge_near(points, labels, [Closeness(values, 0.1)], 5).met
    array([False, False, False, False])
    """
    points = comparable(points)
    array, count = read_labels(labels, len(points))
    kernels = [constraint.kernel for constraint in constraints]
    shortfall, met = _core.judge_neighbours(points.records(), array, count, _whole(n), kernels)
    return Verdicts(shortfall, met.view(np.bool_))


def merge_near(
    points: Points,
    labels: NDArray[np.int64],
    constraints: Sequence[Closeness],
    n: int,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Merge groups until each is within t of its neighbourhood of n records, or of the table.

    Notes
    -----
    A merger moves centroids, and with them the neighbourhoods of others. So merging goes in rounds: all groups are
    judged, then each that misses t joins the group whose centroid is nearest, the worst first, none twice in a round.
    """
    array, count = read_labels(labels, len(points))
    kernels = [constraint.kernel for constraint in constraints]
    merged = _core.merge_neighbours(points.records(), array, count, _whole(n), kernels, progress)
    if merged.max() == 0 and not judge_near(points, merged, constraints, n).met.all():
        require_possible(constraints)
    return merged


def _whole(n: int) -> int:
    if n != int(n) or n < 1:
        raise PlanError(f"n must be a whole number of records from 1, not {n!r}")
    return int(n)
