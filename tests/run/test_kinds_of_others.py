"""Columns that are neither masked nor protected hold what the plan says of them, through whichever door they leave."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import shoal
from shoal import DataError, Plan, StreamAnonymizer

OTHERS = {
    "bed": {"kind": "numeric"},
    "seen": {"kind": "date"},
    "grade": {"kind": "ordinal", "order": ["low", "high"]},
    "note": {"kind": "nominal"},
    "mark": {"kind": "ordinal"},  # of levels that the plan leaves open
    "rest": {},
}
PLAN = Plan(
    k=2,
    subject="record",
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        **{name: {"role": "other", **kind} for name, kind in OTHERS.items()},
    },
    stream={"max_delay": 2},
)
FRAME = pl.DataFrame(
    {
        "age": [30.0, 31.0, 50.0, 51.0],
        "bed": [1.5, None, 3.0, 4.0],
        "seen": [dt.date(2024, 1, day) for day in (1, 2, 3, 4)],
        "grade": ["low", "high", None, "low"],
        "note": list("abcd"),
        "mark": list("abcd"),
        "rest": list("abcd"),
    }
)


def pushed(frame: pl.DataFrame) -> pl.DataFrame:
    stream = StreamAnonymizer(PLAN)
    return pl.DataFrame([record for row in frame.to_dicts() for record in stream.push(row)] + stream.flush())


DOORS = {
    "anonymize": lambda frame: shoal.anonymize(frame, PLAN).data,
    "apply": lambda frame: shoal.anonymize(FRAME, PLAN).model.apply(frame).data,
    "push": pushed,
    "push_many": lambda frame: StreamAnonymizer(PLAN).push_many(frame),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", OTHERS)
def test_a_name_leaves_no_door_where_the_plan_says_what_stands_there(door, name):
    frame = FRAME.with_columns(pl.lit("Ann Smith").alias(name))
    if name in ("note", "mark", "rest"):
        assert set(DOORS[door](frame)[name]) == {"Ann Smith"}
        return
    with pytest.raises(DataError, match=f"column '{name}'") as refused:
        DOORS[door](frame)
    assert "Ann" not in str(refused.value)


@pytest.mark.parametrize("door", DOORS)
def test_what_is_of_its_kind_or_missing_leaves_as_it_is(door):
    left, names = DOORS[door](FRAME), list(OTHERS)
    assert set(left.select(names).iter_rows()) <= set(FRAME.select(names).iter_rows())
    assert len(left)


def test_the_check_says_the_same_as_the_run():
    found = shoal.check(FRAME.with_columns(pl.lit("Ann Smith").alias("bed")), PLAN)
    assert not found
    assert "column 'bed' holds text, not numbers" in str(found.problems)
    assert shoal.check(FRAME, PLAN)
