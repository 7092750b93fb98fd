"""Records in batches, to fragments in packs, and folded: read once, every task adding up what it sees."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any, Self, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.spark.fields import long_field, number_at

BATCH = 1 << 17
"""Records that are worked on at once: fewer cost more calls, more cost memory."""


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


def in_batches(work: Callable[[pa.Table], pa.Table]) -> Batches:
    """Return what does some work on many records at a time."""

    def apply(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in gathered(batches):
            yield from work(table).to_batches()

    return apply


def with_columns(frame: DataFrame, work: Callable[[pa.Table], pa.Table], *names: str) -> DataFrame:
    """Return a table with columns of whole numbers that some work adds to many records at a time."""
    return frame.mapInArrow(in_batches(work), T.StructType([*frame.schema.fields, *map(long_field, names)]))


PACK = "__shoal_pack"
"""Records as Arrow writes them."""
LARGEST = 1 << 22
"""Bytes of a pack, about."""
MOST = 1 << 28
"""Bytes of a fragment that Java may be handed at once."""
Batches = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, eq=False)
class Packer:
    """Packs what comes of some work on batches, the records of each fragment by themselves.

    Rows that leave a worker one by one are made into Java's rows, written, read and made into Arrow's columns again.
    """

    key: str
    work: Batches

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return one row for each pack."""
        for table in gathered(self.work(batches)):
            numbers = table[self.key].to_numpy()
            order = np.argsort(numbers, kind="stable")
            rows = table.take(pa.array(order)).combine_chunks()
            ends = np.flatnonzero(np.diff(numbers[order], append=numbers.max(initial=0) + 1)) + 1
            step = max(1, LARGEST * len(rows) // max(rows.nbytes, 1))
            for start, end in zip([0, *ends[:-1]], ends, strict=True):
                places = range(start, end, step)
                packs = [_written(rows.slice(at, min(step, end - at))) for at in places]
                key = pa.array([numbers[order[start]]] * len(packs), pa.int64())
                yield pa.RecordBatch.from_arrays([key, pa.array(packs, pa.binary())], names=[self.key, PACK])


def unpacked(table: pa.Table) -> pa.Table:
    """Return the records of packs, or the table as it is where nothing is packed."""
    if PACK not in table.column_names:
        return table
    return pa.concat_tables(pa.ipc.open_stream(pack.as_buffer()).read_all() for pack in table[PACK])


def can_be_packed(schema: T.StructType, records: int) -> bool:
    """Whether so many records are sure to be few bytes: columns of one width, and not too many."""
    fixed = (T.NumericType, T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType)
    return all(isinstance(field.dataType, fixed) for field in schema) and 8 * len(schema) * records <= MOST


def _written(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())


@dataclass(frozen=True, eq=False)
class Gather:
    """Gives a function all records of a fragment at once.

    A partition has the records of one fragment. Should Spark bring several to one, which is its own affair, they are
    told apart by their numbers: the answer does not depend on it.
    """

    key: str
    work: Callable[[pa.Table], pa.Table]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return what comes of the fragments of a partition."""
        waiting = [batch for batch in batches if batch.num_rows]
        if not waiting:
            return
        table = unpacked(pa.Table.from_batches(waiting))
        waiting.clear()
        numbers = pc.unique(table[self.key])
        for number in numbers:
            part = table if len(numbers) == 1 else table.filter(pc.equal(table[self.key], number))
            yield from self.work(part).to_batches(max_chunksize=BATCH)


def on_fragments(
    frame: DataFrame,
    key: str,
    count: int,
    work: Callable[[pa.Table], pa.Table],
    schema: T.StructType,
    *,
    before: Batches | None = None,
) -> DataFrame:
    """Bring the records of each fragment together, and do some work on each, in any order of its records.

    ``before`` adds the column of fragments, where the table has none yet; records then travel in packs.
    """
    return shuffled(frame, key, count, before=before).mapInArrow(Gather(key, work), schema)


def shuffled(frame: DataFrame, key: str, count: int, *, before: Batches | None = None) -> DataFrame:
    """Return a table with a partition for each fragment, for `Gather`."""
    if before is not None:
        packs = T.StructType([long_field(key), T.StructField(PACK, T.BinaryType())])
        frame = frame.mapInArrow(Packer(key, before), packs)
    return frame.repartition(count, number_at(partition_keys(frame.sparkSession, count), key))


def partition_keys(session: SparkSession, count: int) -> NDArray[np.int64]:
    """Return for each of so many partitions a number that Spark's own hash sends there.

    About n ln n numbers have one for each of n partitions. Hashes of fragments themselves would send several to one
    partition and none to another.
    """
    tried = 64 + 4 * count * count.bit_length()
    numbers = session.range(0, tried, 1, 1).select(F.pmod(F.hash(F.col("id").cast("int")), F.lit(count)).alias("to"))
    to = numbers.toArrow()["to"].to_numpy()
    keys = np.full(count, -1, dtype=np.int64)
    keys[to[::-1]] = np.arange(tried)[::-1]
    missing = np.flatnonzero(keys < 0)  # any number does, if not as well
    keys[missing] = tried + missing
    return keys


FOUND = "__shoal_found"
FOUND_SCHEMA = T.StructType([T.StructField(FOUND, T.BinaryType())])

Found = TypeVar("Found")


class Addable:
    """A dataclass of what was found of some records: two of them add up field by field, by `added` or as a field says.

    >>> from dataclasses import dataclass, field
    >>> @dataclass
    ... class Range(Addable):
    ...     records: int
    ...     greatest: int = field(metadata={"add": max})
    >>> Range(2, 7) + Range(3, 5)
    Range(records=5, greatest=7)
    """

    def __add__(self, other: Self) -> Self:
        values = {}
        for each in fields(cast(Any, self)):
            values[each.name] = each.metadata.get("add", added)(getattr(self, each.name), getattr(other, each.name))
        return type(self)(**values)


def added(one: Any, other: Any) -> Any:
    """Add up what two parts hold: mappings, sequences and tables entry by entry, anything else by its own addition.

    Examples
    --------
    >>> added({"rows": 2, "changed": [1, 0]}, {"rows": 3, "changed": [1, 1]})
    {'rows': 5, 'changed': [2, 1]}
    """
    if isinstance(one, dict):
        return {name: added(value, other[name]) for name, value in one.items()}
    if isinstance(one, list):
        return [added(*pair) for pair in zip(one, other, strict=True)]
    return pa.concat_tables([one, other]) if isinstance(one, pa.Table) else one + other


def folded(
    frame: DataFrame, look: Callable[[pa.Table], Found], add: Callable[[Found, Found], Found] = added
) -> Found | None:
    """Look at all records, many at a time, and add up what is found; None of a table without records."""

    def fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [look(table) for table in gathered(batches) if table.num_rows]
        if found:
            yield as_row(reduce(add, found)).to_batches()[0]

    parts = collected(frame.mapInArrow(fold, FOUND_SCHEMA))
    return reduce(add, parts) if parts else None


def as_row(found: object) -> pa.Table:
    """Return what a worker found as a table of one row."""
    return pa.table({FOUND: in_first_row(found, 1)})


def in_first_row(found: object, rows: int) -> pa.Array:
    """Return what a worker found as a column of so many rows, in the first of them."""
    return pa.array([pickle.dumps(found), *[None] * (rows - 1)], type=pa.binary())


def collected(rows: DataFrame) -> list[Any]:
    """Return what the workers found, of a table with that column alone."""
    return [pickle.loads(row[0]) for row in rows.collect()]
