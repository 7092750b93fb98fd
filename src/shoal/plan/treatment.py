"""What a run does with each column, in a few words."""

from __future__ import annotations

from shoal.kinds import Operator
from shoal.partitioners import METHODS
from shoal.plan.attribute import Attribute, Role, recoding_of
from shoal.plan.plan import Plan
from shoal.plan.plan_keys import ReleaseMode
from shoal.recode import RECODINGS

_WORDS = {
    Operator.DRAW: "category of a drawn member of the group",
    Operator.ANCESTOR: "lowest node above the group",
}
"""What stands for a group, where the operator's name does not say it."""


def treatment(name: str, plan: Plan) -> str:
    """Say in a few words what a run does with a column."""
    recodings = [RECODINGS[key].words(option) for key, option in recoding_of(plan.attributes[name]).items()]
    return ", ".join([*recodings, _fate(name, plan), *_steering(name, plan)])


def _fate(name: str, plan: Plan) -> str:
    attribute = plan.attributes[name]
    if attribute.role is Role.IDENTIFIER:
        return "replaced by pseudonyms" if name == plan.pseudonym_column() else "dropped"
    if attribute.role is Role.CONFIDENTIAL:
        return "shuffled inside each group" if plan.release is ReleaseMode.PERMUTE else "kept"
    if attribute.role is Role.OTHER or plan.release is ReleaseMode.PERMUTE:
        return "kept, never mixed" if name == plan.by else "kept"
    return _masking(name, attribute, plan)


def _steering(name: str, plan: Plan) -> list[str]:
    """Say how a column that is not masked bears on the groups."""
    tables = [table for table in plan.steer if name in table.columns]
    words = [f"steers the groups ({table.kind}, weight {table.weight:g})" for table in tables]
    if plan.dependence is not None and name in plan.dependence_names():
        words.append(f"groups are alike in it (dependence {plan.dependence.weight:g})")
    return words


def _masking(name: str, attribute: Attribute, plan: Plan) -> str:
    mixed = METHODS[plan.method].masks_values
    weighted = "weighted " if plan.weights and attribute.operator is Operator.MEAN else ""
    group = _WORDS.get(attribute.operator, f"{weighted}{attribute.operator.value.replace('_', ' ')} of the group")
    words = ["mixed with the other values" if mixed else group]
    if attribute.latitude is not None:
        return f"with {attribute.latitude}"
    if attribute.kind is not None and not attribute.kind.is_categorical:
        if plan.preserve_variance and attribute.kind.is_continuous:
            words.append("stretched to its variance")
        if attribute.compared != "date" and (plan.round if attribute.round is None else attribute.round):
            words.append("rounded")
        words.append(f"compared by {(attribute.scale or plan.scale).value}")
    if attribute.weight is not None:
        words.append(f"weight {attribute.weight:g}")
    words += [f"then the sum of {', '.join(map(repr, total.parts))}" for total in plan.totals if total.total == name]
    words.append(f"missing: {plan.missing_policy(name).value}")
    return ", ".join(words)
