"""Whether the choices of a plan go together: each idea refuses what contradicts it, or would change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.kinds import Missing, Scale
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role, check_places, require_declared
from shoal.plan.attribute_blocks import check_blocks, number_of_blocks, why_not_guaranteed
from shoal.plan.plan_keys import RECORD, UNREFINED
from shoal.plan.registered_keys import check_way, refuse_unused_options
from shoal.plan.steer_tables import check_compared, check_dependence, check_steer
from shoal.plan.stream import check_stream
from shoal.plan.totals import check_totals
from shoal.protect import asked

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def check_consistency(plan: Plan) -> None:
    """Refuse choices that do not go together."""
    METHODS.named(plan.method)
    if not plan.names(Role.QUASI_IDENTIFIER):
        raise ValueError("attributes must declare at least one quasi_identifier: without one there is nothing to mask")
    refuse_unused_options(plan, METHODS, plan.method, "method {}")
    check_places(plan)
    check_blocks(plan)
    _check_subject(plan)
    _check_keep_subject(plan)
    _check_columns(plan)
    demand = plan.demand()
    for guarantee in asked(demand):
        guarantee.check_options(demand)
    check_way(plan)
    if plan.dependence is not None:
        check_dependence(plan.dependence, plan.attributes)
    if plan.steer:
        if plan.scale is not Scale.MINMAX:
            raise ValueError('steer compares quasi-identifiers on [0, 1], so scale must be "minmax": leave scale out')
        check_steer(plan.steer, plan.attributes, plan.by)
    check_compared(plan.method, plan.compared_names(), plan.attributes)
    if plan.stream is not None:
        check_stream(plan.stream, plan.attributes)
    _check_references(plan)
    check_totals(plan)
    _check_suppress(plan)
    _check_masking(plan)
    _check_refinement(plan)


def _check_keep_subject(plan: Plan) -> None:
    """Refuse pseudonyms where there is no subject to follow, or no group of whole subjects."""
    if plan.keep_subject is None:
        return
    asked = f'keep_subject = "{plan.keep_subject}"'
    if plan.subject_column() is None:
        raise ValueError(f"{asked} needs subject to name a column: without one there is nobody to follow")
    if plan.release == "permute":
        raise ValueError(
            f'{asked} lets rows be followed, and release = "permute" gives them the confidential values of others: '
            "leave one of them out"
        )
    reason = why_not_guaranteed(plan)
    if reason is not None:
        raise ValueError(
            f"{asked} shows which rows are of one subject, so k must be guaranteed, and it is not: {reason}"
        )


def _check_subject(plan: Plan) -> None:
    """Refuse a column that cannot say whom a record is about."""
    column = plan.subject_column()
    if column is None:
        return
    hint = f'; subject = "{RECORD}" says that every record is a subject of its own'
    require_declared(column, plan.attributes, "subject", hint)
    role = plan.attributes[column].role
    if role is not Role.IDENTIFIER:
        would = "would be masked" if role is Role.QUASI_IDENTIFIER else "would leave as it is"
        raise ValueError(
            f"subject names {column!r}, which is {role.value} and {would}: whom a record is about is an identifier, so "
            'give it role = "identifier"'
        )


def _check_columns(plan: Plan) -> None:
    """Refuse ``by`` and ``weights`` that name a column which cannot serve."""
    for option in ("by", "weights"):
        column = getattr(plan, option)
        if column is None:
            continue
        require_declared(column, plan.attributes, option)
        if plan.attributes[column].role is Role.IDENTIFIER:
            raise ValueError(f"{option} names {column!r}, which is an identifier and never leaves")
    if plan.by is not None and plan.attributes[plan.by].role is Role.CONFIDENTIAL:
        raise ValueError(f"by names {plan.by!r}, which is confidential: groups of one value would disclose it")
    if plan.weights is not None and plan.attributes[plan.weights].role is Role.QUASI_IDENTIFIER:
        raise ValueError(f"weights names {plan.weights!r}, which is a quasi_identifier: give it another role")


def _check_references(plan: Plan) -> None:
    """Refuse a distance from a column that is not there, or that holds no dates."""
    for name, attribute in plan.attributes.items():
        other = attribute.relative_to
        if other is None:
            continue
        where = f"relative_to of {name!r}"
        if other == name:
            raise ValueError(f"{where} names the column itself: name another column of dates")
        require_declared(other, plan.attributes, where)
        kind = plan.attributes[other].kind
        if kind is None or not kind.is_date:
            raise ValueError(
                f'{where} names {other!r}, which is not declared a date: give it kind = "date", whatever its role'
            )
        if _leaves_with(plan, name, other):
            raise ValueError(
                f"{where} hides nothing: {other!r} leaves as it is, and with it the days give the date back; make it "
                "an identifier or a quasi_identifier"
            )


def _leaves_with(plan: Plan, name: str, other: str) -> bool:
    """Whether a record leaves with both columns unmasked, and its own."""
    roles = {plan.attributes[column].role.value for column in (name, other)}
    if plan.attributes[other].clip is not None or plan.attributes[other].relative_to is not None:
        return False
    if plan.release == "permute":
        return roles in ({"confidential"}, {"other"}, {"quasi_identifier"}, {"quasi_identifier", "other"})
    return roles <= {"confidential", "other"}


def _check_masking(plan: Plan) -> None:
    """Refuse a release, weights, rescaling or rounding that no column of the plan has a use for."""
    _check_keep(plan)
    if plan.release == "permute":
        _check_permutation(plan)
        return
    masked = [plan.attributes[name] for name in plan.names(Role.QUASI_IDENTIFIER)]
    for option in ("weights", "dominance"):
        if getattr(plan, option) and not plan.averaged_names():
            raise ValueError(f"{option} changes nothing here: no quasi_identifier is masked by a mean")
    if plan.preserve_variance and not any(a.kind is not None and a.kind.is_continuous for a in masked):
        raise ValueError("preserve_variance changes nothing here: no quasi_identifier is numeric or a date")
    if plan.round and not any(a.compared is not None and a.compared.is_number for a in masked):
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


def _check_refinement(plan: Plan) -> None:
    """Refuse refinement that would change nothing."""
    if plan.refine == UNREFINED and plan.refine_seconds is not None:
        raise ValueError('refine_seconds changes nothing here: refine is "none", so say how much to try')
    if plan.refine != UNREFINED and METHODS[plan.method].masks_values:
        raise ValueError(f"refine changes nothing here: method {plan.method} masks values, and forms no groups")


def _check_suppress(plan: Plan) -> None:
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
