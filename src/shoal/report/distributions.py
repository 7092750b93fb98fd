"""How a column is spread before and after."""

from __future__ import annotations

from shoal.encode import Column
from shoal.kinds import CONTINUOUS
from shoal.plan.attribute import Role
from shoal.report import categorical, continuous
from shoal.report.categorical import Codes
from shoal.report.data import Distribution
from shoal.report.edition import Guard

WITHHELD = "Too few records share a value of this column to show how it is spread."
KEPT = "Released as it is."


def distribution(before: Column, after: Column, guard: Guard, *, role: Role) -> Distribution:
    """Return how a column is spread in the original and in the released table, as far as the edition may show it."""
    if before.kind in CONTINUOUS:
        changed = changed_records(before, after) > 0
        bins = continuous.interval_bins(before, after, guard)
        summary = continuous.summary(before, after, guard)
        sentence = continuous.sentence(before, after) if bins and changed else KEPT
    else:
        codes = Codes.of(before, after)
        changed = codes.changed > 0
        bins = categorical.category_bins(codes, guard)
        summary = categorical.summary(codes, guard)
        sentence = categorical.sentence(codes, guard) if changed else KEPT
    return Distribution(
        name=before.name,
        role=role.value,
        kind=before.kind.value,
        unit=guard.unit,
        bins=bins,
        sentence=sentence if bins else WITHHELD,
        changed=changed,
        summary=summary,
    )


def changed_records(before: Column, after: Column) -> int:
    """Return the number of records that have another value than before."""
    if before.kind in CONTINUOUS:
        return continuous.changed_records(before, after)
    return Codes.of(before, after).changed
