"""The best effort on a small table: search again and again, and go on from the best choice among all that was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.pool import completing
from shoal.progress import Progress
from shoal.refinement._lower_bound import LowerBound, lower_bound, suits_columns
from shoal.refinement._polish import REACHED, GroupPool, polished
from shoal.refinement.bound_solver import has_solver
from shoal.refinement.effort import EFFORTS, Clock, Effort, OutOfTime
from shoal.refinement.search import Refinement, Search

SMALL = 8192
"""Records up to which a table is searched again and again: so many are annealed together. On larger tables what one
part of a search misses another part makes up for."""

CHOICES = 10_000
"""Records × k² up to which choosing among groups by a solver pays: larger groups are too rarely the same in two
searches, and their prices take long to find."""

NODES = 20
"""Of the search of set partitioning, at most, since some programmes have no end in sight: the same every time."""

_MANY = 11  # restarts, less k: with larger groups one long search does better than many short ones
_ROUNDS = 3
_BEST = EFFORTS["best"]
_ON = replace(_BEST.part(0.15, annealing=False), region=20)
_FIRST_REGIONS = 10_000  # polished in each restart, times the size of a group to the power of 1.5


def search_again(
    search: Search, start: NDArray[np.int64], seconds: float | None, progress: Progress | None
) -> Refinement:
    """Search, bound what is left; where something is, search again and again, and polish the best of what came up.

    Annealing goes wrong in other places each time. With small groups the best choice among the groups of all searches
    (set partitioning) is better than each of them; at last the prices that prove a bound say which other sets can be
    groups, and the choice is among these too. Groups whose loss is that of the bound are the best there are, so the
    search ends there. With larger groups the best search is polished.
    """
    points, k = search.points, search.k
    restarts = max(1, _MANY - k)
    again = replace(_BEST.part(1.0 / restarts), polishings=_FIRST_REGIONS)
    clock = Clock(seconds, None, NODES)
    first = search(start, again, 0, _share(clock, 0.6 / restarts), progress)
    if first.interrupted:
        return first
    progress = completing(progress, len(points))
    pool = GroupPool(points, first.labels)

    def search_on(labels: NDArray[np.int64], effort: Effort, turn: int, share: float) -> bool:
        """Search from some groups, in a share of the time that is left; say whether that cut it short."""
        clock.check()
        outcome = search(labels, effort, turn, _share(clock, share), progress)
        pool.add(outcome.labels)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return not outcome.repeatable

    bound: LowerBound | None = None
    interrupted, cut_short = False, not first.repeatable
    try:
        # Small enough to bound its loss within seconds, and a solver is there to do it.
        if len(points) * k * k <= CHOICES and suits_columns(points, k) and has_solver():
            bound = lower_bound(points, k, method="columns", seconds=_share(clock, 0.3), progress=progress or False)
        if bound is None or pool.loss > bound.sse * (1.0 + REACHED):
            for turn in range(1, restarts):
                cut_short |= search_on(start, again, turn, 0.6 / (restarts - turn))
            for turn in range(restarts, restarts + _ROUNDS):
                if bound is not None:
                    clock.check()
                    cut_short |= pool.choose(bound.sse, clock)
                cut_short |= search_on(pool.best, _ON, turn, 0.8 / (restarts + _ROUNDS - turn))
            if bound is not None:
                clock.check()
                rest = Clock(_share(clock, 1.0), progress, NODES)
                choice = polished(points, pool.best, k, bound, rest, others=pool.by_size())
                pool.add(choice.chosen)
                cut_short |= choice.cut_short
    except OutOfTime:
        cut_short = True
    except KeyboardInterrupt:
        interrupted = True
    labels, before, after = _core.better_of(points.records(), start, pool.best)
    repeatable = not (cut_short or interrupted or clock.seconds_left == 0)
    return Refinement(labels, before, after, _BEST.name, repeatable, interrupted)


def _share(clock: Clock, share: float) -> float | None:
    """Return a share of the time that is left, a moment where none is; None where there is no limit."""
    left = clock.seconds_left
    return None if left == float("inf") else max(left * share, 1e-3)
