"""A Spark table as its plan compares it: cells that mean "no value" are missing, and columns are recoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from shoal.plan import Plan
from shoal.plan.gaps import missing_values, open_table
from shoal.run.inputs import check_columns
from shoal.run.recoded import recoded
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

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches as the plan compares them."""
        for table in gathered(batches):
            recoded_table = recoded(open_table(table, self.plan), self.plan).table.data
            yield from recoded_table.cast(self.schema).to_batches()


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


def prepared(frame: DataFrame, plan: Plan) -> DataFrame:
    """Check that table and plan name the same columns, and return the table as it is compared.

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
    after = recoded(open_table(arrow.empty_table(), plan), plan).table
    schema = after.data.schema
    fields = [
        field if schema.field(field.name).type == arrow.field(field.name).type else _as_number(field)
        for field in frame.schema.fields
    ]
    ready = frame.mapInArrow(Recoder(plan, schema), T.StructType(fields))
    read_schema(ready, plan)
    return ready


def _as_number(field: T.StructField) -> T.StructField:
    """Recoded numbers leave as doubles."""
    return T.StructField(field.name, T.DoubleType(), nullable=True)
