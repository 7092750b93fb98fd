"""What a cluster is not asked for: options that need all records in one place are refused before a job starts."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import PlanError
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute_blocks import MadeBlocks
from shoal.plan.sections import CLOSENESS, way_of


def require_supported(plan: Plan) -> None:
    """Refuse a plan that Spark cannot keep, naming the option.

    Raises
    ------
    PlanError
        The option, why not, and what would do.
    """
    for reason in _reasons(plan):
        raise PlanError(f"{reason}; or anonymize the table on one machine")


def _reasons(plan: Plan) -> Iterator[str]:
    for table in plan.steer:
        if table.kind != "column":
            yield f'steer kind = "{table.kind}" needs the order of all records, which a table of Spark does not have'
    if METHODS[plan.method].masks_values:
        yield f"method = {plan.method!r} mixes values of all records, which lie in fragments on Spark"
    if plan.release is not ReleaseMode.AGGREGATE:
        yield f'release = "{plan.release.value}" is judged by groups that a released table does not show'
    if plan.blocks is not None and isinstance(plan.blocks, MadeBlocks):
        yield "blocks.make needs the correlations of all records: list the blocks"
    if plan.order == "keep":
        yield 'order = "keep" needs an order of rows, which a table of Spark does not have: leave order out'
    if plan.suppress is not None:
        yield "suppress chooses the costliest of all records, which lie in fragments on Spark"
    if plan.refine_seconds is not None:
        yield "refine_seconds lets the clock of each worker decide what is released: choose an effort"
    section = getattr(plan, CLOSENESS)
    if section is None:
        return
    if section.n is not None:
        yield "closeness.n compares groups with those around them, which may lie in other fragments"
    if section.marginality:
        yield "closeness.marginality orders categories by all records: declare their order"
    way = way_of(plan)
    if way is not None and way.unit_range:
        yield f"closeness.method = {way.name!r} needs the order of all records: take t_first"
    if getattr(section, "strata", "first") == "all":
        yield 'closeness.strata = "all" cuts strata inside strata of all records: leave it out'
