"""Compare plans: methods, k, t and weights on one map of risk and loss."""

from shoal.callable_room import make_callable
from shoal.compare._compare import compare
from shoal.compare._pick import GOAL, Bound, parse_bounds, pick
from shoal.compare.comparison import Comparison
from shoal.compare.front import pareto_front
from shoal.compare.grid import Candidate, Grid, candidates
from shoal.compare.run import Run

__all__ = [
    "GOAL",
    "Bound",
    "Candidate",
    "Comparison",
    "Grid",
    "Run",
    "candidates",
    "compare",
    "pareto_front",
    "parse_bounds",
    "pick",
]

make_callable(__name__)
