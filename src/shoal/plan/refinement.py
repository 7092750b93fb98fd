"""Refinement in a plan: refused where there are no groups to refine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from shoal.partitioners import METHODS
from shoal.refinement.effort import EFFORTS, EffortName

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

UNREFINED: Literal["none"] = "none"

Refine = Literal["none", EffortName]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

REFINE_WORDS = "move records between groups so that less is lost, every promise kept: " + "; ".join(
    [
        f"{UNREFINED}: groups stay as they were formed",
        *(f"{name}: {effort.summary}" for name, effort in EFFORTS.items()),
    ]
)
SECONDS_WORDS = "seconds that refining may take at most; the same plan may then give other groups"


def check_refinement(plan: Plan) -> None:
    """Refuse refinement that would change nothing."""
    if plan.refine == UNREFINED:
        if plan.refine_seconds is not None:
            raise ValueError('refine_seconds changes nothing here: refine is "none", so say how much to try')
        return
    if METHODS[plan.method].masks_values:
        raise ValueError(f"refine changes nothing here: method {plan.method} masks values, and forms no groups")
