"""One search for better groups: moves between neighbouring groups, with how far each record looks and groups grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.partitioners import univariate
from shoal.points import Points
from shoal.progress import Progress
from shoal.protect import Rule
from shoal.refinement.effort import Effort

GROWTH = 2
"""Under rules a group may grow to this many times the largest size it starts from, and two records more, since pairs
need room to trade. Larger caps trade groups for loss."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """What refinement came to."""

    labels: NDArray[np.int64]  # the group of each record, groups numbered from 0 by their first records
    # before, after: loss of the groups it started from and of these, in squared distances to what stands for records
    before: float
    after: float
    effort: str  # its name
    # whether the same call gives the same groups: not where a time budget or Ctrl-C cut the search short
    repeatable: bool
    interrupted: bool = False  # whether Ctrl-C did

    @property
    def saved(self) -> float:
        """Share of the loss that is gone, from 0 to 1."""
        return 1.0 - self.after / self.before if self.before > 0 else 0.0


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
        progress: Progress | None = None,
    ) -> Refinement:
        """Search from some groups with one effort."""
        points, k, rules, share = self.points, self.k, self.rules, self.share
        n, count = len(points), int(start.max()) + 1
        # Of most groups: rules may ask for far more than k records, and groups that keep them grow.
        size = max(k, (GROWTH if rules else 1) * n // count)
        records = points.records()
        if has_one_axis(points) and not rules:
            best = univariate(points, k, progress=progress)
            return Refinement(*_core.better_of(records, start, best), effort.name, repeatable=True)
        effective = effective_dimension(points)
        labels, before, after, by_clock, interrupted = _core.refine(
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
        return Refinement(labels, before, after, effort.name, not (by_clock or interrupted), interrupted)


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
