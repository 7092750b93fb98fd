"""Shuffle: each fragment to a partition of its own, so that Spark need not sort records to tell fragments apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.spark.batches import BATCH
from shoal.spark.packed import Batches, Packer, pack_schema, unpacked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, eq=False)
class Gather:
    """Gives a function all records of a fragment at once.

    Parameters
    ----------
    key
        The column that says which fragment a record belongs to.
    work
        From the table of a fragment to what comes of it.

    Notes
    -----
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
    """Bring the records of each fragment together, and do some work on each.

    Parameters
    ----------
    frame, key
        The table, and its column of fragments, numbered from 0.
    count
        How many fragments there are.
    work
        From the table of a fragment, in any order of its records, to what comes of it.
    schema
        Of what comes of it.
    before
        Adds the column of fragments, where the table has none yet; records then travel in packs.
    """
    return shuffled(frame, key, count, before=before).mapInArrow(Gather(key, work), schema)


def shuffled(frame: DataFrame, key: str, count: int, *, before: Batches | None = None) -> DataFrame:
    """Return a table with a partition for each fragment, for `Gather`."""
    if before is not None:
        frame = frame.mapInArrow(Packer(key, before), pack_schema(key))
    keys = partition_keys(frame.sparkSession, count)
    to = F.element_at(F.array(*(F.lit(int(number)) for number in keys)), (F.col(key) + 1).cast("int"))
    return frame.repartition(count, to)


def partition_keys(session: SparkSession, count: int) -> NDArray[np.int64]:
    """Return for each of so many partitions a number that Spark's own hash sends there.

    Notes
    -----
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
