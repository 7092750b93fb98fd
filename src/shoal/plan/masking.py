"""Options of masking in a plan: refused where they would change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.kinds import CONTINUOUS, Kind
from shoal.plan.attribute import Role

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def check_masking(plan: Plan) -> None:
    """Refuse a release, weights, rescaling or rounding that no column of the plan has a use for."""
    if plan.release == "permute":
        _check_permutation(plan)
        return
    masked = [plan.attributes[name] for name in plan.names(Role.QUASI_IDENTIFIER)]
    for option in ("weights", "dominance"):
        if getattr(plan, option) and not plan.averaged_names():
            raise ValueError(f"{option} changes nothing here: no quasi_identifier is masked by a mean")
    if plan.preserve_variance and not any(a.kind in CONTINUOUS for a in masked):
        raise ValueError("preserve_variance changes nothing here: no quasi_identifier is numeric or a date")
    if plan.round and not any(a.kind is Kind.NUMERIC for a in masked):
        raise ValueError("round changes nothing here: no quasi_identifier is numeric")


def _check_permutation(plan: Plan) -> None:
    if not plan.names(Role.CONFIDENTIAL):
        raise ValueError('release = "permute" needs at least one confidential attribute to shuffle')
    why = 'changes nothing with release = "permute": quasi-identifiers are kept'
    for option in ("preserve_variance", "round", "weights", "dominance"):
        if getattr(plan, option):
            raise ValueError(f"{option} {why}")
    for name, attribute in plan.attributes.items():
        if attribute.round:
            raise ValueError(f"round of {name!r} {why}")
