"""Options of masking in a plan: refused where they would change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.kinds import CONTINUOUS, DIRECTIONAL, Kind, Missing
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.protect import asked

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def check_masking(plan: Plan) -> None:
    """Refuse a release, weights, rescaling or rounding that no column of the plan has a use for."""
    _check_keep(plan)
    if plan.release == "permute":
        _check_permutation(plan)
        return
    masked = [plan.attributes[name] for name in plan.names(Role.QUASI_IDENTIFIER)]
    for option in ("weights", "dominance"):
        if getattr(plan, option) and not plan.averaged_names():
            raise ValueError(f"{option} changes nothing here: no quasi_identifier is masked by a mean")
    if plan.preserve_variance and not any(a.kind in CONTINUOUS for a in masked):
        raise ValueError("preserve_variance changes nothing here: no quasi_identifier is numeric or a date")
    if plan.round and not any(a.compared in (Kind.NUMERIC, *DIRECTIONAL) for a in masked):
        raise ValueError("round changes nothing here: no quasi_identifier is numeric")


def _check_keep(plan: Plan) -> None:
    """Refuse to keep gaps where there are no groups to share one, or where all of them stay anyway."""
    if not any(plan.missing_policy(name) is Missing.KEEP for name in plan.names(Role.QUASI_IDENTIFIER)):
        return
    if METHODS[plan.method].masks_values:
        raise ValueError(f'missing = "keep" needs groups of records, and method {plan.method} mixes values: "impute"')
    for guarantee in asked(plan.demand()):
        if guarantee.merges_by_itself:
            raise ValueError(
                f'missing = "keep" parts groups, and {guarantee.name} looks at the groups around them: use "impute"'
            )
    if plan.release == "permute":
        raise ValueError(
            'missing = "keep" changes nothing with release = "permute": quasi-identifiers stay, gaps and all, so use '
            '"impute"'
        )


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
