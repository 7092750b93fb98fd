"""Whether the choices of a plan go together: each idea refuses what contradicts it, or would change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import nearest
from shoal.kinds import Scale
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.plan.attribute_blocks import check_blocks
from shoal.plan.direction import check_places
from shoal.plan.masking import check_masking
from shoal.plan.recoding import check_references
from shoal.plan.refinement import check_refinement
from shoal.plan.sections import refuse_unused_options
from shoal.plan.steer_tables import check_compared, check_dependence, check_steer
from shoal.plan.stream import check_stream
from shoal.plan.subject import check_keep_subject, check_subject
from shoal.plan.suppress import check_suppress_key
from shoal.plan.totals import check_totals
from shoal.plan.way_to_closeness import check_way
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
    check_subject(plan)
    check_keep_subject(plan)
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
    check_references(plan)
    check_totals(plan)
    check_suppress_key(plan)
    check_masking(plan)
    check_refinement(plan)


def _check_columns(plan: Plan) -> None:
    """Refuse ``by`` and ``weights`` that name a column which cannot serve."""
    for option in ("by", "weights"):
        column = getattr(plan, option)
        if column is None:
            continue
        if column not in plan.attributes:
            raise ValueError(
                f"{option} names {column!r}, which attributes do not declare{nearest(column, plan.attributes)}"
            )
        if plan.attributes[column].role is Role.IDENTIFIER:
            raise ValueError(f"{option} names {column!r}, which is an identifier and never leaves")
    if plan.by is not None and plan.attributes[plan.by].role is Role.CONFIDENTIAL:
        raise ValueError(f"by names {plan.by!r}, which is confidential: groups of one value would disclose it")
    if plan.weights is not None and plan.attributes[plan.weights].role is Role.QUASI_IDENTIFIER:
        raise ValueError(f"weights names {plan.weights!r}, which is a quasi_identifier: give it another role")
