"""The best effort on a small table: search, bound, search on, choose anew; it ends where the bound is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.points import Points
from shoal.pool import Progress, completing
from shoal.refine._lower_bound import lower_bound, suits_columns
from shoal.refine._polish import REACHED, polished
from shoal.refine.bound_solver import has_solver
from shoal.refine.clock import Clock


class Outcome(NamedTuple):
    """What a search came to: groups, losses before and after, and whether the clock or Ctrl-C ended it."""

    labels: NDArray[np.int64]
    before: float
    after: float
    by_clock: bool
    interrupted: bool


NODES, POLISHING = 20, 30.0
"""Nodes that the search of set partitioning looks at, at most, since some programmes have no end in sight; and seconds,
where even these take longer. What the nodes end is the same every time."""

Search = Callable[[NDArray[np.int64], str, float | None, Progress | None], Outcome]
"""From groups, by an effort, within seconds."""


CELLS = 6000
"""Records × k up to which that pays: beyond, the time for a bound is better spent on a longer search."""


def can_be_certified(points: Points, k: int) -> bool:
    """Whether a table is small enough to bound its loss within seconds, and a solver is there to do it."""
    return len(points) * k <= CELLS and suits_columns(points, k) and has_solver()


def search_to_the_bound(
    search: Search, points: Points, start: NDArray[np.int64], k: int, seconds: float | None, progress: Progress | None
) -> Outcome:
    """Search with good effort, then bound what is left; where something is, search on and choose among all good sets.

    Notes
    -----
    Groups whose loss is that of the bound are the best there are, so the search ends there. Else the prices that prove
    the bound say which sets can be groups, and set partitioning chooses among them and those at hand.
    """
    clock = Clock(seconds, None)
    found = search(start, "good", _share(clock, 0.4), progress)
    if found.interrupted:
        return found
    labels, interrupted, by_clock = found.labels, False, found.by_clock
    told = completing(progress, len(points))
    try:
        bound = lower_bound(points, k, method="columns", seconds=_share(clock, 0.5), progress=told)
        if found.after > bound.sse * (1.0 + REACHED):
            longer = search(labels, "best", _share(clock, 0.5), told)
            labels, interrupted, by_clock = longer.labels, longer.interrupted, by_clock or longer.by_clock
            if not interrupted:
                budget = Clock(min(_share(clock, 1.0) or POLISHING, POLISHING), told)
                labels, cut_short = polished(points, labels, k, bound, budget, NODES)
                by_clock |= cut_short
    except KeyboardInterrupt:
        interrupted = True
    return Outcome(*_core.better_of(points.records(), start, labels), by_clock or clock.seconds_left == 0, interrupted)


def _share(clock: Clock, share: float) -> float | None:
    """Return a share of the time that is left, a moment where none is; None where there is no limit."""
    left = clock.seconds_left
    return None if left == float("inf") else max(left * share, 1e-3)
