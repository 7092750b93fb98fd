"""One lane between micro-batches: the engine's groups whatever the cut, bounds in time, outcomes for every record."""

from __future__ import annotations

import pytest

from shoal import DataError, PlanError
from shoal.spark.lane import DROPPED, LaneStream
from shoal.stream.engine import REASONS
from spark.visits import LEAVES, PLAN, K, by_engine, judge, visits


def run(batches, *, seconds=None, times=None, refuse=False):
    """Take batches with the state dumped and restored between them."""
    state, found = None, []
    for place, batch in enumerate(batches):
        lane = LaneStream(PLAN, state=state, max_delay_ms=seconds and 1000 * seconds, refuse=refuse)
        found += lane.take(batch, times[place] if times else 0)
        state = lane.dump()
    return found, state


def test_every_reason_of_the_engine_has_its_words() -> None:
    assert set(DROPPED) == set(REASONS)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_the_cut_into_batches_does_not_change_what_leaves(size: int) -> None:
    records = visits(60, wards=["north"])
    found, _ = run([records[start : start + size] for start in range(0, 60, size)])
    left = {f"north-{outcome.number}": outcome.record for outcome in found if outcome.record is not None}
    assert left == by_engine(records)
    assert left
    assert not judge(list(left.values()), records)


def test_every_record_is_released_dropped_refused_or_waits() -> None:
    records = visits(60, wards=["north"])
    bad = {**records[3], "age": "old"}
    found, state = run([[*records[:5], bad, *records[5:]]])
    waiting = LaneStream(PLAN, state=state)._stream.stats.buffered
    assert len(found) + waiting == 61
    (said,) = [outcome.reason for outcome in found if outcome.reason and outcome.reason.startswith("refused")]
    assert said == "refused: column 'age' must be a number, not text"
    assert all(
        (outcome.number is None) == (outcome.record is None) == (outcome.reason is not None) for outcome in found
    )


def test_without_reasons_a_record_that_does_not_fit_ends_it() -> None:
    with pytest.raises(DataError, match="'age' must be a number"):
        run([[{**visits(1)[0], "age": "old"}]], refuse=True)


def test_what_is_overdue_leaves_with_all_that_wait() -> None:
    records = [{**record, "cost": 1} for record in visits(7, wards=["north"], seed=5)]
    _, state = run([records[:4], records[4:]], seconds=10, times=[0, 5000])
    lane = LaneStream(PLAN, state=state, max_delay_ms=10_000)
    assert lane.due == 10_000
    assert list(lane.leave_overdue(9_999)) == []
    left = [outcome.record for outcome in lane.leave_overdue(10_000) if outcome.record is not None]
    assert {0, 1, 2, 3} <= {record["number"] for record in left}
    assert tuple(left[0]) == LEAVES
    assert not judge(left, records)
    assert lane.due in (None, 15_000)
    again = LaneStream(PLAN, state=lane.dump(), max_delay_ms=10_000)
    rest = list(again.leave_overdue(15_000))
    assert len(left) + len(rest) == 7
    assert again.due is None
    assert list(again.leave_overdue(99_999)) == []


def test_too_few_are_dropped_when_they_are_overdue_and_it_is_said() -> None:
    records = visits(K - 1, wards=["north"])
    _, state = run([records], seconds=1, times=[0])
    found = list(LaneStream(PLAN, state=state, max_delay_ms=1000).leave_overdue(1000))
    assert [outcome.reason for outcome in found] == [DROPPED["too_few_subjects"]] * (K - 1)


def test_without_a_bound_nothing_is_ever_due() -> None:
    _, state = run([visits(5, wards=["north"])])
    lane = LaneStream(PLAN, state=state)
    assert lane.due is None
    assert list(lane.leave_overdue(10**12)) == []


def test_a_state_of_another_plan_or_none_at_all_is_refused() -> None:
    _, state = run([visits(5)])
    with pytest.raises(PlanError, match="belongs to another plan"):
        LaneStream(PLAN.replace(k=4), state=state)
    with pytest.raises(DataError, match="the state of a lane is damaged"):
        LaneStream(PLAN, state=state[:-1] + bytes([state[-1] ^ 1]))
