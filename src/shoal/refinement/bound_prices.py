"""Three ways to the prices behind a bound: dual ascent over cheap sets, column generation, stars of near records."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from shoal import _core
from shoal.refinement.bound_problem import BoundProblem, PricedSets, Prices, Sets
from shoal.refinement.bound_solver import SetProgramme
from shoal.refinement.effort import Clock, OutOfTime

# Of each record the cheapest sets among as many candidates as it needs and a few more; so many choices tried.
_FIRST = {"keep": 20, "nodes": 5000}
_MORE_CANDIDATES = 8
# The smaller the smoothing, the nearer to the best prices over the pool, and the slower.
_SMOOTHINGS = (0.1, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.004, 0.003, 0.003, 0.003)
_SWEEPS = 40
_ROOM = 0.3  # how far prices may be raised in the first round
_LARGEST_POOL, _SMALLER_POOL = 30, 25  # sets per record
_GAIN = 1e-5  # a round that gains less, relatively, is the last


def ascend(problem: BoundProblem, clock: Clock) -> PricedSets:
    """Raise prices as far as they go, or as time allows; return them and the sets that hold them down.

    A round raises the best prices so far over the pool, within some room; asks for the sets that are now priced too
    high and lowers prices until none is; and takes those sets into the pool. What is lowered is mostly little, since
    the pool holds the sets near the best prices. A round that fails to gain halves the room of the next.
    """
    best = problem.shares
    pool = Sets(np.empty((0, problem.size), dtype=np.int32), np.empty(0))
    worth, room = problem.worth(best), _ROOM
    clock.expect(1 + 2 * len(_SMOOTHINGS))
    with suppress(OutOfTime):
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
    return PricedSets(pool, best)


def _bounded(pool: Sets, prices: Prices, problem: BoundProblem) -> Sets:
    """Drop the sets that are farthest from being priced too high, where there are too many."""
    if len(pool) <= _LARGEST_POOL * len(problem):
        return pool
    slack = pool.reduced(prices) / problem.scales[pool.rows].sum(axis=1)
    return pool.take(np.sort(np.argsort(slack, kind="stable")[: _SMALLER_POOL * len(problem)]))


_COLUMN_ROUNDS = 30
_NEAR = 0.5  # sets of the pool that begin: those whose slack is below so much of the scale of a record
_CAP = 10.0  # how far above the start prices may go, in scales: some limit must be, or there is no solution at first
_CALM = 0.3  # weight of the best prices so far beside those of the programme, which jump about
_CALM_ROUNDS = 6
_CLOSE = 1e-6  # relative gap between programme and bound at which both are the same


def generate_columns(problem: BoundProblem, start: PricedSets, clock: Clock) -> Prices:
    """Return the best feasible prices, to a millionth, or as good as time allows.

    A round solves the programme over the sets at hand, whose dual values are prices; asks for the sets that are priced
    too high, a mixture with the best prices so far in the first rounds; and adds them. When there is none left, the sum
    of the prices is the value of the programme over all sets (Gilmore and Gomory 1961).
    """
    pool, best = start
    worth = problem.worth(best)
    scales = problem.scales
    programme = SetProgramme(len(problem), best + _CAP * scales)
    programme.add(pool.take(pool.reduced(best) < _NEAR * scales[pool.rows].mean(axis=1)))
    clock.expect(_COLUMN_ROUNDS)
    with suppress(OutOfTime):
        for turn in range(_COLUMN_ROUNDS):
            progress = clock.step()
            solved = programme.solve_shares(clock.seconds_left)
            if solved is None:
                break
            cost, prices = solved
            calm = _CALM if turn < _CALM_ROUNDS else 0.0
            violated, feasible = problem.price(calm * best + (1.0 - calm) * prices, progress=progress)
            gained = problem.worth(feasible)
            if gained > worth:
                best, worth = feasible, gained
            if cost * problem.unit - worth <= _CLOSE * worth or (calm == 0.0 and not len(violated)):
                break
            if len(violated):
                programme.add(violated)
    return best


_STAR_ROUNDS = 40
_STAR_STEP = 0.5  # of the scale of a price
_PATIENCE = 3  # rounds without gain before steps become smaller
_SHRINK = 0.6


def ascend_stars(problem: BoundProblem, clock: Clock) -> Prices:
    """Raise the prices that stars prove feasible, by steps along a supergradient.

    A group T of k costs the mean over its members i of their *stars*, half the squared distances from i to the others.
    So for any numbers u the prices

        v_i = u_i + (1/k) · (−u_i + the k − 1 least of d²_ij / 2 − u_j)

    are feasible (section 5). Their sum is concave in u. A record that is among the least of more than k − 1 others asks
    for a lower u, one that is among fewer for a higher one.
    """
    size, n = problem.size, len(problem)
    best, numbers = problem.shares, problem.shares
    worth, step, idle = problem.worth(best), _STAR_STEP, 0
    clock.expect(_STAR_ROUNDS)
    with suppress(OutOfTime):
        for _ in range(_STAR_ROUNDS):
            # Twice the sum, so that shifts are added to squared distances.
            records = problem.points.records()
            rows, pairs = _core.shifted_neighbours(records, size, -2.0 * numbers, size - 1, clock.step())
            least = (pairs / 2 - numbers[rows]).reshape(n, size - 1).sum(axis=1) - numbers
            # The nearest are found and added in doubles; what that may be off is taken off.
            margin = 2.0**-53 * 4 * size * (problem.points.dimension + 8)
            off = margin * (np.abs(least) + 2 * size * np.abs(numbers).max(initial=0.0))
            feasible = numbers + (least - off) / size
            gained = problem.worth(feasible)
            if gained > worth:
                best, worth, idle = feasible, gained, 0
            else:
                idle += 1
                if idle == _PATIENCE:
                    step, idle = step * _SHRINK, 0
            wanted = np.bincount(rows, minlength=n)
            numbers = feasible + step * problem.scales * (1.0 - (1.0 + wanted) / size)
    return best
