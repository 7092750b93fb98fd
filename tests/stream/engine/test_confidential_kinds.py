"""Confidential columns that no guarantee speaks of: only values of their kind leave."""

from __future__ import annotations

import polars as pl
import pytest

from shoal import DataError, Plan, StreamAnonymizer

CONFIDENTIAL = {
    "pay": {"kind": "numeric"},
    "since": {"kind": "date"},
    "grade": {"kind": "ordinal", "order": ["low", "high"]},
    "ward": {"kind": "nominal"},
    "mood": {"kind": "ordinal"},  # of levels that the plan leaves open
}
PLAN = Plan(
    k=2,
    subject="record",
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        **{name: {"role": "confidential", **kind} for name, kind in CONFIDENTIAL.items()},
    },
    stream={"max_delay": 2},
)
RECORD = {"age": 30, "pay": 1.5, "since": "2024-02-01", "grade": "low", "ward": "w", "mood": "fair"}


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("name", ["pay", "since", "grade"])
def test_a_name_does_not_leave_where_another_kind_is_declared(name, text):
    stream = StreamAnonymizer(PLAN, text=text)
    record = {column: str(value) for column, value in RECORD.items()} if text else RECORD
    with pytest.raises(DataError, match=f"column '{name}'") as refused:
        stream.push({**record, name: "Ann Smith"})
    assert "Ann" not in str(refused.value)
    stream.push(record)
    left = stream.push({**record, "mood": "whatever it is"}) + stream.flush()
    assert sorted(each["mood"] for each in left) == ["fair", "whatever it is"]
    assert {each[name] for each in left} == {record[name]}


@pytest.mark.parametrize("name", ["pay", "since", "grade"])
def test_nor_in_a_frame(name):
    frame = pl.DataFrame([RECORD, RECORD]).with_columns(pl.col("since").str.to_date())
    stream = StreamAnonymizer(PLAN)
    with pytest.raises(DataError, match=f"column '{name}'"):
        stream.push_many(frame.with_columns(pl.lit("Ann Smith").alias(name)))
    kept = stream.push_many(frame).vstack(stream.flush())
    assert kept.equals(frame.with_columns(pl.col("age").cast(pl.Float64)))


def test_an_object_is_no_category():
    with pytest.raises(DataError, match="'ward' must be one value, not an object"):
        StreamAnonymizer(PLAN).push({**RECORD, "ward": {"name": "Ann Smith"}})


def test_they_may_be_missing():
    stream = StreamAnonymizer(PLAN)
    empty = {**RECORD, **dict.fromkeys(CONFIDENTIAL)}
    left = [record for _ in range(2) for record in stream.push(empty)] + stream.flush()
    assert left == [{**empty, "age": 30.0}] * 2
