"""Refine: moves between neighbouring groups until none helps, and past that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import PlanError
from shoal.labels import read_labels
from shoal.partitioners import univariate
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress, Report, shown
from shoal.protect import Rule
from shoal.protect.rules import require_start
from shoal.refinement.effort import Effort, require_effort, require_seconds
from shoal.refinement.restarts import Outcome, is_small, search_again

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
    interrupted
        Whether Ctrl-C did.
    """

    labels: NDArray[np.int64]
    before: float
    after: float
    effort: str
    repeatable: bool
    interrupted: bool = False

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
    progress: Progress = None,
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
        Called about ten times a second with the number of records settled and the number of records; True for a bar,
        False for none, None for a bar in notebooks and at a prompt. Ctrl-C ends the search and returns the best found
        so far.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 by their first records. They never lose more than those given.

    Notes
    -----
    The loss is the one that is measured: squared distances to the mean, to the (convex) median of ordinal and to the
    mode of nominal attributes. Records in one continuous dimension are cut optimally (`shoal.partitioners.univariate`);
    otherwise groups are improved by moves between neighbours, annealed and polished, see ``docs/refine.md``.

    Examples
    --------
    >>> from shoal.partitioners import mdav
    >>> points = np.random.default_rng(1).normal(size=(300, 2))
    >>> start = mdav(points, 3)
    >>> refinement(points, start, 3).saved > 0.1
    True
    >>> bool(np.bincount(refine(points, start, 3)).min() >= 3)
    True
    """
    with shown(progress, "refining groups") as report:
        return refinement(
            points, labels, k, effort=effort, seed=seed, seconds=seconds, rules=rules, progress=report
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
    share: float = 1.0,
    progress: Report | None = None,
) -> Refinement:
    """Refine as `refine` does, and tell what came of it.

    Where the records are a part of a table, ``share`` says which share of it they are: the effort is that of the table.
    """
    points = comparable(points)
    k = require_subjects(k, points)
    tries = require_effort(effort)
    require_seconds(seconds)
    if seed != int(seed) or not 0 <= seed < 2**63:
        raise PlanError(f"seed must be a whole number from 0, not {seed!r}")
    start = read_labels(labels, len(points))[0]
    require_start(points, start, k, rules)

    search = Search(points, k, rules, share, int(seed))
    if tries.name == "best" and not rules and share == 1.0 and is_small(points) and not has_one_axis(points):
        outcome = search_again(search, points, start, k, seconds, progress)
    else:
        outcome = search(start, tries, 0, seconds, progress)
    repeatable = not (outcome.by_clock or outcome.interrupted)
    return Refinement(outcome.labels, outcome.before, outcome.after, tries.name, repeatable, outcome.interrupted)


@dataclass(frozen=True, eq=False)
class Search:
    """A search among groups of the same records, which must keep k and the rules."""

    points: Points
    k: int
    rules: Sequence[Rule] = ()
    share: float = 1.0  # of the table that the records are a part of
    seed: int = 0  # of the first turn; each other has random numbers of its own

    def __call__(
        self,
        start: NDArray[np.int64],
        effort: Effort,
        turn: int = 0,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> Outcome:
        """Search from some groups with one effort."""
        points, k, rules, share = self.points, self.k, self.rules, self.share
        n, count = len(points), int(start.max()) + 1
        # Of most groups: rules may ask for far more than k records, and groups that keep them grow.
        size = max(k, (GROWTH if rules else 1) * n // count)
        records = points.records()
        if has_one_axis(points) and not rules:
            best = univariate(points, k, progress=progress)
            return Outcome(*_core.better_of(records, start, best), by_clock=False, interrupted=False)
        effective = effective_dimension(points)
        outcome = _core.refine(
            records,
            start,
            count,
            k,
            [rule.kernel for rule in rules],
            neighbours(n, size, effective, ruled=bool(rules)),
            reach(n, points.dimension, effective),
            capacity(points, start, k, ruled=bool(rules)),
            effort.sweeps(round(n / share), size),
            effort.thorough,
            round(effort.regions(round(n / share), size) * share) // (_RULED_REGIONS if rules else 1),
            effort.region,
            1.0 if rules else min(_DIMENSIONS / effective, 1.0),
            (self.seed + turn * _TURN) % 2**63,
            math.inf if seconds is None else float(seconds),
            progress,
        )
        return Outcome(*outcome)


def has_one_axis(points: Points) -> bool:
    """Whether records lie on a line, where the best groups are known."""
    return points.dimension == points.coords.shape[1] == 1 and not points.subjects.size


def neighbours(n: int, size: int, effective: float, *, ruled: bool) -> int:
    """Return how many of its nearest records each record looks at.

    More on small tables, where they cost nothing, and there most under rules, which forbid many of the moves. More in
    many dimensions than in few, since there the nearest ones are hardly nearer than others.
    """
    if n <= _SMALL:
        length = _RULED if ruled else max(8, min((3 * size + 1) // 2, _MOST))
    else:
        length = min(size + 1 if effective <= _MANY else max(2 * size + 2, _JOINED), _MOST)
    return min(length, n - 1)


def reach(n: int, dimension: int, effective: float) -> float:
    """Return within which share of the squared distance neighbours are sought, 0 where no search would pay.

    On large tables of few attributes lists may miss some, to save time. With more attributes they would miss most of
    what there is to gain; with many, a search looks at most records, and lists are joined from those of near records.
    """
    if n <= _SMALL:
        return 1.0
    if effective > _MANY:
        return 0.0
    return _REACH if dimension <= _FEW else 1.0


_TURN = 2**48  # between the seeds of a search that begins again: plans have smaller ones
_MOST = 24
_RULED = 32
_RULED_REGIONS = 3  # times fewer, where annealing gains more in the same time than polishing does
_SMALL = 50_000
_FEW = 4  # attributes
_MANY = 9  # effective dimensions, beyond which no search pays
_REACH = 0.5
_JOINED = 12  # where lists are joined, groups are made from them too, which shorter ones leave too few for
_DIMENSIONS = 5  # beyond so many, distances differ less and less, and what is a little is less of them


def capacity(points: Points, labels: NDArray[np.int64], k: int, *, ruled: bool) -> int:
    """Return how many records a group may grow to.

    A group of 2k can be cut in two that lose no more, so 2k − 1 is enough where k is all that is asked, times the
    records that a subject has. Where rules ask for larger groups, larger and more compact ones lose less than the
    smallest that keep them.
    """
    most = math.ceil((2 * k - 1) * len(points) / points.subject_count)
    return max(most, GROWTH * int(np.bincount(labels).max()) + 2) if ruled else most


_SAMPLE = 20_000  # records that are looked at


def effective_dimension(points: Points) -> float:
    """Return how many attributes of equal spread and without correlation would spread records alike.

    The participation ratio of the covariance matrix C, tr(C)² / tr(C²): d for d attributes of equal variance that are
    uncorrelated, 1 where one direction has all the variance. A nominal attribute is taken as one of its own.

    >>> normal = np.random.default_rng(0).normal(size=(5000, 6))
    >>> round(effective_dimension(Points.of(normal)))
    6
    >>> round(effective_dimension(Points.of(normal @ np.diag([1, 1, 0.01, 0.01, 0.01, 0.01]))))
    2
    """
    some = points.take(np.arange(0, len(points), -(-len(points) // _SAMPLE)))
    columns = np.column_stack([some.coords, some.ranks * some.rank_steps])
    size = max(float(np.abs(columns).max(initial=0.0)), float(np.sqrt(some.code_weights).max(initial=0.0)))
    if size == 0:
        return 1.0
    columns = columns / size  # so that nothing overflows
    columns -= columns.mean(axis=0)
    covariance = columns.T @ columns / len(some)
    weights = some.code_weights / size / size
    nominal = np.array(
        [
            weight * (1.0 - np.square(np.unique(codes, return_counts=True)[1] / len(some)).sum()) / 2
            for weight, codes in zip(weights, some.codes.T, strict=True)
        ]
    )
    squares = float(np.square(covariance).sum() + np.square(nominal).sum())
    return float((np.trace(covariance) + nominal.sum()) ** 2 / squares) if squares > 0 else 1.0
