"""Structured Streaming: the engine's own groups by every source, over stops and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark.queries import LineServer, anonymous, files, finish, follow, put, start, written
from spark.visits import SCHEMA, by_engine, judge, judge_closeness, lines, visits

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDS = visits(160)


def test_a_query_that_is_stopped_goes_on_in_the_same_groups(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    put(source, RECORDS[:60])
    put(source, RECORDS[60:90])
    query, _ = follow(
        lambda: start(anonymous(files(spark, source)), tmp_path), "a micro-batch", lambda: written(tmp_path)
    )
    query.stop()
    before = written(tmp_path)
    put(source, RECORDS[90:])
    finish(lambda: start(anonymous(files(spark, source)), tmp_path, availableNow=True))
    after = written(tmp_path)
    assert before.items() <= after.items()
    assert len(before) < len(after)
    assert after == by_engine(RECORDS)
    assert not judge(list(after.values()), RECORDS)
    assert not judge_closeness(list(after.values()), RECORDS)
    assert {record["ward"] for record in after.values()} == {"north", "south"}


def test_lines_of_a_socket(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    server = LineServer(lines(RECORDS))
    text = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", server.port).load()
    frame = text.select(F.from_json("value", SCHEMA).alias("record")).select("record.*")
    expected = by_engine(RECORDS, lane=None)
    begin = anonymous(frame, lane=None).writeStream.format("memory").queryName("by_socket").start
    query, _ = follow(begin, "all lines", lambda: spark.table("by_socket").count() >= len(expected))
    query.stop()
    server.close()
    found = {row.id: row.asDict() for row in spark.table("by_socket").collect()}
    # Where the lines are cut into micro-batches is chance, and changes nothing.
    assert {name: {key: row[key] for key in row if key != "id"} for name, row in found.items()} == expected


def test_without_an_order_the_content_decides_and_the_promises_hold(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "source", RECORDS)
    frame = files(spark, tmp_path / "source").repartition(3)
    finish(lambda: start(anonymous(frame, order=()), tmp_path, availableNow=True))
    found = written(tmp_path)
    assert not judge(list(found.values()), RECORDS)
    (tmp_path / "again").mkdir()
    put(tmp_path / "source2", reversed(RECORDS))
    finish(
        lambda: start(anonymous(files(spark, tmp_path / "source2"), order=()), tmp_path / "again", availableNow=True)
    )
    assert written(tmp_path / "again") == found
