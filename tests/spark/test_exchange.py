"""Fragments are brought together whole, each in its own partition, whatever Spark makes of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import types as T

from shoal import Plan
from shoal.spark import anonymize
from shoal.spark.exchange import Gather, Packer, can_be_packed, on_fragments, partition_keys, unpacked
from shoal.spark.fragments import canonical_order
from spark.tables import rows

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
    table = pa.table({"fragment": [3, 1, 3, 1, 1], "x": [1, 2, 4, 8, 16]})
    batches = [*table.slice(0, 2).to_batches(), *table.slice(0, 0).to_batches(), *table.slice(2).to_batches()]
    found = pa.Table.from_batches(Gather("fragment", added_up)(iter(batches)))
    assert sorted(map(tuple, (row.values() for row in found.to_pylist()))) == [(1, 3, 26), (3, 2, 5)]
    assert list(Gather("fragment", added_up)(iter([]))) == []


@pytest.mark.parametrize("first", [[3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [2.0, None, 1.0], [float("nan"), 1.0, 0.0]])
def test_the_order_of_records_is_that_of_all_their_columns(first):
    table = pa.table({"x": pa.array(first, pa.float64()), "y": [3, 2, 1], "fragment": [0, 0, 0]})
    slow = table.append_column("row", pa.array(range(3))).sort_by([("x", "ascending"), ("y", "ascending")])["row"]
    assert canonical_order(table).to_pylist() == slow.to_pylist()


def test_packs_hold_every_record_once_and_one_fragment_each(monkeypatch):
    monkeypatch.setattr("shoal.spark.exchange.LARGEST", 400)
    table = pa.table({"fragment": np.arange(300) % 3, "x": np.arange(300.0), "y": [None, 1, 2] * 100})
    packs = list(Packer("fragment", iter)(table.to_batches(max_chunksize=70)))
    assert sum(map(len, packs)) > len(packs), "large fragments come in several packs"
    for pack in packs:
        records = unpacked(pa.Table.from_batches([pack]))
        assert set(records["fragment"].to_pylist()) == set(pack["fragment"].to_pylist())
    assert unpacked(pa.Table.from_batches(packs)).sort_by("x").equals(table)
    assert unpacked(table) is table


def test_packs_are_for_columns_of_one_width():
    number, text = T.StructField("x", T.DoubleType()), T.StructField("name", T.StringType())
    assert can_be_packed(T.StructType([number]), 1_000_000)
    assert not can_be_packed(T.StructType([number, text]), 10)
    assert not can_be_packed(T.StructType([number] * 100), 1_000_000)


def test_the_release_is_the_same_whether_records_travel_in_packs(spark: SparkSession, monkeypatch) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"x": rng.normal(size=600), "y": rng.normal(size=600).round(1), "day": np.arange(600) % 9})
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in table.column_names}
    asked = Plan(k=4, refine="quick", attributes=attributes)
    frame = spark.createDataFrame(table).repartition(3)
    packed = rows(anonymize(frame, asked, fragment_size=150).data)
    monkeypatch.setattr("shoal.spark._anonymize.can_be_packed", lambda *_: False)
    assert rows(anonymize(frame, asked, fragment_size=150).data) == packed
