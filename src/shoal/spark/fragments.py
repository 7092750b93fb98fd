"""Fragments: masked as tables on one machine are, joined where one falls short, refined again across the cuts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.masking.average_points import subject_averages
from shoal.masking.inputs import WholeTable, read_inputs
from shoal.masking.mask import domain_column, mask_table
from shoal.masking.preflight import require_feasible
from shoal.masking.pseudonyms import pseudonym_column
from shoal.masking.row_order import shuffled_rows
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.plan.plan_keys import UNREFINED
from shoal.points import Points
from shoal.protect import asked
from shoal.spark.exchange import Gather, in_first_row, shuffled
from shoal.spark.fields import (
    BEFORE,
    FRAGMENT,
    GROUP,
    LOSS,
    SUBJECT,
    long_field,
    number_at,
    on_tables,
    quoted,
    sortable_cells,
    without,
)
from shoal.spark.locate import Assignment, Locator
from shoal.spark.measures import PairedLook


def check_fragment(plan: Plan, whole: WholeTable, fragment: pa.Table) -> pa.Table:
    """Return the number of a fragment whose records, all in one group or all of a domain, do not keep every rule."""
    table = Table.of(without(fragment, FRAGMENT, SUBJECT))
    domains = None if plan.by is None else np.unique(table.class_codes(plan.by), return_inverse=True)[1]
    demand = replace(plan.demand(), distributions=whole.distributions)
    able = True
    for guarantee in asked(demand):
        if not any(name in demand.distributions for name in demand.confidential) or not guarantee.section:
            continue
        try:
            guarantee.require_feasible(demand, guarantee.rules(demand, table), domains)
        except GuaranteeError:
            able = False
    return fragment.select([FRAGMENT]).slice(0, 0 if able else 1)


def unable_fragments(assigned: DataFrame, plan: Plan, whole: WholeTable) -> NDArray[np.int64]:
    """Return the fragments that cannot keep what is asked of confidential attributes, by one job of Spark."""
    names = dict.fromkeys((*whole.distributions, *([] if plan.by is None else [plan.by])))
    check, schema = on_tables(partial(check_fragment, plan, whole)), T.StructType([long_field(FRAGMENT)])
    unable = assigned.select(*map(quoted, names), FRAGMENT).groupBy(FRAGMENT).applyInArrow(check, schema)
    return np.array(sorted(row[FRAGMENT] for row in unable.collect()), dtype=np.int64)


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
    return assigned.withColumn(FRAGMENT, number_at(numbers, FRAGMENT).cast("long"))


_ROOM = 1 << 32
"""More groups than a fragment has."""


def why_not_shifted(plan: Plan, fragments: int) -> str | None:
    """Return why there is no second pass, in a clause; None where there is one."""
    reasons = {
        "there is one fragment": fragments == 1,
        "refine is off": plan.refine == UNREFINED,
        "whole subjects stay in the fragment that they were grouped in": plan.subject_column() is not None,
        "groups stay inside their value of by": plan.by is not None,
        "records are grouped in several blocks": number_of_blocks(plan) > 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def form_groups(plan: Plan, locator: Locator, whole: WholeTable, fragment: pa.Table) -> pa.Table:
    """Form the groups of a fragment; return its records with their group, and the shifted fragment of that group."""
    number = fragment[FRAGMENT][0].as_py()
    fragment = fragment.drop_columns([FRAGMENT])
    fragment = fragment.take(canonical_order(fragment))
    table = Table.of(fragment)
    inputs = read_inputs(table, plan, whole)
    require_feasible(inputs, plan)
    labels = mask_table(table, inputs, plan).partition.labels
    goes_to = _shifted(locator, inputs.encoder.apply(inputs.quasi_identifiers), labels)[labels]
    fragment = fragment.append_column(FRAGMENT, pa.array(goes_to))
    return fragment.append_column(GROUP, pa.array(number * _ROOM + labels))


def _shifted(locator: Locator, points: Points, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the shifted fragment of each group, by the place of its average record on the line of cells."""
    layout = locator.layout
    averages = subject_averages(replace(points, subjects=labels.astype(np.int32)))
    middle = np.full(len(averages), layout.strata // 2)
    cell = locator.cuts.locate(averages, middle)
    size = max(int(layout.sizes[layout.strata // 2]), 1)
    place = 2 * layout.starts[middle, cell] + layout.cells[middle, cell]
    # Half a fragment further on: there is one more than before, and the first and the last are halves.
    return np.asarray((place * layout.count + size) // (2 * size))


def regrouped(assigned: Assignment, locator: Locator, plan: Plan, whole: WholeTable) -> Assignment:
    """Return the table with its records in groups that are not refined, and the shifted fragment of each of them.

    Or with what adds both.
    """
    gather = Gather(FRAGMENT, partial(form_groups, plan.replace(refine=UNREFINED), locator, whole))
    together = shuffled(assigned.table, FRAGMENT, assigned.fragments, before=assigned.before)
    fragments = locator.layout.count + 1
    if assigned.before is not None:
        return Assignment(together, fragments, before=gather)
    fields = [*assigned.table.drop(FRAGMENT).schema.fields, long_field(FRAGMENT), long_field(GROUP)]
    return Assignment(together.mapInArrow(gather, T.StructType(fields)), fragments)


@dataclass(frozen=True, eq=False)
class FragmentMask:
    """Masks the records of a fragment.

    The records of a fragment come in any order. They are sorted by their values first, so that ties are broken alike in
    every run, and leave in an order that only who has the fragment can know.
    """

    plan: Plan
    schema: pa.Schema  # of the released table
    whole: WholeTable | None = None  # None where the fragment is the whole table and tells everything by itself
    look: PairedLook | None = None  # measures records beside their originals
    key: bytes | None = field(default=None, repr=False)  # makes pseudonyms

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Return the masked records."""
        fragment = fragment.drop_columns([FRAGMENT])
        fragment = fragment.take(canonical_order(fragment))
        start = None
        if GROUP in fragment.column_names:
            start = np.unique(fragment[GROUP].to_numpy(), return_inverse=True)[1].astype(np.int64)
        before = [name for name in fragment.column_names if name.startswith(BEFORE)]
        table = Table.of(without(fragment, GROUP, SUBJECT, *before))
        plan = self.plan
        inputs = replace(read_inputs(table, plan, self.whole), start=start)
        require_feasible(inputs, plan)
        masked = mask_table(table, inputs, plan)
        named = pseudonym_column(table, inputs, plan, self.key)
        data = table.replace({**masked.columns, **domain_column(inputs, plan), **named}, drop=plan.dropped_names())
        if self.look is not None:
            original: pa.Table = table.data
            for name in before:
                place = original.column_names.index(name.removeprefix(BEFORE))
                original = original.set_column(place, original.column_names[place], fragment[name])
            loss = self.look(Table.of(original) if before else table, Table.of(data))
            data = data.append_column(LOSS, in_first_row(loss, len(table)))
        if SUBJECT in fragment.column_names:
            data = data.append_column(SUBJECT, fragment[SUBJECT])
        return data.take(pa.array(shuffled_rows(table, plan))).cast(self.schema)


def canonical_order(table: pa.Table) -> pa.Array:
    """Return the rows of a table in the order of its columns' values, one column after the other.

    Columns of no order, such as lists, go by how they are written.
    """
    names = [name for name in table.column_names if name not in (SUBJECT, GROUP) and not name.startswith(BEFORE)]
    if names and pa.types.is_float64(table[names[0]].type):
        first = table[names[0]].to_numpy()
        order = np.argsort(first)
        if (np.diff(first[order]) > 0).all():  # no two are alike, and none is missing: further columns have no say
            return pa.array(order)
    keys = {name: sortable_cells(table[name]) for name in names}
    return pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in names])
