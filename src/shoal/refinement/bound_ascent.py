"""Dual ascent: prices raised over a pool of cheap sets, priced exactly, raised again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.refinement.bound_problem import BoundProblem, Prices, Sets
from shoal.refinement.clock import Clock, OutOfTime

# Of each record the cheapest sets among as many candidates as it needs and a few more; so many choices tried.
_FIRST = {"keep": 20, "nodes": 5000}
_MORE_CANDIDATES = 8
# The smaller the smoothing, the nearer to the best prices over the pool, and the slower.
_SMOOTHINGS = (0.1, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.004, 0.003, 0.003, 0.003)
_SWEEPS = 40
_ROOM = 0.3  # how far prices may be raised in the first round
_LARGEST_POOL, _SMALLER_POOL = 30, 25  # sets per record
_GAIN = 1e-5  # a round that gains less, relatively, is the last


@dataclass(frozen=True, eq=False)
class Ascent:
    """Feasible prices and the sets that hold them down."""

    prices: Prices
    pool: Sets


def ascend(problem: BoundProblem, clock: Clock) -> Ascent:
    """Raise prices as far as they go, or as time allows.

    Notes
    -----
    A round raises the best prices so far over the pool, within some room; asks for the sets that are now priced too
    high and lowers prices until none is; and takes those sets into the pool. What is lowered is mostly little, since
    the pool holds the sets near the best prices. A round that fails to gain halves the room of the next.
    """
    best = problem.shares
    pool = Sets(np.empty((0, problem.size), dtype=np.int32), np.empty(0))
    worth, room = problem.worth(best), _ROOM
    clock.expect(1 + 2 * len(_SMOOTHINGS))
    try:
        width = problem.size + _MORE_CANDIDATES
        pool, _ = problem.price(best, threshold=np.inf, width=width, progress=clock.step(), **_FIRST)
        for smoothing in _SMOOTHINGS:
            raised = problem.raised(pool, best, room=room, smoothing=smoothing, sweeps=_SWEEPS, progress=clock.step())
            violated, feasible = problem.price(raised, progress=clock.step())
            pool = _bounded(pool + violated, best, problem)
            gained = problem.worth(feasible)
            if gained > worth:
                gain = (gained - worth) / gained
                best, worth, room = feasible, gained, room * 1.2
                if gain < _GAIN:
                    break
            else:
                room /= 2
    except OutOfTime:
        pass
    return Ascent(best, pool)


def _bounded(pool: Sets, prices: Prices, problem: BoundProblem) -> Sets:
    """Drop the sets that are farthest from being priced too high, where there are too many."""
    if len(pool) <= _LARGEST_POOL * len(problem):
        return pool
    slack = pool.reduced(prices) / problem.scales[pool.rows].sum(axis=1)
    return pool.take(np.sort(np.argsort(slack, kind="stable")[: _SMALLER_POOL * len(problem)]))
