"""Compare plans: methods, k, t and weights on one map of risk and loss."""

from shoal.compare._pick import GOAL, Bound, parse_bounds, pick
from shoal.compare.front import pareto_front
from shoal.compare.grid import Candidate, Grid, candidates
from shoal.compare.run import Run, compare

__all__ = ["GOAL", "Bound", "Candidate", "Grid", "Run", "candidates", "compare", "pareto_front", "parse_bounds", "pick"]
