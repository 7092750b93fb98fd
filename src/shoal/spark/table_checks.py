"""Checks of a Spark table by its plan: columns of the right types, parts that reach their totals, what is released."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema

from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import Operator
from shoal.kinds.registry import read_column
from shoal.masking.totals import check_released_totals, parts_named, records_apart
from shoal.plan import Plan
from shoal.plan.totals import in_order
from shoal.spark.exchange import folded
from shoal.spark.fields import BEFORE, quoted, with_longitudes


def expected_types(frame: DataFrame) -> pa.Schema:
    """Return the types that the columns have in Arrow."""
    return to_arrow_schema(frame.schema, timezone="UTC")


def schema_of(after: pa.Schema, before: pa.Schema, known: T.StructType) -> T.StructType:
    """Return the columns of a table in Arrow as Spark's, with the known type where it is none that Arrow had before."""
    fields = []
    for field in after:
        name = field.name if field.name in before.names else field.name.removeprefix(BEFORE)
        same = field.type == before.field(name).type
        fields.append(T.StructField(field.name, known[name].dataType if same else from_arrow_type(field.type)))
    return T.StructType(fields)


def read_schema(frame: DataFrame, plan: Plan) -> None:
    """Read an empty table of these types by the plan, so that a column of a wrong type is refused before any job."""
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


def require_sums_of(frame: DataFrame, plan: Plan) -> None:
    """Refuse a table whose parts do not reach their total, saying in how many records they do not."""
    if not plan.totals:
        return

    def count_apart(part: pa.Table) -> list[int]:
        table = Table.of(part)
        return [len(table), *(int(records_apart(table, total, total.tolerance).sum()) for total in plan.totals)]

    records, *counts = folded(_columns(frame, plan), count_apart) or [0] * (len(plan.totals) + 1)
    for total, apart in zip(plan.totals, counts, strict=True):
        if apart:
            slack = f", within {total.tolerance:g}" if total.tolerance else ""
            raise DataError(
                f"totals: {parts_named(total)} do not add up to {total.total!r}{slack} in {apart:,} of {records:,} "
                "rows: mend them, set tolerance where cells were rounded, or leave the total out of the plan"
            )


def check_totals_of(released: DataFrame, plan: Plan) -> dict[str, Any]:
    """Refuse a released table whose sums are none; return what a manifest says of them."""
    if not plan.totals:
        return {}
    return folded(_columns(released, plan), lambda part: check_released_totals(Table.of(part), plan), _together) or {}


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    pairs = zip(one["totals"], other["totals"], strict=True)
    return {"totals": [{**mine, "rows": mine["rows"] + theirs["rows"]} for mine, theirs in pairs]}


def _columns(frame: DataFrame, plan: Plan) -> DataFrame:
    return frame.select(*map(quoted, dict.fromkeys(name for total in plan.totals for name in total.columns)))
