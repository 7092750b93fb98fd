"""The types of a Spark table: what they are in Arrow, whether they fit the plan, and what they become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from shoal.frames import Table
from shoal.kinds import Operator
from shoal.kinds.registry import read_column
from shoal.plan import Plan
from shoal.plan.totals import in_order
from shoal.spark.fields import BEFORE, with_longitudes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def expected_types(frame: DataFrame) -> pa.Schema:
    """Return the types that the columns have in Arrow."""
    return to_arrow_schema(frame.schema, timezone="UTC")


def read_schema(frame: DataFrame, plan: Plan) -> None:
    """Read an empty table of these types by the plan, so that a column of a wrong type is refused before any job.

    Raises
    ------
    DataError
        The column, what it holds and what the plan says.
    """
    table = Table.of(expected_types(frame).empty_table())
    for name in dict.fromkeys((*plan.masked_names(), *plan.steering_names())):
        read_column(table, plan.spec(name))
    demand = plan.demand()
    for spec in demand.confidential.values() if demand.sections else ():
        read_column(table, spec)
    for key in (plan.by, plan.subject_column()):
        if key is not None:
            table.class_codes(key)


def released_schema(frame: DataFrame, plan: Plan) -> T.StructType:
    """Return the columns of the released table and their types.

    Means are doubles, ancestors in a tree are text; everything else stays what it is.
    """
    masked = {part: plan.spec(name) for name in plan.masked_names() for part in with_longitudes(plan, [name])}
    sums = {total.total: total.parts for total in plan.totals}
    whole = {
        field.name: isinstance(field.dataType, T.IntegralType)
        and all(plan.spec(part).round for part in (field.name, *sums.get(field.name, ())) if part in masked)
        for field in frame.schema.fields
    }
    for total in in_order(plan.totals):
        whole[total.total] = all(whole[part] for part in total.parts)
    fields = []
    for field in frame.schema.fields:
        if field.name in plan.dropped_names() or field.name.startswith(BEFORE):
            continue
        kind = field.dataType
        spec = masked.get(field.name)
        if spec is not None and spec.kind.is_number:
            kind = kind if whole[field.name] and isinstance(kind, T.IntegralType) else T.DoubleType()
        elif (spec is not None and spec.operator is Operator.ANCESTOR) or field.name == plan.pseudonym_column():
            kind = T.StringType()
        fields.append(T.StructField(field.name, kind, nullable=True))
    return T.StructType(fields)
