"""A Spark table as its plan compares it: cells that mean "no value" are missing, and columns are recoded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import types as T

from shoal.masking.inputs import check_columns
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_cells import missing_values, open_table
from shoal.recode.rare import KnownRare
from shoal.spark.fields import BEFORE
from shoal.spark.locate import with_subjects
from shoal.spark.recodings import Asked, before_clipping, known_bounds, known_rare, needs_bounds
from shoal.spark.schema import expected_types, read_schema
from shoal.spark.shuffle import in_batches
from shoal.spark.totals import require_sums_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _recode_part(part: pa.Table, plan: Plan, asked: Asked, kept: Iterable[str]) -> pa.Table:
    """Return some records as the plan compares them, with what some columns held before."""
    made = recoded(open_table(part, plan), plan, judge_totals=False, asked=asked)
    table: pa.Table = made.table.data
    for name in kept:
        table = table.append_column(BEFORE + name, made.before.data[name])
    return table


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table as its plan compares it, and the recodings with what they must know of the whole of it."""

    table: DataFrame
    asked: Asked


def prepared(frame: DataFrame, plan: Plan, *, keep: bool = False) -> Prepared:
    """Check that table and plan name the same columns, and return the table as it is compared.

    What recoded columns held before may be kept beside them.

    Raises
    ------
    DataError
        A column is not declared, or cannot be of the kind that the plan says.
    """
    check_columns(tuple(frame.columns), plan)
    if not missing_values(plan, frame.columns) and not plan.recodings():
        read_schema(frame, plan)
        require_sums_of(frame, plan)
        return Prepared(frame, {})
    opened = _recoded_by(frame, plan, {}, ())
    require_sums_of(opened, plan)
    asked = {name: dict(keys) for name, keys in plan.recodings().items()}
    clips = needs_bounds(plan)
    if clips:
        for name, option in known_bounds(_recoded_by(frame, plan, before_clipping(plan), ()), clips).items():
            asked[name]["clip"] = option
    for name, rare in known_rare(with_subjects(opened, plan), plan).items():
        asked[name]["rare"] = rare
    measured = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    kept = tuple(name for name in plan.recoded_names() if name in measured) if keep else ()
    ready = _recoded_by(frame, plan, asked, kept)
    read_schema(ready, plan)
    return Prepared(ready, asked)


def _recoded_by(frame: DataFrame, plan: Plan, asked: Asked, kept: tuple[str, ...]) -> DataFrame:
    """Return the table as some recodings leave it; cells that mean "no value" are missing."""
    arrow = expected_types(frame)
    schema = _recode_part(arrow.empty_table(), plan, asked, kept).schema
    for name, keys in asked.items():
        if isinstance(keys.get("rare"), KnownRare) and keys["rare"].names:  # what they become is text
            place = schema.get_field_index(name)
            kind = schema.field(name).type
            text = kind if pa.types.is_string(kind) or pa.types.is_large_string(kind) else pa.string()
            schema = schema.set(place, schema.field(name).with_type(text))
    fields = []
    for name in schema.names:
        field = frame.schema[name.removeprefix(BEFORE)]
        kind = schema.field(name).type
        same = kind == arrow.field(field.name).type
        into = field.dataType if same else T.DoubleType() if pa.types.is_floating(kind) else T.StringType()
        fields.append(T.StructField(name, into, nullable=True))
    recode = in_batches(lambda part: _recode_part(part, plan, asked, kept).cast(schema))
    return frame.mapInArrow(recode, T.StructType(fields))
