"""How a column is spread before and after, or as it is released."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.report.categorical import COMPARED, Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Distribution

EMPTY = "Too few records share a value of this column to show how it is spread."
UNCHANGED = "Released as it is."
RELEASED = "As released."


def distributions_of(columns: Iterable[Continuous | Codes], plan: Plan) -> tuple[Distribution, ...]:
    """Return how columns are spread before and after, by their roles in a plan."""
    return tuple(_distribution(column, plan.attributes[column.name].role) for column in columns)


def released_distributions(columns: Iterable[Continuous | Codes], plan: Plan) -> tuple[Distribution, ...]:
    """Return how columns are spread in a release, of which both sides are the released table.

    That a column changed is said where the plan says so: whether any value did, only the original knows.
    """
    return tuple(
        replace(
            each,
            bins=tuple(replace(bin, before=None) for bin in each.bins),
            sentence=RELEASED if each.bins else EMPTY,
            changed=each.name in plan.changed_names(),
            summary=tuple((name, None, after) for name, _, after in each.summary if name not in COMPARED),
        )
        for each in distributions_of(columns, plan)
    )


def _distribution(column: Continuous | Codes, role: Role) -> Distribution:
    changed, bins = column.changed > 0, column.bins()
    return Distribution(
        name=column.name,
        role=role.value,
        kind=column.kind.value,
        unit="records",
        bins=bins,
        sentence=EMPTY if not bins else column.sentence() if changed else UNCHANGED,
        changed=changed,
        summary=column.summary(),
    )
