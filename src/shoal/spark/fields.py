"""Columns of a Spark table as expressions: numbers, keys, samples by them, and the names that this room adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.frames import Unit
from shoal.plan import Plan

FRAGMENT = "__shoal_fragment"
"""The fragment of a record."""
SUBJECT = "__shoal_subject"
"""Whom a record is about, as a hash of what makes two cells the same subject."""
GROUP = "__shoal_group"
"""The group of a record, in whichever fragment it was formed."""
LOSS = "__shoal_loss"
"""What a fragment found of its records beside their originals, in one of its rows."""
BEFORE = "__shoal_before_"
"""Before the name of a recoded column: what it held before, where that is measured."""
CLASSES = "__shoal_classes"
"""The part in which a class of records is judged."""


def number_of(field: T.StructField) -> Column:
    """Return a column of numbers, dates or times as a number, null where it is missing; dates as what they count."""
    column, kind = F.col(quoted(field.name)), field.dataType
    if isinstance(kind, T.DateType):
        return F.unix_date(column).cast("long")
    if isinstance(kind, T.TimestampType):
        return F.unix_micros(column)
    if isinstance(kind, T.TimestampNTZType):
        return F.expr(f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', {quoted(field.name)})")
    return _without_nan(column.cast("double"))


def unit_of(field: T.StructField) -> Unit | None:
    """Return what `number_of` counts for dates and times; None for numbers."""
    if isinstance(field.dataType, T.DateType):
        return "D"
    return "us" if isinstance(field.dataType, T.TimestampType | T.TimestampNTZType) else None


def comparable(field: T.StructField) -> Column:
    """Return a column whose cells are equal where `shoal` takes them for equal: one zero, and one kind of missing."""
    column = F.col(quoted(field.name))
    if isinstance(field.dataType, T.FloatType | T.DoubleType):
        return _without_nan(column.cast("double")) + F.lit(0.0)
    return column if isinstance(field.dataType, T.AtomicType) else F.to_json(F.struct(column))


def content_key(frame: DataFrame, seed: int) -> Column:
    """Return a hash of a record's own cells: the same wherever and however often the record is read."""
    return F.xxhash64(F.lit(seed), *(comparable(field) for field in own_fields(frame)))


def own_fields(frame: DataFrame) -> list[T.StructField]:
    """Return the columns by which records are told apart: not what they held before they were recoded."""
    return [field for field in frame.schema.fields if not field.name.startswith(BEFORE)]


def before_recoding(frame: DataFrame) -> DataFrame:
    """Return a table with what recoded columns held before, where that was kept."""
    present = set(frame.columns)
    names = [each.name for each in own_fields(frame)]
    return frame.select(*(F.col(quoted(BEFORE + n if BEFORE + n in present else n)).alias(n) for n in names))


def with_longitudes(plan: Plan, names: Iterable[str]) -> list[str]:
    """Return columns of a plan by their names in the table: a place is two of them."""
    return [part for name in names for part in plan.spec(name).names]


def class_columns(plan: Plan) -> list[str]:
    """Return the columns of a release whose values make a class."""
    return list(dict.fromkeys((*plan.demand().quasi_identifiers, *([plan.by] if plan.by else []))))


def class_key(frame: DataFrame, plan: Plan) -> Column:
    """Return a hash of what a class looks like."""
    return F.xxhash64(*(comparable(frame.schema[name]) for name in class_columns(plan)))


def subject_count(frame: DataFrame) -> Column:
    """Return how many subjects there are: records, where a table does not tell subjects."""
    return F.count_distinct(SUBJECT) if SUBJECT in frame.columns else F.count(F.lit(1))


def class_sizes(frame: DataFrame, names: Iterable[str]) -> DataFrame:
    """Return how many subjects and records share the values of some columns, a row for each combination."""
    keys = [comparable(frame.schema[name]).alias(f"k{i}") for i, name in enumerate(dict.fromkeys(names))]
    return frame.groupBy(*keys).agg(subject_count(frame).alias("subjects"), F.count(F.lit(1)).alias("records"))


def aggregates(frame: DataFrame, columns: Iterable[Column]) -> list[Any]:
    """Return some aggregates of a table, by one job; by none where there are none."""
    named = [column.alias(f"a{i}") for i, column in enumerate(columns)]
    return list(frame.agg(*named).collect()[0]) if named else []


Key = TypeVar("Key")


def aggregates_of_each(frame: DataFrame, columns: Mapping[Key, Sequence[Column]]) -> dict[Key, list[Any]]:
    """Return the aggregates that are asked of each of several columns, by one job for all."""
    values = iter(aggregates(frame, chain(*columns.values())))
    return {name: list(islice(values, len(asked))) for name, asked in columns.items()}


def quoted(name: str) -> str:
    """Return the name of a column as an expression has it."""
    return "`" + name.replace("`", "``") + "`"


def number_at(numbers: NDArray[np.int64], place: str) -> Column:
    """Return which of some numbers stands at the place that a column says, from 0."""
    return F.element_at(F.array(*(F.lit(int(number)) for number in numbers)), (F.col(place) + 1).cast("int"))


def long_field(name: str) -> T.StructField:
    """Return a column of whole numbers for a schema."""
    return T.StructField(name, T.LongType(), nullable=True)


def _without_nan(column: Column) -> Column:
    return F.when(~F.isnan(column), column)


def comparable_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells that a worker has as `comparable` makes them: NaN is missing, and there is one zero."""
    return pc.add(pc.if_else(pc.is_nan(column), None, column), 0.0) if pa.types.is_floating(column.type) else column


def sortable_cells(column: Any) -> Any:
    """Return cells as Arrow sorts them: truths as numbers, what has no order by how it is written."""
    if pa.types.is_nested(column.type):
        return pa.chunked_array([pa.array([str(cell) for cell in column.to_pylist()])])
    return column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column


def without(table: pa.Table, *names: str) -> pa.Table:
    """Return a table without some columns, those of them that it has."""
    return table.drop_columns([name for name in names if name in table.column_names])


def subject_numbers(table: pa.Table) -> NDArray[np.int32] | None:
    """Return the subject of each record by a number from 0; None where the table does not tell subjects."""
    if SUBJECT not in table.column_names:
        return None
    return np.unique(table[SUBJECT].to_numpy(), return_inverse=True)[1].astype(np.int32)


def on_tables(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a plain function of one table, by which Spark tells what a group is handed to."""

    def apply(table):  # type: ignore[no-untyped-def]  # hints would say which kind of function it is
        return work(table)

    return apply


RECORDS = "__shoal_records"
_PARTS = 1 << 30


def drawn(frame: DataFrame, key: Column, records: int, size: int) -> DataFrame:
    """Return about so many of the records of a table, by a hash of each."""
    if size >= records:
        return frame
    return frame.where(F.pmod(key, F.lit(_PARTS)) < F.lit(int(_PARTS * size / records)))


def sampled(frame: DataFrame, names: Sequence[str], records: int, size: int, seed: int) -> pa.Table:
    """Return the different values of some columns in a sample, and how many sampled records have each."""
    chosen = drawn(frame, content_key(frame, seed), records, size)
    found = chosen.groupBy(*(F.col(quoted(name)) for name in names)).agg(F.count(F.lit(1)).alias(RECORDS)).toArrow()
    return found.sort_by([(name, "ascending") for name in names])
