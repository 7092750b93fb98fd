"""Fragments are brought together whole, each in its own partition, whatever Spark makes of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import types as T

from shoal.spark.mask import canonical_order
from shoal.spark.shuffle import Gather, on_fragments, partition_keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUMS = T.StructType([T.StructField(name, T.LongType()) for name in ("fragment", "records", "total")])


def added_up(table: pa.Table) -> pa.Table:
    numbers = set(table["fragment"].to_pylist())
    assert len(numbers) == 1, "one fragment at a time"
    return pa.table({"fragment": list(numbers), "records": [len(table)], "total": [sum(table["x"].to_pylist())]})


@pytest.mark.parametrize("count", [1, 9])
def test_every_fragment_has_a_partition_of_its_own(spark: SparkSession, count: int) -> None:
    table = pa.table({"fragment": np.arange(400) % count, "x": np.arange(400)})
    frame = spark.createDataFrame(table).repartition(3)
    found = on_fragments(frame, "fragment", count, added_up, SUMS)
    assert [found.rdd.getNumPartitions(), len(set(partition_keys(spark, count)))] == [count, count]
    expected = [(i, len(range(i, 400, count)), sum(range(i, 400, count))) for i in range(count)]
    parts = found.rdd.glom().collect()
    assert sorted(tuple(row) for part in parts for row in part) == expected
    assert [len(part) for part in parts] == [1] * count


def test_fragments_that_share_a_partition_are_told_apart():
    rows = pa.table({"fragment": [3, 1, 3, 1, 1], "x": [1, 2, 4, 8, 16]})
    batches = [*rows.slice(0, 2).to_batches(), *rows.slice(0, 0).to_batches(), *rows.slice(2).to_batches()]
    found = pa.Table.from_batches(Gather("fragment", added_up)(iter(batches)))
    assert sorted(map(tuple, (row.values() for row in found.to_pylist()))) == [(1, 3, 26), (3, 2, 5)]
    assert list(Gather("fragment", added_up)(iter([]))) == []


@pytest.mark.parametrize("first", [[3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [2.0, None, 1.0], [float("nan"), 1.0, 0.0]])
def test_the_order_of_records_is_that_of_all_their_columns(first):
    table = pa.table({"x": pa.array(first, pa.float64()), "y": [3, 2, 1], "fragment": [0, 0, 0]})
    slow = table.append_column("row", pa.array(range(3))).sort_by([("x", "ascending"), ("y", "ascending")])["row"]
    assert canonical_order(table).to_pylist() == slow.to_pylist()
