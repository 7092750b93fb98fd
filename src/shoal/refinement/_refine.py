"""Refine: moves between neighbouring groups until none helps, and past that; and what that would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import PlanError
from shoal.labels import read_labels
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress, shown
from shoal.protect import Rule
from shoal.protect.rules import of_records, require_start
from shoal.refinement.effort import require_effort, require_seconds
from shoal.refinement.restarts import SMALL, search_again
from shoal.refinement.search import Refinement, Search, has_one_axis


def refine(
    points: ArrayLike | Points,
    labels: ArrayLike,
    k: int,
    *,
    effort: str = "good",
    seed: int = 0,
    seconds: float | None = None,
    rules: Sequence[Rule] = (),
    progress: Progress | bool | None = None,
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
        result = refinement(points, labels, k, effort=effort, seed=seed, seconds=seconds, rules=rules, progress=report)
    return result.labels


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
    progress: Progress | None = None,
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
    if tries.name == "best" and not rules and share == 1.0 and len(points) <= SMALL and not has_one_axis(points):
        return search_again(search, start, seconds, progress)
    return search(start, tries, 0, seconds, progress)


NEIGHBOURHOODS, RECORDS = 3, 1000
"""How many neighbourhoods are refined, and records of each, or a few more: its groups are whole."""


@dataclass(frozen=True)
class Estimate:
    """What refinement would save: a share of the loss, from 0 to 1, by the least effort, on so many records."""

    saved: float
    records: int


def estimate_saving(
    points: Points,
    labels: NDArray[np.int64],
    k: int,
    *,
    seed: int = 0,
    rules: Sequence[Rule] = (),
    domains: NDArray[np.int64] | None = None,
) -> Estimate:
    """Estimate the share of the loss that refinement would save.

    Parameters
    ----------
    points, labels, k, rules
        As of `refine`.
    seed
        Of the draw of neighbourhoods.
    domains
        A number per record; groups do not mix different ones.

    Notes
    -----
    Neighbourhoods of records are drawn by what their groups lose, so that their average saving is that of the table.
    It comes out low: groups at the rim of a neighbourhood have nobody to change places with, and the effort is the
    least.

    Examples
    --------
    >>> from shoal.partitioners import mdav
    >>> points = Points.of(np.random.default_rng(1).normal(size=(20_000, 2)))
    >>> 0.05 < estimate_saving(points, mdav(points, 3), 3).saved < 0.2
    True
    """
    count = int(labels.max()) + 1
    losses = _core.group_losses(points.records(), labels, count)
    if losses.sum() == 0:
        return Estimate(0.0, len(points))
    if len(points) <= NEIGHBOURHOODS * RECORDS and domains is None:
        return Estimate(refinement(points, labels, k, effort="quick", rules=rules).saved, len(points))
    rng = np.random.default_rng(seed)
    shares, looked = [], 0
    for group in rng.choice(count, NEIGHBOURHOODS, p=losses / losses.sum()):
        centre = int(np.flatnonzero(labels == group)[0])
        rows = _whole_groups(points, labels, centre, domains)
        own_labels = np.unique(labels[rows], return_inverse=True)[1]
        result = refinement(points.take(rows), own_labels, k, effort="quick", rules=of_records(rules, rows))
        shares.append(result.saved)
        looked += len(rows)
    return Estimate(float(np.mean(shares)), looked)


def _whole_groups(
    points: Points, labels: NDArray[np.int64], centre: int, domains: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return the records of the groups that the nearest records of a record are in."""
    distances = np.zeros(len(points))
    for column in (*points.coords.T, *(points.ranks * points.rank_steps).T):
        distances += (column - column[centre]) ** 2
    for weight, codes in zip(points.code_weights, points.codes.T, strict=True):
        distances += weight * (codes != codes[centre])
    if domains is not None:
        distances[domains != domains[centre]] = np.inf
    inside = int(np.isfinite(distances).sum())
    nearest = np.argpartition(distances, min(RECORDS, inside) - 1)[: min(RECORDS, inside)]
    chosen = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
    chosen[labels[nearest]] = True
    return np.flatnonzero(chosen[labels])
