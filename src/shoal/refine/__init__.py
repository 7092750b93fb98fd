"""Refinement: groups in, groups that lose less out, the same promises kept."""

from shoal.refine._refine import Refinement, refine, refinement
from shoal.refine.effort import EFFORTS, Effort
from shoal.refine.estimate import Estimate, estimate_saving

__all__ = ["EFFORTS", "Effort", "Estimate", "Refinement", "estimate_saving", "refine", "refinement"]
