"""Compare plans: methods, k, t and weights on one map of risk and loss."""

from shoal.comparison._compare import compare
from shoal.comparison.choice import GOAL, Bound, pareto_front, parse_bounds, pick
from shoal.comparison.comparison import Comparison
from shoal.comparison.grid import Candidate, Grid, candidates
from shoal.comparison.run import Run

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
