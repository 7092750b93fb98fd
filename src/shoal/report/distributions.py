"""How a column is spread before and after."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.report import categorical, continuous
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Distribution
from shoal.report.edition import Guard

WITHHELD = "Too few records share a value of this column to show how it is spread."
KEPT = "Released as it is."


def distribution(column: Continuous | Codes, guard: Guard, *, role: Role, masked: bool = False) -> Distribution:
    """Return how a column is spread in the original and in the released table, as far as the edition may show it.

    Parameters
    ----------
    column
        The column in both tables.
    guard
        Who reads it.
    role
        What the plan says it is.
    masked
        Whether other values may stand for its own: averages, or those of others. External readers see it as changed
        then, even if it is not: that all values of a class are alike is theirs to wonder.
    """
    changed = (masked and guard.external) or column.changed > 0
    if isinstance(column, Continuous):
        bins = continuous.interval_bins(column, guard, changed=changed)
        summary = continuous.summary(column, guard)
        if not changed:
            sentence = KEPT
        else:
            sentence = continuous.variance_sentence(column.lost) if guard.external else continuous.sentence(column)
    else:
        bins = categorical.category_bins(column, guard, changed=changed)
        summary = categorical.summary(column, guard)
        sentence = categorical.sentence(column, guard) if changed else KEPT
    return Distribution(
        name=column.name,
        role=role.value,
        kind=column.kind.value,
        unit=guard.unit,
        bins=bins,
        sentence=sentence if bins else WITHHELD,
        changed=changed,
        summary=summary,
    )


def distributions_of(columns: Iterable[Continuous | Codes], plan: Plan, guard: Guard) -> tuple[Distribution, ...]:
    """Return how columns are spread before and after, by their roles in a plan."""
    permuted = plan.release is ReleaseMode.PERMUTE
    masked = plan.names(Role.CONFIDENTIAL if permuted else Role.QUASI_IDENTIFIER)
    return tuple(
        distribution(column, guard, role=plan.attributes[column.name].role, masked=column.name in masked)
        for column in columns
    )
