"""Records that leave before their time, as for a bound of their delay in time."""

from __future__ import annotations

from collections import Counter

import pytest

from shoal import Plan, StreamAnonymizer

K = 3


def a_stream(count: int) -> StreamAnonymizer:
    plan = Plan(
        k=K,
        attributes={"x": {"role": "quasi_identifier", "kind": "numeric"}, "n": {"role": "other"}},
        stream={"max_delay": 50},
    )
    stream = StreamAnonymizer(plan)
    for n in range(count):
        assert stream.push({"x": float(n * n % 17), "n": n}) == []
    return stream


@pytest.mark.parametrize("before", [1, 4, 9])
def test_all_before_a_position_leave_in_groups_and_others_may_wait(before: int) -> None:
    stream = a_stream(20)
    left = stream.expire(before)
    assert set(range(before)) <= {record["n"] for record in left}
    assert min(Counter(record["x"] for record in left).values()) >= K
    assert stream.oldest >= before
    assert stream.stats.buffered == 20 - len(left) > 0
    assert stream.expire(before) == []


def test_all_that_wait_leave_as_at_the_end() -> None:
    assert a_stream(8).expire(8) == a_stream(8).flush()
    assert len(a_stream(8).expire(99)) == 8  # the last two go with the second group


def test_too_few_are_dropped_and_counted() -> None:
    stream = a_stream(2 * K)
    assert len(stream.expire(1)) == K
    stream.push({"x": 1.0, "n": 99})
    stream.expire(stream.oldest + 1)
    (waiting,) = {stream.stats.buffered}
    assert waiting == 1
    assert stream.push({"x": 2.0, "n": 100}) == []
    assert stream.expire(stream.oldest + 1) == []
    assert stream.stats.dropped["too_few_subjects"] == 1
    assert stream.stats.buffered == 1


def test_a_stream_of_frames_expires_as_records() -> None:
    import polars as pl

    stream = a_stream(0)
    stream.push_many(pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "n": [0, 1, 2, 3]}))
    assert {record["n"] for record in stream.expire(1)} == {0, 1, 2}
    assert stream.push({"x": 9.0, "n": 4}) == []
