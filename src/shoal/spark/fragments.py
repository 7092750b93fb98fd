"""Fragments beside their neighbours: joined where one cannot keep what is asked, refined again across the cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.masking.centroids import subject_averages
from shoal.masking.inputs import WholeTable, read_inputs
from shoal.masking.mask import mask_table
from shoal.masking.preflight import require_feasible
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.plan.keys import UNREFINED
from shoal.points import Points
from shoal.protect import asked
from shoal.spark.fields import FRAGMENT, GROUP, SUBJECT, on_tables, quoted
from shoal.spark.locate import Assignment, Locator
from shoal.spark.mask import canonical_order
from shoal.spark.shuffle import Gather, shuffled

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


ABLE = "__shoal_able"


@dataclass(frozen=True, eq=False)
class FragmentCheck:
    """Says whether the records of a fragment, all in one group or all of a domain, keep every rule."""

    plan: Plan
    whole: WholeTable

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Return the number of the fragment, and the verdict."""
        number = fragment[FRAGMENT][0].as_py()
        table = Table.of(fragment.drop_columns([name for name in (FRAGMENT, SUBJECT) if name in fragment.column_names]))
        domains = None if self.plan.by is None else np.unique(table.class_codes(self.plan.by), return_inverse=True)[1]
        demand = replace(self.plan.demand(), distributions=self.whole.distributions)
        able = True
        for guarantee in asked(demand):
            if not any(name in demand.distributions for name in demand.confidential) or not guarantee.section:
                continue
            try:
                guarantee.require_feasible(demand, guarantee.rules(demand, table), domains)
            except GuaranteeError:
                able = False
        return pa.table({FRAGMENT: [number], ABLE: [able]})


def unable_fragments(assigned: DataFrame, plan: Plan, whole: WholeTable) -> NDArray[np.int64]:
    """Return the fragments that cannot keep what is asked of confidential attributes, by one job of Spark."""
    names = dict.fromkeys((*whole.distributions, *([] if plan.by is None else [plan.by])))
    schema = T.StructType([T.StructField(FRAGMENT, T.LongType()), T.StructField(ABLE, T.BooleanType())])
    checked = (
        assigned.select(*map(quoted, names), FRAGMENT)
        .groupBy(FRAGMENT)
        .applyInArrow(on_tables(FragmentCheck(plan, whole)), schema)
        .where(~F.col(ABLE))
    )
    return np.array(sorted(row[FRAGMENT] for row in checked.collect()), dtype=np.int64)


def join(numbers: NDArray[np.int64], unable: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of every fragment with each unable one joined to the next, or the last to the one before.

    Examples
    --------
    >>> join(np.arange(4), np.array([1, 3])).tolist()
    [0, 1, 1, 1]
    """
    present = np.unique(numbers)
    joined = numbers.copy()
    for fragment in unable:
        place = int(np.searchsorted(present, fragment))
        other = present[place + 1] if place + 1 < len(present) else present[place - 1]
        joined[joined == joined[np.flatnonzero(numbers == other)[0]]] = joined[np.flatnonzero(numbers == fragment)[0]]
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def renumbered(assigned: DataFrame, numbers: NDArray[np.int64]) -> DataFrame:
    """Return the table with other numbers of fragments."""
    if (numbers == np.arange(len(numbers))).all():
        return assigned
    lookup = F.array(*(F.lit(int(number)) for number in numbers))
    return assigned.withColumn(FRAGMENT, F.element_at(lookup, (F.col(FRAGMENT) + 1).cast("int")).cast("long"))


_ROOM = 1 << 32
"""More groups than a fragment has."""


def why_not_shifted(plan: Plan, fragments: int) -> str | None:
    """Return why there is no second pass, in a clause; None where there is one."""
    if fragments == 1:
        return "there is one fragment"
    if plan.refine == UNREFINED:
        return "refine is off"
    if plan.subject_column() is not None:
        return "whole subjects stay in the fragment that they were grouped in"
    if plan.by is not None:
        return "groups stay inside their value of by"
    if number_of_blocks(plan) > 1:
        return "records are grouped in several blocks"
    return None


@dataclass(frozen=True, eq=False)
class GroupFormer:
    """Forms the groups of a fragment, not refined yet, and says where each of them goes next."""

    plan: Plan
    locator: Locator
    whole: WholeTable

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Return the records with their group, and the shifted fragment of that group."""
        number = fragment[FRAGMENT][0].as_py()
        fragment = fragment.drop_columns([FRAGMENT])
        fragment = fragment.take(canonical_order(fragment))
        table = Table.of(fragment)
        inputs = read_inputs(table, self.plan, self.whole)
        require_feasible(inputs, self.plan)
        labels = mask_table(table, inputs, self.plan).partition.labels
        points = inputs.encoder.apply(inputs.quasi_identifiers)
        goes_to = self._shifted(points, labels)[labels]
        fragment = fragment.append_column(FRAGMENT, pa.array(goes_to))
        return fragment.append_column(GROUP, pa.array(number * _ROOM + labels))

    def _shifted(self, points: Points, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the shifted fragment of each group, by the place of its average record on the line of cells."""
        locator, layout = self.locator, self.locator.layout
        assert layout.starts is not None
        assert layout.sizes is not None
        assert layout.cells is not None
        averages = subject_averages(replace(points, subjects=labels.astype(np.int32)))
        middle = np.full(len(averages), layout.strata // 2)
        cell = locator.cuts.locate(averages, middle)
        size = max(int(layout.sizes[layout.strata // 2]), 1)
        place = 2 * layout.starts[middle, cell] + layout.cells[middle, cell]
        # Half a fragment further on: there is one more than before, and the first and the last are halves.
        return np.asarray((place * layout.count + size) // (2 * size))


def regrouped(assigned: Assignment, former: GroupFormer) -> Assignment:
    """Return the table with the group of each record and the shifted fragment of that group, or what adds both."""
    gather = Gather(FRAGMENT, former)
    together = shuffled(assigned.table, FRAGMENT, assigned.fragments, before=assigned.before)
    fragments = former.locator.layout.count + 1
    if assigned.before is not None:
        return Assignment(together, fragments, before=gather)
    fields = [field for field in assigned.table.schema.fields if field.name != FRAGMENT]
    added = [T.StructField(name, T.LongType(), nullable=True) for name in (FRAGMENT, GROUP)]
    return Assignment(together.mapInArrow(gather, T.StructType([*fields, *added])), fragments)
