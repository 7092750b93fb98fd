"""Refinement: groups in, groups that lose less out, the same promises kept.

``refine(points, labels, k, *, effort="good", seed=0, seconds=None, rules=(), progress=None)`` gives labels, and
``refinement`` with the same arguments a `Refinement`: labels, the loss before and after, whether it is repeatable.
``rules`` are those of `shoal.protect`, about the same records; where points have subjects, k counts these. Groups that
must not mix (``by``, blocks, strata) are refined by a call for each part. ``estimate_saving`` tells what refinement
would save without doing it, and `EFFORTS` are the names of efforts.
"""

from shoal.refine._refine import Refinement, refine, refinement
from shoal.refine.effort import EFFORTS, Effort
from shoal.refine.estimate import Estimate, estimate_saving

__all__ = ["EFFORTS", "Effort", "Estimate", "Refinement", "estimate_saving", "refine", "refinement"]
