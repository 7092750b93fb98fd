"""Messages that are made to break a stream: refused at once, and the stream goes on, also after a restart."""

from __future__ import annotations

import json
import logging
import tracemalloc

import pytest

from shoal import Plan, StreamAnonymizer
from shoal.errors import DataError, PlanError
from shoal.stream.connect.lane import Lane
from shoal.stream.connect.message_formats import DEEPEST, JsonMessages
from shoal.stream.connect.protocols import Message
from stream.connect.messages import make_runner, read_lines

PLAN = Plan(
    k=3,
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "note": {"role": "other"},
    },
    stream={"max_delay": 20},
)


def nested(depth: int, opening: str = "[") -> str:
    """A record with something in it that is nested so deep, the record itself counted."""
    inside = opening * (depth - 1) + {"[": "]", '{"a":': "}"}[opening] * (depth - 1)
    if opening != "[":
        inside = opening * (depth - 2) + "{}" + "}" * (depth - 2)
    return f'{{"age": 30, "note": {inside}}}'


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_is_limited_at_decoding(opening):
    decode = JsonMessages(limit=10**6).decode
    assert decode(nested(DEEPEST, opening).encode())["age"] == 30
    for depth in (DEEPEST + 1, 500, 900, 100_000):
        with pytest.raises(DataError, match=f"nested more than {DEEPEST} levels deep"):
            decode(nested(depth, opening).encode())


def test_size_is_limited_at_decoding():
    with pytest.raises(DataError, match="longer than 50 bytes"):
        JsonMessages(limit=50).decode(json.dumps({"age": 30, "note": "x" * 50}).encode())
    with pytest.raises(DataError, match=r"longer than 1 byte$"):
        JsonMessages(limit=1).decode(b"{}")


def test_a_message_nested_500_deep_is_a_dead_letter_and_every_restart_goes_on(tmp_path):
    lines = [json.dumps({"age": i % 50, "note": "fine"}) for i in range(60)]
    lines[30:30] = [nested(500), nested(500, '{"a":'), nested(DEEPEST)]
    source = tmp_path / "in.ndjson"
    for end in (31, 33, 50, len(lines)):
        source.write_text("\n".join(lines[:end]) + "\n")
        make_runner(tmp_path, plan=PLAN, on_end="flush" if end == len(lines) else "save").run()
    assert len(read_lines(tmp_path / "out.ndjson")) == 61
    letters = read_lines(tmp_path / "dead.ndjson")
    assert [letter["reason"] for letter in letters] == [f"the message is nested more than {DEEPEST} levels deep"] * 2


def test_what_python_cannot_save_is_said_in_one_sentence(tmp_path):
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    stream = StreamAnonymizer(PLAN)
    stream.push({"age": 30, "note": deep})
    with pytest.raises(DataError, match="nested too deeply to be saved"):
        stream.save(tmp_path / "state")


# Bytes -----------------------------------------------------------------------------------------------------------


def fed(records, **options):
    """Push records by their size as JSON; return the stream, what left, and the most bytes that waited."""
    stream = StreamAnonymizer(PLAN, **options)
    left, most = [], 0
    for record in records:
        left += stream.push(record, size=len(json.dumps(record)))
        most = max(most, stream._rows.bytes)
    return stream, left, most


def large(i):
    return {"age": i % 40, "note": "x" * (10_000 if i % 3 else 10)}


def test_memory_is_bounded_in_bytes():
    free, _, unbounded = fed(map(large, range(300)))
    stream, left, most = fed(map(large, range(300)), max_bytes=60_000)
    assert unbounded > 120_000
    assert most <= 60_000
    assert stream.hurried > 0
    assert free.hurried == 0
    left += stream.flush()
    stats = stream.stats
    assert stats.arrived == 300 == stats.released + sum(stats.dropped.values())
    ages = {}
    for record in left:
        ages.setdefault(record["age"], []).append(record)
    assert min(map(len, ages.values())) >= 3, "groups of k, whenever they leave"


def test_a_record_that_is_larger_than_the_bound_is_refused_and_nothing_leaves_for_it():
    stream, _, _ = fed(map(large, range(10)), max_bytes=60_000)
    before = stream.stats
    with pytest.raises(DataError, match="more than the 60000 bytes that the buffer may hold"):
        stream.push({"age": 1, "note": "x" * 70_000}, size=70_000)
    assert stream.stats == before
    with pytest.raises(DataError, match="more than the 1 byte that the buffer may hold"):
        StreamAnonymizer(PLAN, max_bytes=1).push({"age": 1, "note": ""}, size=2)


@pytest.mark.parametrize(
    ("value", "words"), [("x", "text"), (True, "true or false"), ({}, "an object"), ([1], "a list")]
)
def test_what_is_no_number_is_said_in_words_that_are_not_pythons(value, words):
    with pytest.raises(DataError, match=f"'age' must be a number, not {words}$"):
        StreamAnonymizer(PLAN).push({"age": value, "note": ""})


def test_a_flood_of_large_records_does_not_stop_the_stream():
    """Were they refused while the buffer is full, nothing would ever leave it again."""
    stream, left, most = fed([{"age": i % 7, "note": "x" * 19_000} for i in range(100)], max_bytes=60_000)
    assert most <= 60_000
    assert stream.stats.arrived == 100
    assert stream.stats.released + sum(stream.stats.dropped.values()) >= 97
    assert len(left) == stream.stats.released


def test_a_restart_counts_the_same_bytes(tmp_path):
    records = [large(i) for i in range(200)]
    _, whole, _ = fed(records, max_bytes=60_000)
    stream, left = StreamAnonymizer(PLAN, max_bytes=60_000), []
    for place, record in enumerate(records):
        if place % 17 == 0:
            stream.save(tmp_path / "state")
            stream, _ = StreamAnonymizer.restore(tmp_path / "state")
        left += stream.push(record, size=len(json.dumps(record)))
    assert left == whole


def test_a_bound_is_a_number_of_bytes():
    with pytest.raises(PlanError, match="max_bytes must be at least 1, not 0"):
        StreamAnonymizer(PLAN, max_bytes=0)


def test_a_lane_says_once_that_records_leave_early_and_keeps_to_its_bound(caplog):
    logging.getLogger("shoal.stream").propagate = True
    lane = Lane("", plan=PLAN, format=JsonMessages(), max_bytes=60_000)
    with caplog.at_level(logging.WARNING, logger="shoal.stream"):
        for i in range(60):
            lane.take(Message("", json.dumps(large(i)).encode(), i, i + 1))
    (said,) = {record.getMessage() for record in caplog.records}
    assert said.startswith("the buffer would hold more than 60000 bytes, so records leave before their time")
    with pytest.raises(PlanError, match="the state was made with --max-buffer-bytes 60000"):
        Lane("", plan=PLAN, format=JsonMessages(), state=lane.dump(), max_bytes=70_000)


@pytest.mark.parametrize("inside", ["[]", "{}", '{"a":0}', "1.5", '"ab"', "[[]]"])
def test_few_letters_that_take_much_memory_count_for_what_they_take(inside):
    """An empty list is two letters of a message, and some sixty bytes of memory."""
    value = f'{{"age": 30, "note": [{",".join([inside] * (20_000 // len(inside)))}]}}'.encode()
    bound = 3_000_000
    lane = Lane("", plan=PLAN, format=JsonMessages(), max_bytes=bound)
    lane.take(Message("", b'{"age": 30, "note": ""}', 0, 1))
    tracemalloc.start()
    try:
        for i in range(19):  # all of them would wait for the twentieth
            lane.take(Message("", value, i, i + 1))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held <= bound
    assert lane.anonymizer.stats.arrived == 20


def test_the_command_line_bounds_the_buffer(tmp_path):
    import command

    PLAN.save(tmp_path / "plan.toml")
    lines = [json.dumps(large(i)) for i in range(120)]
    (tmp_path / "in.ndjson").write_text("\n".join(lines) + "\n")
    run = ("stream", "--plan", "plan.toml", "-i", "in.ndjson", "-o", "out.ndjson", "--dead-letter", "dead.ndjson")
    done = command.shoal(*run, "--max-buffer-bytes", "60000", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(b"records leave before their time") == 1
    done = command.shoal(*run, "--max-buffer-bytes", "5000", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(read_lines(tmp_path / "dead.ndjson")) == 80
