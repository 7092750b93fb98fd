"""How a column is spread before and after."""

from __future__ import annotations

from shoal.encode import Column
from shoal.kinds import CONTINUOUS
from shoal.plan.attribute import Role
from shoal.report import categorical, continuous
from shoal.report.categorical import Codes
from shoal.report.classes_of_column import ClassesOfColumn
from shoal.report.data import Distribution
from shoal.report.edition import Guard
from shoal.report.numbers import as_numbers

WITHHELD = "Too few records share a value of this column to show how it is spread."
KEPT = "Released as it is."


def distribution(
    before: Column,
    after: Column,
    guard: Guard,
    *,
    role: Role,
    masked: bool = False,
    classes: ClassesOfColumn | None = None,
) -> Distribution:
    """Return how a column is spread in the original and in the released table, as far as the edition may show it.

    Parameters
    ----------
    before, after
        The column in both tables.
    guard
        Who reads it.
    role
        What the plan says it is.
    masked
        Whether averages stand for its numbers. External readers see it as changed then, even if it is not: that all
        values of a class are alike is theirs to wonder.
    classes
        Its classes, if their means and sizes are all that an external reader knows of them.
    """
    if before.kind in CONTINUOUS:
        changed = (masked and guard.external) or continuous.changed_records(before, after) > 0
        bins = continuous.interval_bins(before, after, guard, classes, changed=changed)
        lost = variance_lost(before, after, classes)
        summary = continuous.summary(before, after, guard, lost)
        if not changed:
            sentence = KEPT
        else:
            sentence = continuous.variance_sentence(lost) if guard.external else continuous.sentence(before, after)
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


def variance_lost(before: Column, after: Column, classes: ClassesOfColumn | None) -> tuple[int, int] | None:
    """Return between which percents the lost share of a column's variance lies, as far as external readers may know."""
    return None if classes is None else classes.variance_lost(as_numbers(before), as_numbers(after))
