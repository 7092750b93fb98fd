"""Both sides of a release, as an edition of the report may look at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.column import Column
from shoal.kinds.registry import read_column
from shoal.masking.recoding import recoded
from shoal.measures import visible_groups
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_cells import open_table
from shoal.recode import Recoded
from shoal.report.categorical import Codes
from shoal.report.classes_of_column import (
    classes_by_column,
    counted_by_record,
    open_columns,
    operators_by_column,
)
from shoal.report.continuous import Continuous
from shoal.report.edition import Guard
from shoal.run.release import Release

Pairs = Sequence[tuple[Column, Column]]
"""Columns before and after."""


@dataclass(frozen=True, eq=False)
class Sides:
    """The original and the release beside each other, in the order of the original.

    Parameters
    ----------
    recoding
        What was done with the original before records were compared.
    whole, table
        The original as the edition may see it, and those of its records that left.
    released
        The released table.
    labels
        The group of each record, as a reader of the release sees it.
    """

    recoding: Recoded
    whole: Table
    table: Table
    released: Table
    labels: NDArray[np.int64]

    @classmethod
    def of(cls, original: Any, release: Release, plan: Plan, guard: Guard) -> Sides:
        """Put a release beside the table it was made from; the release stands in its order."""
        recoding = recoded(open_table(original, plan), plan, judge_totals=False)
        # What recoding hides, rare names and values beyond a bound, is hidden from external readers of the original.
        whole = recoding.table if guard.external else recoding.before
        table = whole.take(release.rows) if len(release.rows) < len(whole) else whole
        return cls(recoding, whole, table, open_table(release.data, plan), visible_groups(release, plan))

    @property
    def dropped(self) -> int:
        """How many records did not leave."""
        return len(self.whole) - len(self.table)

    def pairs(self, plan: Plan, names: Iterable[str] | None = None) -> Pairs:
        """Read quasi-identifiers and confidential attributes of both, or some of them."""
        return report_columns(self.table, self.released, plan, names)

    def columns(self, plan: Plan, guard: Guard, pairs: Pairs) -> tuple[Continuous | Codes, ...]:
        """Return what a report knows of columns; for external readers, judged by the classes of all of them."""
        opened = self._open_pairs(plan, pairs) if guard.external else []
        classes = classes_by_column(opened, self.labels, plan)
        operators = operators_by_column(plan)
        by_label = {before.name for before, _ in opened} & operators.keys()
        return tuple(
            Continuous.of(before, after, classes.get(before.name))
            if before.kind.is_continuous
            else Codes.of(before, after, self.labels, operators[before.name])
            if before.name in by_label
            else Codes.of(before, after)
            for before, after in pairs
        )

    def _open_pairs(self, plan: Plan, pairs: Pairs) -> Pairs:
        """Return the columns of which readers know no more than what each class left with, and its records."""
        if not counted_by_record(plan, self.released):
            return []
        masked = [after for before, after in pairs if before.name in plan.names(Role.QUASI_IDENTIFIER)]
        names = open_columns(masked, self.labels, plan)
        return [pair for pair in pairs if pair[0].name in names]


def report_columns(table: Table, released: Table, plan: Plan, names: Iterable[str] | None = None) -> Pairs:
    """Read quasi-identifiers and confidential attributes of both tables, or some of them.

    Missing cells are no mistake here.
    """
    known = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    return [_pair(table, released, plan, name) for name in (known if names is None else names)]


def _pair(table: Table, released: Table, plan: Plan, name: str) -> tuple[Column, Column]:
    spec = plan.spec(name)
    spec = replace(spec, kind=spec.kind.in_files, missing=Missing.IMPUTE)
    return read_column(table, spec), read_column(released, replace(spec, generalized=True))
