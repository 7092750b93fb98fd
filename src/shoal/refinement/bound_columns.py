"""Column generation: the best prices there are, by a linear programme over the sets that matter."""

from __future__ import annotations

from shoal.refinement.bound_ascent import Ascent
from shoal.refinement.bound_problem import BoundProblem, Prices
from shoal.refinement.bound_solver import SetProgramme
from shoal.refinement.clock import Clock, OutOfTime

_ROUNDS = 30
_NEAR = 0.5  # sets of the pool that begin: those whose slack is below so much of the scale of a record
_CAP = 10.0  # how far above the start prices may go, in scales: some limit must be, or there is no solution at first
_CALM = 0.3  # weight of the best prices so far beside those of the programme, which jump about
_CALM_ROUNDS = 6
_CLOSE = 1e-6  # relative gap between programme and bound at which both are the same


def generate_columns(problem: BoundProblem, start: Ascent, clock: Clock) -> Prices:
    """Return the best feasible prices, to a millionth, or as good as time allows.

    Notes
    -----
    A round solves the programme over the sets at hand, whose dual values are prices; asks for the sets that are priced
    too high, a mixture with the best prices so far in the first rounds; and adds them. When there is none left, the sum
    of the prices is the value of the programme over all sets (Gilmore and Gomory 1961).
    """
    best, worth = start.prices, problem.worth(start.prices)
    scales = problem.scales
    programme = SetProgramme(len(problem), best + _CAP * scales)
    near = start.pool.reduced(best) < _NEAR * scales[start.pool.rows].mean(axis=1)
    programme.add(start.pool.take(near))
    clock.expect(_ROUNDS)
    try:
        for turn in range(_ROUNDS):
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
    except OutOfTime:
        pass
    return best
