"""The state of a lane: taken under the terms it was made with, or refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from shoal import DataError, PlanError
from shoal.spark.lane import LaneStream
from shoal.spark.lane_state import LaneTerms
from shoal.stream.engine.snapshot import pack_snapshot, unpack_snapshot
from spark.visits import PLAN, SCHEMA, visits

TYPES = dict(column.split() for column in SCHEMA.split(", "))
TERMS = LaneTerms("ward", TYPES)


@pytest.fixture
def state() -> bytes:
    lane = LaneStream(PLAN, max_delay_ms=1000, terms=TERMS)
    list(lane.take(visits(5, wards=["north"]), 7))
    return lane.dump()


def changed(state: bytes, **keys: Any) -> bytes:
    """The state with other fields in its header; those that are None are left out."""
    header, parts = unpack_snapshot(state)
    return pack_snapshot({name: v for name, v in {**header, **keys}.items() if keys.get(name, name) is not None}, parts)


def test_a_lane_goes_on_under_its_terms(state: bytes) -> None:
    assert LaneStream(PLAN, state=state, max_delay_ms=1000, terms=TERMS).due == 1007
    assert LaneStream(PLAN, state=state, terms=TERMS).due is None


@pytest.mark.parametrize(("before", "after"), [("ward", "city"), (None, "number"), ("ward", None)])
def test_lanes_by_another_column_are_refused(before: str | None, after: str | None) -> None:
    first = LaneStream(PLAN, terms=LaneTerms(before, TYPES))
    list(first.take(visits(2), 0))
    with pytest.raises(PlanError) as caught:
        LaneStream(PLAN, state=first.dump(), terms=LaneTerms(after, TYPES))
    assert str(caught.value) == (
        f"lane is {after!r}, and the checkpoint was begun with {before!r}: groups would mix lanes; go on with that "
        "one, or start anew with another checkpoint"
    )


def test_other_types_are_refused_by_column(state: bytes) -> None:
    with pytest.raises(
        DataError, match="column 'cost' has the type double, and the checkpoint was begun with long: go on"
    ):
        LaneStream(PLAN, state=state, terms=TERMS._replace(types={**TYPES, "cost": "double"}))


@pytest.mark.parametrize(
    "arrivals",
    [
        None,
        "x",
        5,
        {},
        [[1]],
        [[0, 0, 0]],
        [0, 1],
        [["a", 0]],
        [["0", 0]],
        [[0, 1.0]],
        [[True, 0]],
        [[10**30, 0]],
        [[6, 0]],
        [[0, 10**40]],
        [[0, -1]],
        [[-5, 0]],
        [[3, 0], [2, 0]],
    ],
)
def test_arrivals_that_no_lane_has_are_refused(state: bytes, arrivals: object) -> None:
    with pytest.raises(DataError, match="the state of a lane is not what it should be: start anew with another"):
        LaneStream(PLAN, state=changed(state, arrivals=arrivals), max_delay_ms=1000, terms=TERMS)


@pytest.mark.parametrize(
    "keys",
    [
        {"stream": None},
        {"lane": 5},
        {"types": None},
        {"types": []},
        {"types": {}},
        {"types": dict.fromkeys(TYPES, 5)},
        {"timer": "x"},
        {"timer": -1},
        {"timer": 10**30},
        {"timer": True},
        {"more": 1},
    ],
)
def test_a_header_that_no_lane_has_is_refused(state: bytes, keys: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="the state of a lane is not what it should be"):
        LaneStream(PLAN, state=changed(state, **keys), terms=TERMS)
