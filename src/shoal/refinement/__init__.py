"""Refinement: groups that lose less and keep their promises, and how far from the best possible they are.

`refine` gives labels, and `refinement` also what came of it. Groups that must not mix (``by``, blocks, strata) are
refined by a call for each part. `estimate_saving` tells what refinement would save without doing it, and `lower_bound`
proves a loss that no groups fall short of.
"""

from shoal.refinement._lower_bound import LowerBound, lower_bound
from shoal.refinement._polish import polish
from shoal.refinement._refine import Estimate, estimate_saving, refine, refinement
from shoal.refinement.effort import EFFORTS, Effort
from shoal.refinement.search import Refinement

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
