"""The key ``suppress`` of a plan: the share of records that may be dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from shoal.partitioners import METHODS
from shoal.plan.attribute_blocks import number_of_blocks

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

Share = Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)]


def check_suppress_key(plan: Plan) -> None:
    """Refuse to drop records where no group's error would tell which."""
    if plan.suppress is None:
        return
    if plan.release == "permute":
        raise ValueError('suppress changes nothing with release = "permute": quasi-identifiers lose nothing there')
    if number_of_blocks(plan) > 1 or METHODS.named(plan.method).masks_values:
        raise ValueError(
            "suppress needs quasi-identifiers that are masked together, in groups of records: leave blocks out, and "
            "take a method that groups records"
        )
