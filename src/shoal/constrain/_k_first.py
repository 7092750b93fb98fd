"""k-anonymity first: groups of near records, refined by swaps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.constrain._merge import closeness, repair
from shoal.constrain.way import Way, attributes_of, thresholds_of
from shoal.options import Options
from shoal.points import Points, comparable, require_subjects
from shoal.pool import completing
from shoal.progress import Progress
from shoal.protect import Closeness
from shoal.protect.confidential import Missing


def k_first(
    points: ArrayLike | Points,
    confidential: object,
    *,
    k: int,
    t: float | Fraction | Sequence[float | Fraction],
    missing: Missing = "error",
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Form groups of k near records, and swap members for farther records until the group is within t.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    confidential
        (n,) values, (n, c) values of several attributes, `Confidential`, or a list of these.
    k
        Fewest subjects of a group: records, where each is a subject of its own.
    t
        Largest distance, one for all attributes or one for each.
    missing
        What a missing confidential value is: an ``error``, or a ``category`` of its own.
    progress
        Called about ten times a second with (records settled, records).

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 as they are formed; `merge` has repaired what swaps left
        above t.

    Notes
    -----
    Soria-Comas et al. 2015, Algorithm 2. Around a record x: x and its k − 1 nearest. While the group is above t, the
    next nearest takes the place of the member whose leaving brings the group nearest to the table (ties: lowest row),
    if that is nearer than before. With several attributes the one with the largest distance relative to its t counts.

    With several records of a subject the group is x and the nearest record of each of the k − 1 nearest other subjects;
    their further records come along within three quarters of the distance to the last one taken. No swap leaves a group
    with fewer than k subjects. Groups of more than 32 k records, which a subject with very many makes, are not swapped.
    When the records that are left are of fewer than k subjects, each joins the group whose average record is nearest.

    A candidate is judged in O(log k) from sums kept for the group, rebuilt in O(k) after a swap; all candidates of a
    group cost O(n log n), so n records cost O(n²/k · log n) where the paper has O(n³/k).

    Examples
    --------
    >>> k_first([[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 4.0, 3.0], k=2, t=0.25)
    array([1, 0, 0, 1])
    """
    points = comparable(points)
    k = require_subjects(k, points)
    rules = closeness(points, confidential, t, missing)
    labels = _core.k_first(points.records(), k, [rule.kernel for rule in rules], progress)
    labels = _core.join_nearest(points.records(), labels, int(labels.max()) + 1)
    return repair(points, labels, rules, k=k, progress=completing(progress, len(points)))


def _form(
    points: Points, rules: Sequence[Closeness], k: int, options: Options, *, progress: Progress | None, **_: bool
) -> NDArray[np.int64]:
    return k_first(points, attributes_of(rules), k=k, t=thresholds_of(rules), progress=progress)


K_FIRST = Way("k_first", "near records, then swaps", form=_form)
