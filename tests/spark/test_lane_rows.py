"""The rows that lanes are given, of a table: Spark makes those of a stream by the same columns."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from shoal import Plan
from shoal.stream.engine.stream_encoder import RecordGaps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAN = float("nan")


def plan_of(**attributes: dict[str, Any]) -> Plan:
    """A plan for a number and other columns."""
    number = {"role": "quasi_identifier", "kind": "numeric"}
    return Plan.from_mapping({"k": 2, "stream": {"max_delay": 2}, "attributes": {"age": number, **attributes}})


@pytest.mark.parametrize(
    ("kind", "none", "values", "lanes"),
    [
        ("string", ["unknown", -99], ["unknown", "-99", "-99.0", "n", None], [None, None, "-99.0", "n", None]),
        ("int", ["unknown", -99, "7.0", 1.5, 1e300], [-99, 7, 1, None], [None, None, 1, None]),
        ("long", [2.0**53], [2**53, 2**53 + 1], [None, 2**53 + 1]),
        ("double", [-99, "1.5", "x"], [-99.0, 1.5, NAN, 2.0, None], [None, None, None, 2.0, None]),
        ("double", [], [NAN, 2.0], [None, 2.0]),
        ("float", [0.1], [0.1, NAN, 0.5], [0.1, None, 0.5]),  # which is not 0.1 in half of the digits
        ("date", ["1900-01-01"], [date(1900, 1, 1), date(2024, 1, 1)], [None, date(2024, 1, 1)]),
        ("boolean", ["True", 1], [True, False, None], [True, False, None]),
        ("decimal(4,2)", [], [Decimal("1.50")], [Decimal("1.50")]),
    ],
)
def test_lanes_that_mean_none_are_one(
    spark: SparkSession, kind: str, none: list[Any], values: list[Any], lanes: list[Any]
) -> None:
    from shoal.spark.lane_state import LANE, lane_rows

    plan = plan_of(ward={"role": "other", "missing_values": none})
    frame = spark.createDataFrame([(1.0, value) for value in values], f"age double, ward {kind}").coalesce(1)
    rows = lane_rows(frame, plan, lane="ward", order=()).collect()
    found = [row[LANE] for row in rows]
    assert found == pytest.approx(lanes)
    # The engine takes the same cells for none, and those that are no number.
    gaps = RecordGaps({"ward": none})
    cells = [gaps({"ward": row["column1"]})["ward"] for row in rows]
    assert [cell is None or cell != cell for cell in cells] == [lane is None for lane in found]


def test_lanes_are_told_apart_by_their_letters(spark: SparkSession) -> None:
    from shoal.spark.lane_state import LANE, lane_rows

    frame = spark.sql("select 1.0d as age, ward collate UTF8_LCASE as ward from values ('n'), ('N') as t(ward)")
    rows = lane_rows(frame, plan_of(ward={"role": "other", "missing_values": ["X"]}), lane="ward", order=())
    assert {row[LANE] for row in rows.groupBy(LANE).count().collect()} == {"n", "N"}


ENDS = {
    "date": ["0000-12-31", "0001-01-01", "9999-12-31", "12345-01-01"],
    "timestamp_ntz": [
        "0000-12-31 23:59:59",
        "0001-01-01 00:00:00",
        "9999-12-31 23:59:59.999999",
        "12345-01-01 00:00:00",
    ],
    "timestamp": ["0000-12-31 23:59:59Z", "0001-01-03 00:00:00Z", "9999-12-31 09:59:59Z", "12345-01-01 00:00:00Z"],
}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "Australia/Sydney", "America/Los_Angeles"])
@pytest.mark.parametrize("kind", ENDS)
def test_dates_that_python_cannot_hold_are_null_and_told_by_column(spark: SparkSession, kind: str, zone: str) -> None:
    from shoal.spark.lane_state import BEYOND, LANE, lane_rows

    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        texts = spark.createDataFrame(
            [(1.0, text) for text in [*ENDS[kind], None]], "age double, text string"
        ).coalesce(1)
        frame = texts.selectExpr("age", f"cast(text as {kind}) as ward", f"cast(text as {kind}) as came")
        table = lane_rows(frame, plan_of(ward={"role": "other"}), lane="ward", order=["came"]).toArrow()
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(before))
    rows = table.to_pylist()  # as workers of Spark read them, which raised an OverflowError
    assert [row[BEYOND] for row in rows] == ["ward", None, None, "ward", None]
    for name in (LANE, "order0", "column1"):
        assert [row[name] is None for row in rows] == [True, False, False, True, True]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_no_moment_at_the_ends_of_the_calendar_is_in_the_way(spark: SparkSession, zone: str) -> None:
    from shoal.spark.lane_state import lane_rows

    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        hours = spark.range(-30, 30).selectExpr(
            "1.0d as age",
            "explode(array(timestamp'0001-01-01 00:00:00Z', timestamp'9999-12-31 23:59:59.999999Z')) as end",
            "id",
        )
        moments = hours.selectExpr("age", "timestampadd(minute, 53 * id, end) as at")
        table = lane_rows(moments, plan_of(at={"role": "other"}), lane=None, order=()).toArrow()
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(before))
    assert 0 < sum(row["column1"] is not None for row in table.to_pylist()) < 120


def test_the_hash_knows_where_nothing_stands(spark: SparkSession) -> None:
    from shoal.spark.lane_state import TIE, lane_rows

    plan = plan_of(other={"role": "other"}, pairs={"role": "other"})
    rows = [(3.0, None, None), (None, 3.0, None), (None, 3.0, {"a": 1}), (None, None, None)]
    frame = spark.createDataFrame(rows, "age double, other double, pairs map<string,int>")
    assert len({row[TIE] for row in lane_rows(frame, plan, lane=None, order=()).collect()}) == 4
