"""Merging: the repair that ends every algorithm, and one of its own (Soria-Comas et al. 2015, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.constrain.way import Way
from shoal.errors import PlanError
from shoal.labels import read_labels
from shoal.options import plain
from shoal.partitioners import mdav
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress
from shoal.protect import Closeness, Confidential, DistinctDiversity
from shoal.protect.confidential import Missing, confidentials
from shoal.protect.n_t_closeness import merge_near
from shoal.protect.rules import Rule, met, require_possible


def merge(
    points: ArrayLike | Points,
    confidential: object,
    labels: ArrayLike | None = None,
    *,
    t: float | Fraction | Sequence[float | Fraction],
    k: int = 2,
    n: int | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Merge groups until each one's confidential values are within t of the table's.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    confidential
        (n,) values, (n, c) values of several attributes, `Confidential`, or a list of these.
    labels
        The groups to start from; without them, those of `shoal.partitioners.mdav` with groups of k.
    t
        Largest distance, one for all attributes or one for each.
    k
        Fewest subjects of a group. Given ``labels`` whose records are all subjects of their own stay as they are where
        they are within t, whatever their size.
    n
        Compare each group with its neighbourhood of at least n records, where that is nearer than the whole table:
        (n, t)-closeness, see `judge_near`.
    missing
        What a missing confidential value is: an ``error``, or a ``category`` of its own.
    progress
        Called about ten times a second with (merges done, groups).

    Returns
    -------
    labels
        The group of each record. A union keeps the lower number of its parts; then numbers are closed up.

    Notes
    -----
    Soria-Comas et al. 2015, Algorithm 1: while the worst group is above t, it joins the group whose centroid is nearest
    (ties: lowest number). With several attributes the worst group is the one with the largest distance relative to its
    t. It always ends: all records together have the distance 0.

    Examples
    --------
    >>> merge([[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], t=0.2)
    array([0, 0, 0, 0])
    """
    points = comparable(points)
    rules = closeness(points, confidential, t, missing)
    start = mdav(points, k) if labels is None else labels
    fewest = k if labels is None or points.subjects.size else None
    if n is not None:  # a union holds the subjects of its parts, so that k comes first
        return merge_near(points, repair(points, start, (), k=fewest), rules, n, progress=progress)
    return repair(points, start, rules, k=fewest, progress=progress)


def repair(
    points: ArrayLike | Points,
    labels: ArrayLike,
    rules: Sequence[Rule],
    *,
    k: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Merge groups until each keeps all rules and holds k subjects, or say that none can.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    labels
        (n,) group of each record, from 0.
    rules
        What each group must keep: `Closeness`, `DistinctDiversity`, `EntropyDiversity`, `RecursiveDiversity`.
    k
        Fewest subjects of a group, whoever formed it; records, where each is a subject of its own. Without it groups
        may be as small as they are.
    progress
        Called about ten times a second with (merges done, groups).

    Returns
    -------
    labels
        The group of each record.

    Raises
    ------
    GuaranteeError
        If the whole table as one group does not keep a rule: then no partition can.
    DataError
        If there are fewer than k subjects.

    Notes
    -----
    The worst group is the one with the largest shortfall, relative to what is asked; it joins the group whose centroid
    (average record) is nearest. Every rule is such that a union falls short by no more than the worse part. A minimum
    of k subjects is one of them: it is distinct diversity, with the subject as the attribute and l = k.

    Examples
    --------
    >>> from shoal.protect import Confidential, DistinctDiversity
    >>> rule = DistinctDiversity(Confidential.nominal(["a", "a", "b", "b", "a", "b"]), 2)
    >>> repair([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]], [0, 0, 1, 1, 2, 2], [rule])
    array([0, 0, 0, 0, 1, 1])
    >>> stays = Points.of([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]).about(["ann", "ann", "bo", "cy", "di", "ed"])
    >>> repair(stays, [0, 0, 1, 1, 2, 2], [], k=2)
    array([0, 0, 0, 0, 1, 1])
    """
    points = comparable(points)
    array, count = read_labels(labels, len(points))
    required = [*rules]
    if k is not None:
        k = require_subjects(k, points)
        enough = _subjects(points, k)
        if not met([enough], array, count).all():  # else no union will ever fall short of it
            required.append(enough)
    if met(required, array, count).all():
        return array.copy()
    require_possible(rules)
    return _core.merge(points.records(), array, count, [rule.kernel for rule in required], progress)


def _subjects(points: Points, k: int) -> DistinctDiversity:
    """Return the rule that a group holds k subjects."""
    numbers = points.subjects if points.subjects.size else np.arange(len(points))
    return DistinctDiversity(Confidential.ordered(numbers), k)


def closeness(
    points: Points, confidential: object, t: float | Fraction | Sequence[float | Fraction], missing: Missing
) -> list[Closeness]:
    """Read the confidential attributes of records, and build a rule for each from one t for all or one for each."""
    attributes = confidentials(confidential, len(points), missing=missing)
    given: Any = plain(t)
    alone = isinstance(given, (int, float, Fraction, str))
    thresholds: list[Any] = [given] * len(attributes) if alone else list(given)
    if len(thresholds) != len(attributes):
        raise PlanError(f"t must be one number, or one for each of {len(attributes)} attributes, not {len(thresholds)}")
    return [Closeness(attribute, each) for attribute, each in zip(attributes, thresholds, strict=True)]


MERGE = Way("merge", "groups of the partitioning method, merged")
