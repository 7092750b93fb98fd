"""Refine: moves between neighbouring groups until none helps, and past that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import PlanError
from shoal.labels import read_labels
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress, shown
from shoal.protect import Rule
from shoal.protect.rules import require_start
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
