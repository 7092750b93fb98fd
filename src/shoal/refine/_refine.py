"""Refine: moves between neighbouring groups until none helps, and past that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.classes import subjects_of_each
from shoal.errors import DataError, PlanError
from shoal.labels import read_labels
from shoal.partition import univariate
from shoal.points import Points, comparable, require_subjects
from shoal.protect import Rule
from shoal.refine.effort import Effort, require_effort

GROWTH = 2
"""Under rules a group may grow to this many times the largest size it starts from, and two records more, since pairs
need room to trade. Larger caps trade groups for loss."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """What refinement came to.

    Parameters
    ----------
    labels
        The group of each record, groups numbered from 0 by their first records.
    before, after
        Loss of the groups it started from and of these: the sum of squared distances between records and what stands
        for them.
    effort
        Its name.
    repeatable
        Whether the same call gives the same groups: not where a time budget or Ctrl-C cut the search short.
    """

    labels: NDArray[np.int64]
    before: float
    after: float
    effort: str
    repeatable: bool

    @property
    def saved(self) -> float:
        """Share of the loss that is gone, from 0 to 1."""
        return 1.0 - self.after / self.before if self.before > 0 else 0.0


def refine(
    points: ArrayLike | Points,
    labels: ArrayLike,
    k: int,
    *,
    effort: str = "good",
    seed: int = 0,
    seconds: float | None = None,
    rules: Sequence[Rule] = (),
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Move records between groups so that less is lost, with the same k and the same rules.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes and subjects.
    labels
        The group of each record, from any partitioner: groups of at least k that keep all rules.
    k
        Smallest group; where points have subjects, fewest distinct subjects of a group.
    effort
        "quick", "good" or "best": how much is tried (`EFFORTS`).
    seed
        The same seed and effort give the same groups, whatever the number of processors.
    seconds
        Stop after so long, with the best found by then. The groups may then differ from run to run.
    rules
        What the confidential values of every group keep, and will keep.
    progress
        Called about ten times a second with the number of records settled and the number of records. Ctrl-C ends the
        search and returns the best found so far.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 by their first records. They never lose more than those given.

    Notes
    -----
    The loss is the one that is measured: squared distances to the mean, to the (convex) median of ordinal and to the
    mode of nominal attributes. Records in one continuous dimension are cut optimally (`shoal.partition.univariate`);
    otherwise groups are improved by moves between neighbours, annealed and polished, see ``docs/refine.md``.

    Examples
    --------
    >>> from shoal.partition import mdav
    >>> points = np.random.default_rng(1).normal(size=(300, 2))
    >>> start = mdav(points, 3)
    >>> found = refinement(points, start, 3)
    >>> found.saved > 0.1
    True
    >>> bool(np.bincount(refine(points, start, 3)).min() >= 3)
    True
    """
    return refinement(
        points, labels, k, effort=effort, seed=seed, seconds=seconds, rules=rules, progress=progress
    ).labels


def refinement(
    points: ArrayLike | Points,
    labels: ArrayLike,
    k: int,
    *,
    effort: str = "good",
    seed: int = 0,
    seconds: float | None = None,
    rules: Sequence[Rule] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Refinement:
    """Refine as `refine` does, and tell what came of it."""
    points = comparable(points)
    require_subjects(k, points)
    tries = require_effort(effort)
    if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
        raise PlanError(f"seconds must be above 0, not {seconds!r}: leave it out to search as long as the effort says")
    if seed != int(seed) or not 0 <= seed < 2**63:
        raise PlanError(f"seed must be a whole number from 0, not {seed!r}")
    start, count = read_labels(labels, len(points))
    _require_kept(points, start, count, k, rules)
    found, before, after, by_clock, interrupted = _search(
        points, start, count, k, tries, int(seed), math.inf if seconds is None else float(seconds), rules, progress
    )
    return Refinement(found, before, after, tries.name, not (by_clock or interrupted))


def _search(
    points: Points,
    start: NDArray[np.int64],
    count: int,
    k: int,
    effort: Effort,
    seed: int,
    seconds: float,
    rules: Sequence[Rule],
    progress: Callable[[int, int], object] | None,
) -> tuple[NDArray[np.int64], float, float, bool, bool]:
    """Return labels, loss before and after, and whether the clock or Ctrl-C had a say."""
    n = len(points)
    # Of most groups: rules may ask for far more than k records, and groups that keep them grow.
    size = max(k, (GROWTH if rules else 1) * n // count)
    records = points.records()
    if points.dimension == points.coords.shape[1] == 1 and not rules and not points.subjects.size:
        best = univariate(points, k, progress=progress)
        return *_core.better_of(records, start, best), False, False
    return _core.refine(
        records,
        start,
        count,
        k,
        [rule.kernel for rule in rules],
        neighbours(n, size),
        1.0 if n <= _SMALL else _REACH,
        capacity(points, start, k, ruled=bool(rules)),
        effort.sweeps(n, size),
        effort.thorough,
        effort.regions(n, size),
        seed,
        seconds,
        progress,
    )


def neighbours(n: int, size: int) -> int:
    """Return how many of its nearest records each record looks at: more on small tables, where they cost nothing."""
    few, many = min(size + 1, _MOST), max(8, min((3 * size + 1) // 2, _MOST))
    return min(many if n <= _SMALL else few, n - 1)


_MOST = 24
_SMALL = 50_000
_REACH = 0.5  # on larger tables neighbours are sought within this share of the squared distance, to save time


def capacity(points: Points, labels: NDArray[np.int64], k: int, *, ruled: bool) -> int:
    """Return how many records a group may grow to.

    Notes
    -----
    A group of 2k can be cut in two that lose no more, so 2k − 1 is enough where k is all that is asked, times the
    records that a subject has. Where rules ask for larger groups, larger and more compact ones lose less than the
    smallest that keep them.
    """
    most = math.ceil((2 * k - 1) * len(points) / points.subject_count)
    return max(most, GROWTH * int(np.bincount(labels).max()) + 2) if ruled else most


def _require_kept(points: Points, labels: NDArray[np.int64], count: int, k: int, rules: Sequence[Rule]) -> None:
    """Refuse groups to start from that break k or a rule."""
    sizes = subjects_of_each(labels, points.subjects) if points.subjects.size else np.bincount(labels, minlength=count)
    smallest = int(sizes.argmin())
    if sizes[smallest] < k:
        of = "different subjects" if points.subjects.size else "records"
        raise DataError(
            f"labels break k at the start: group {smallest} has {sizes[smallest]} {of}, and k is {k}, so form "
            "groups of at least k first"
        )
    for rule in rules:
        if len(rule.attribute) != len(points):
            raise DataError(
                f"{rule.attribute.name} has {len(rule.attribute)} values for {len(points)} records: they must match "
                "one to one"
            )
        shortfall, kept = rule.kernel.judge(labels, count)
        if not kept.all():
            worst = int(np.argmax(np.where(kept, -np.inf, shortfall)))
            raise DataError(
                f"labels break a rule at the start: {rule.attribute.name} must have {rule.rule} in every group, but "
                f"group {worst} reaches {rule.reached(float(shortfall[worst])):.4g}, so merge groups first "
                "(shoal.constrain.repair)"
            )
