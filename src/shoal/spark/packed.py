"""Packed records: many of one fragment in one cell, so that Spark moves thousands of rows and not millions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import types as T

from shoal.spark.batches import gathered

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

    Parameters
    ----------
    key
        The column that says which fragment a record belongs to.
    work
        From batches to batches that have the column.

    Notes
    -----
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


def pack_schema(key: str) -> T.StructType:
    """Return the columns of packs."""
    return T.StructType([T.StructField(key, T.LongType()), T.StructField(PACK, T.BinaryType())])


def can_be_packed(schema: T.StructType, records: int) -> bool:
    """Whether so many records are sure to be few bytes: columns of one width, and not too many."""
    fixed = (T.NumericType, T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType)
    return all(isinstance(field.dataType, fixed) for field in schema) and 8 * len(schema) * records <= MOST


def _written(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())
