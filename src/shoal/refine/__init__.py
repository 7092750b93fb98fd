"""Refinement: groups that lose less and keep their promises, and how far from the best possible they are."""

from shoal.refine._lower_bound import lower_bound
from shoal.refine._polish import polish
from shoal.refine.bound_result import LowerBound

__all__ = [
    "LowerBound",
    "lower_bound",
    "polish",
]
