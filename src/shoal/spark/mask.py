"""Mask: one fragment through the same stages as a table on one machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

from shoal.frames import Table
from shoal.masking.inputs import WholeTable, read_inputs
from shoal.masking.mask import domain_column, mask_table
from shoal.masking.preflight import require_feasible
from shoal.masking.pseudonyms import pseudonym_column
from shoal.masking.row_order import shuffled_rows
from shoal.plan import Plan
from shoal.spark.fields import BEFORE, FRAGMENT, GROUP, LOSS, SUBJECT
from shoal.spark.pair import PairedLook, in_one_row
from shoal.spark.shuffle import Batches, on_fragments

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False)
class FragmentMask:
    """Masks the records of a fragment.

    Parameters
    ----------
    plan
        What is asked.
    schema
        Of the released table.
    whole
        What is known of the whole table; None where the fragment is the whole table, and tells everything by itself.
    key
        Makes pseudonyms, where subjects leave by them.
    look
        Looks at records beside their originals, where that is measured.

    Notes
    -----
    The records of a fragment come in any order. They are sorted by their values first, so that ties are broken alike in
    every run, and leave in an order that only who has the fragment can know.
    """

    plan: Plan
    schema: pa.Schema
    whole: WholeTable | None = None
    look: PairedLook | None = None
    key: bytes | None = field(default=None, repr=False)

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Return the masked records."""
        fragment = fragment.drop_columns([FRAGMENT])
        fragment = fragment.take(canonical_order(fragment))
        start = None
        if GROUP in fragment.column_names:
            start = np.unique(fragment[GROUP].to_numpy(), return_inverse=True)[1].astype(np.int64)
            fragment = fragment.drop_columns([GROUP])
        subjects = fragment[SUBJECT] if SUBJECT in fragment.column_names else None
        before = {
            name.removeprefix(BEFORE): fragment[name] for name in fragment.column_names if name.startswith(BEFORE)
        }
        more = [*(BEFORE + name for name in before), *([] if subjects is None else [SUBJECT])]
        table = Table.of(fragment.drop_columns(more))
        plan = self.plan
        inputs = read_inputs(table, plan, self.whole)
        inputs = replace(inputs, start=start)
        require_feasible(inputs, plan)
        masked = mask_table(table, inputs, plan)
        named = pseudonym_column(table, inputs, plan, self.key)
        data = table.replace({**masked.columns, **domain_column(inputs, plan), **named}, drop=plan.dropped_names())
        if self.look is not None:
            original: pa.Table = table.data
            for name, values in before.items():
                original = original.set_column(original.column_names.index(name), name, values)
            found = self.look(Table.of(original) if before else table, Table.of(data))
            data = data.append_column(LOSS, in_one_row(found, len(table)))
        if subjects is not None:
            data = data.append_column(SUBJECT, subjects)
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
    keys = {name: _sortable(table[name]) for name in names}
    return pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in names])


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_nested(column.type):
        return pa.chunked_array([pa.array([str(cell) for cell in column.to_pylist()])])
    return column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column


def masked(
    assigned: DataFrame,
    fragments: int,
    mask: FragmentMask,
    schema: T.StructType,
    before: Batches | None = None,
) -> DataFrame:
    """Return the released table: every fragment is shuffled to a worker and masked there."""
    return on_fragments(assigned, FRAGMENT, fragments, mask, schema, before=before)
