"""Stars: a bound for any k, from the nearest records of every record alone."""

from __future__ import annotations

import numpy as np

from shoal import _core
from shoal.refinement.bound_problem import BoundProblem, Prices
from shoal.refinement.clock import Clock, OutOfTime

_ROUNDS = 40
_STEP = 0.5  # of the scale of a price
_PATIENCE = 3  # rounds without gain before steps become smaller
_SHRINK = 0.6


def ascend_stars(problem: BoundProblem, clock: Clock) -> Prices:
    """Raise the prices that stars prove feasible, by steps along a supergradient.

    Notes
    -----
    A group T of k costs the mean over its members i of their *stars*, half the squared distances from i to the others.
    So for any numbers u the prices

        v_i = u_i + (1/k) · (−u_i + the k − 1 least of d²_ij / 2 − u_j)

    are feasible (section 5). Their sum is concave in u. A record that is among the least of more than k − 1 others asks
    for a lower u, one that is among fewer for a higher one.
    """
    size, n = problem.size, len(problem)
    best, numbers = problem.shares, problem.shares
    worth, step, idle = problem.worth(best), _STEP, 0
    clock.expect(_ROUNDS)
    try:
        for _ in range(_ROUNDS):
            # Twice the sum, so that shifts are added to squared distances.
            rows, pairs = _core.shifted_neighbours(
                problem.points.records(), size, -2.0 * numbers, size - 1, clock.step()
            )
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
    except OutOfTime:
        pass
    return best
