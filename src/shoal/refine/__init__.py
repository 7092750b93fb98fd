"""Refinement: groups that lose less and keep their promises, and how far from the best possible they are."""

from shoal.refine._lower_bound import lower_bound
from shoal.refine._polish import polish
from shoal.refine._refine import Refinement, refine, refinement
from shoal.refine.bound_result import LowerBound
from shoal.refine.effort import EFFORTS, Effort
from shoal.refine.estimate import Estimate, estimate_saving

__all__ = [
    "EFFORTS",
    "Effort",
    "Estimate",
    "LowerBound",
    "Refinement",
    "estimate_saving",
    "lower_bound",
    "polish",
    "refine",
    "refinement",
]
