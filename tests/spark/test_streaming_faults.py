"""Streams on Spark when things go wrong: workers die, records do not fit, plans change, time passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.cluster import wait_for
from spark.queries import anonymous, files, finish, follow, put, start, written
from spark.visits import LEAVES, PLAN, SCHEMA, K, by_engine, judge, visits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery


def test_workers_that_are_killed_lose_and_double_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark.sources import DEATHS, Dying, Visits

    monkeypatch.setattr("shoal.spark.lane.LaneProcessor", lambda shape: Dying(shape, tmp_path))
    spark.dataSource.register(Visits)
    records = visits(150)
    expected = by_engine(records)
    died = 0
    while len(written(tmp_path)) < len(expected) and died < 20:  # a busy machine kills some of its own accord
        query = start(anonymous(spark.readStream.format("visits").option("count", "150").load()), tmp_path)
        try:
            wait_for("records or a death", lambda: len(written(tmp_path)) >= len(expected) or not query.isActive)  # noqa: B023
            died += query.exception() is not None
        finally:
            query.stop()
    assert died
    assert all((tmp_path / when).exists() for when in DEATHS)
    assert written(tmp_path) == expected
    assert not judge(list(expected.values()), records)


def test_what_waits_too_long_leaves_or_is_dropped_with_a_reason(spark: SparkSession, tmp_path: Path) -> None:
    plan = PLAN.replace(closeness=None, stream={"max_delay": 50})
    few = [{**record, "who": f"p{record['number']}"} for record in visits(2 * K + 1, wards=["north"])]
    put(tmp_path / "source", few)
    frame = anonymous(files(spark, tmp_path / "source"), plan=plan, max_seconds=2, reason="why")
    numbered = frame.drop("id").withColumn("id", frame["number"].cast("string"))
    query, left = follow(
        lambda: start(numbered, tmp_path, processingTime="1 second"), "the timer", lambda: written(tmp_path)
    )
    try:
        assert {row["number"] for row in left.values()} == set(range(2 * K + 1))
        assert {row["why"] for row in left.values()} == {None}
        assert not judge(list(left.values()), few)
        put(tmp_path / "source", [{**few[0], "number": 99, "who": "alone"}])
        found = wait_for("the drop", lambda: now if len(now := written(tmp_path)) > len(left) else None)
    finally:
        query.stop()
    assert found[None] == {
        **dict.fromkeys(found[None]),
        "ward": "north",
        "why": "dropped: fewer than k subjects waited when it had to leave",
    }


def test_records_that_do_not_fit_end_the_query_or_get_a_reason(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import StreamingQueryException

    records = visits(60)
    bad = {**records[7], "cost": None, "number": 1000}
    put(tmp_path / "source", [*records, bad])
    with pytest.raises(StreamingQueryException, match="DataError: confidential column 'cost' has a missing value"):
        finish(lambda: start(anonymous(files(spark, tmp_path / "source")), tmp_path, availableNow=True))
    assert written(tmp_path) == {}

    frame = anonymous(files(spark, tmp_path / "source"), reason="why")
    finish(frame.writeStream.format("memory").queryName("with_reasons").trigger(availableNow=True).start)
    rows = [row.asDict() for row in spark.table("with_reasons").collect()]
    why = [row.pop("why") for row in rows]
    left = [row for row, reason in zip(rows, why, strict=True) if reason is None]
    assert {row.pop("id"): row for row in left} == by_engine(records)
    others = [row for row, reason in zip(rows, why, strict=True) if reason is not None]
    assert all(row == {**dict.fromkeys(row), "ward": row["ward"]} for row in others)
    refused = [reason for reason in why if reason is not None and reason.startswith("refused")]
    assert len(refused) == 1
    assert refused[0].startswith("refused: confidential column 'cost' has a missing value")


def test_a_date_that_python_cannot_hold_stops_no_stream(spark: SparkSession, tmp_path: Path) -> None:
    records = visits(60)
    moments = {3: "12345-01-01T00:00:00Z", 4: "0000-06-01T00:00:00Z"}
    came = [{**one, "at": moments.get(one["number"], "2024-01-01T00:00:00Z")} for one in records]
    hostile = [
        {**came[7], "number": 1000 + place, "seen": day} for place, day in enumerate(["12345-01-01", "0000-01-01"])
    ]
    put(tmp_path / "source", [*came, *hostile])
    frame = anonymous(
        files(spark, tmp_path / "source", schema=f"{SCHEMA}, at timestamp"), order=["number", "at"], reason="why"
    )
    finish(frame.writeStream.format("memory").queryName("beyond_years").trigger(availableNow=True).start)
    rows = [row.asDict() for row in spark.table("beyond_years").collect()]
    refused = [row for row in rows if row["why"] is not None and row["why"].startswith("refused")]
    why = "refused: column 'seen' has a date outside the years 1 to 9999: mend it, or make it missing"
    assert refused == [{**dict.fromkeys(rows[0]), "ward": came[7]["ward"], "why": why}] * 2
    left = {row["id"]: {name: row[name] for name in LEAVES} for row in rows if row["why"] is None}
    assert left == by_engine(records)


def test_a_function_that_has_written_a_micro_batch_skips_it(spark: SparkSession, tmp_path: Path) -> None:
    records = visits(80)
    put(tmp_path / "source", records[:40])
    put(tmp_path / "source", records[40:])
    frame = anonymous(files(spark, tmp_path / "source"))
    found: dict[int, list[dict[str, Any]]] = {}
    skipped = []

    def write(df: DataFrame, batch_id: int) -> None:
        if batch_id in found:
            skipped.append(batch_id)
            df.write.format("noop").mode("overwrite").save()
        else:
            found[batch_id] = [row.asDict() for row in df.collect()]

    def begin() -> StreamingQuery:
        writer = frame.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint"))
        return writer.trigger(availableNow=True).start()

    finish(begin)
    for name in ("1", ".1.crc"):  # as after a crash between what was written and the commit
        (tmp_path / "checkpoint" / "commits" / name).unlink(missing_ok=True)
    put(tmp_path / "source", visits(40, first=80))
    finish(begin)
    assert 1 in skipped
    assert {row.pop("id"): row for rows in found.values() for row in rows} == by_engine(
        [*records, *visits(40, first=80)]
    )


def test_a_checkpoint_of_another_plan_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.errors import StreamingQueryException

    put(tmp_path / "source", visits(40))
    finish(lambda: start(anonymous(files(spark, tmp_path / "source")), tmp_path, availableNow=True))
    before = written(tmp_path)
    put(tmp_path / "source", visits(40, first=40))
    frame = anonymous(files(spark, tmp_path / "source"), plan=PLAN.replace(k=K + 1))
    with pytest.raises(StreamingQueryException, match="PlanError: the snapshot belongs to another plan"):
        finish(lambda: start(frame, tmp_path, availableNow=True))
    assert written(tmp_path) == before
