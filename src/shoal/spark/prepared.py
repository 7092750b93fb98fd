"""A Spark table as its plan compares it: cells that mean "no value" are missing, and columns are recoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.gaps import missing_values, open_table
from shoal.run.inputs import check_columns
from shoal.run.recoded import recoded, recoded_columns
from shoal.spark.fields import BEFORE
from shoal.spark.schema import expected_types, read_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BATCH = 1 << 17
"""Records that are worked on at once: fewer cost more calls, more cost memory."""


@dataclass(frozen=True)
class Recoder:
    """Recodes batches of a table, each by itself."""

    plan: Plan
    schema: Any
    kept: tuple[str, ...] = ()

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches as the plan compares them."""
        for table in gathered(batches):
            yield from recode_part(table, self.plan, self.kept).cast(self.schema).to_batches()


def recode_part(part: pa.Table, plan: Plan, kept: Iterable[str]) -> pa.Table:
    """Return some records as the plan compares them, with what some columns held before."""
    made = recoded(open_table(part, plan), plan)
    table: pa.Table = made.table.data
    for name in kept:
        table = table.append_column(BEFORE + name, made.before.data[name])
    return table


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Return batches as tables of many records."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= BATCH:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def prepared(frame: DataFrame, plan: Plan, *, keep: bool = False) -> DataFrame:
    """Check that table and plan name the same columns, and return the table as it is compared.

    Parameters
    ----------
    frame, plan
        The table, and what is asked.
    keep
        Whether what recoded columns held before is kept beside them.

    Raises
    ------
    DataError
        A column is not declared, or cannot be of the kind that the plan says.
    """
    check_columns(tuple(frame.columns), plan)
    if not missing_values(plan, frame.columns) and not plan.recodings():
        read_schema(frame, plan)
        return frame
    arrow = expected_types(frame)
    measured = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    kept = tuple(name for name in recoded_columns(plan) if name in measured) if keep else ()
    schema = recode_part(arrow.empty_table(), plan, kept).schema
    fields = []
    for name in schema.names:
        field = frame.schema[name.removeprefix(BEFORE)]
        same = schema.field(name).type == arrow.field(field.name).type
        fields.append(T.StructField(name, field.dataType if same else T.DoubleType(), nullable=True))
    ready = frame.mapInArrow(Recoder(plan, schema, kept), T.StructType(fields))
    read_schema(ready, plan)
    return ready
