"""Both sides of a release, as an edition of the report may look at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column, read_column
from shoal.frames import Table
from shoal.kinds import DIRECTIONAL, Kind, Missing
from shoal.measure import visible_groups
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.gaps import open_table
from shoal.recode import Recoded
from shoal.report.classes_of_column import ClassesOfColumn, classes_by_column
from shoal.report.data import Distribution
from shoal.report.distributions import distribution
from shoal.report.edition import Edition, Guard
from shoal.run.recoded import recoded
from shoal.run.release import Release

Columns = Sequence[tuple[Column, Column]]
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
    guard
        What the edition may show.
    """

    recoding: Recoded
    whole: Table
    table: Table
    released: Table
    labels: NDArray[np.int64]
    guard: Guard

    @classmethod
    def of(cls, original: Any, release: Release, plan: Plan, edition: Edition) -> Sides:
        """Put a release beside the table it was made from; the release stands in its order."""
        recoding = recoded(open_table(original, plan), plan, judge_totals=False)
        # What recoding hides, rare names and values beyond a bound, is hidden from external readers of the original.
        whole = recoding.table if edition is Edition.EXTERNAL else recoding.before
        table = whole.take(release.rows) if len(release.rows) < len(whole) else whole
        released = open_table(release.data, plan)
        return cls(recoding, whole, table, released, visible_groups(release, plan), Guard(edition, len(table), plan.k))

    @property
    def dropped(self) -> int:
        """How many records did not leave."""
        return len(self.whole) - len(self.table)

    def columns(self, plan: Plan, names: Iterable[str] | None = None) -> Columns:
        """Read quasi-identifiers and confidential attributes of both; missing cells are no mistake here."""
        return [
            self._column(plan, name)
            for name in names or (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
        ]

    def _column(self, plan: Plan, name: str) -> tuple[Column, Column]:
        spec = replace(plan.spec(name), missing=Missing.IMPUTE)
        if spec.kind in DIRECTIONAL:  # shown as the numbers that they are written by
            spec = replace(spec, kind=Kind.NUMERIC)
        return read_column(self.table, spec), read_column(self.released, replace(spec, generalized=True))

    def classes(self, plan: Plan, columns: Columns) -> Mapping[str, ClassesOfColumn]:
        """Return the classes of columns of which an external reader knows no more than means and sizes."""
        return classes_by_column(list(columns), self.labels, plan) if self.guard.external else {}

    def spread(self, plan: Plan, columns: Columns, classes: Mapping[str, ClassesOfColumn]) -> tuple[Distribution, ...]:
        """Return how columns are spread before and after, as far as the edition may show it."""
        masked = plan.names(Role.QUASI_IDENTIFIER) if plan.release is ReleaseMode.AGGREGATE else ()
        return tuple(
            distribution(
                before,
                after,
                self.guard,
                role=plan.attributes[before.name].role,
                masked=before.name in masked,
                classes=classes.get(before.name),
            )
            for before, after in columns
        )
