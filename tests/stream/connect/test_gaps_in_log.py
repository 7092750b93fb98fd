"""What the log says of gaps: never what became of the gaps of one group, however often a stream is stopped."""

import logging
from types import SimpleNamespace

import pytest

from shoal import DataError, Plan, StreamAnonymizer
from shoal.stream.connect.metrics import Metrics
from shoal.stream.engine.stream_statistics import WINDOW, step_above

PLAN = Plan(
    k=2,
    subject="record",
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric", "missing": "impute"},
        "ill": {"role": "confidential", "kind": "nominal"},
    },
    stream={"max_delay": 4},
)


def last_line(stream, records, caplog):
    """One run of the stream from where it is to where it is stopped, and what its log ends with."""
    metrics = Metrics(lambda: [SimpleNamespace(anonymizer=stream, refused=0)])
    for record in records:
        stream.push(record)
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="shoal.stream"):
        metrics.log(last=True)
    (line,) = caplog.messages
    return line


def records(count):
    return [{"age": None if i % 3 == 0 else i % 50, "ill": "flu"} for i in range(count)]


def restarted(stream):
    return StreamAnonymizer.load(*stream.dump())


def test_a_stop_after_a_few_groups_tells_nothing_of_their_gaps(caplog):
    stream = StreamAnonymizer(PLAN)
    first = last_line(stream, records(3 * WINDOW), caplog)
    gaps = stream.gaps["age"]
    assert gaps["filled"] > 0
    assert first.endswith(f" filled<={WINDOW} suppressed<={WINDOW}")
    stream = restarted(stream)
    second = last_line(stream, records(60), caplog)
    assert stream.gaps["age"]["missing"] > gaps["missing"]
    assert "filled" not in second
    assert "suppressed" not in second


def test_a_run_tells_of_its_own_gaps_alone(caplog):
    stream = StreamAnonymizer(PLAN)
    first = last_line(stream, records(30 * WINDOW), caplog)
    filled = stream.gaps["age"]["filled"]
    assert f" filled<={step_above(filled):.0f} " in first
    stream = restarted(stream)
    second = last_line(stream, records(3 * WINDOW), caplog)
    assert stream.gaps["age"]["filled"] > filled > WINDOW
    assert f" filled<={WINDOW} " in second


def test_runs_that_begin_alike_and_end_a_group_apart_tell_nothing_of_it(caplog):
    """A message that does not fit ends a run, and the next one begins where it did: the difference is one group."""
    plan = PLAN.replace(stream={"max_delay": 1, "sweeps": 0, "bounds": {"age": [0, 100]}})
    came = records(3 * WINDOW)  # of which a hundred cells are filled, so that one more is a step further
    lines, filled = set(), set()
    for further in ([], [{"age": None, "ill": "flu"}, {"age": 40, "ill": "flu"}]):
        stream = StreamAnonymizer(plan)
        line = last_line(stream, [*came, *further], caplog)
        lines.add(line[line.index(" filled") :])
        filled.add(stream.gaps["age"]["filled"])
    assert filled == {WINDOW, WINDOW + 1}
    assert len(lines) == 1


def test_a_plan_that_refuses_gaps_has_none_to_tell_of(caplog):
    age = {**PLAN.to_dict()["attributes"]["age"], "missing": "error"}
    stream = StreamAnonymizer(PLAN.replace(attributes={**PLAN.to_dict()["attributes"], "age": age}))
    line = last_line(stream, [record for record in records(6 * WINDOW) if record["age"] is not None], caplog)
    assert "error<=" in line
    assert "filled" not in line


def test_a_state_names_only_nodes_of_the_tree():
    plan = Plan(
        k=2,
        subject="record",
        attributes={
            "code": {
                "role": "quasi_identifier",
                "kind": "nominal",
                "hierarchy": {"a": ["a1", "a2"], "b": ["b1", "b2"]},
                "aggregate": "ancestor",
            },
            "cost": {"role": "confidential", "kind": "numeric"},
        },
        closeness={"t": 0.3},
        stream={"max_delay": 8, "on_unclose": "merge"},
    )
    stream = StreamAnonymizer(plan)
    for i in range(60):
        stream.push({"code": ["a1", "a2", "b1", "b2"][i * 7 % 4], "cost": i * 5 % 9})
    header, parts = stream.dump()
    names = [name for *_, own in header["precisions"] for name in own]
    assert names
    StreamAnonymizer.load(header, parts)
    header["precisions"][0][3] = ["=cmd()"]
    with pytest.raises(DataError, match="cannot be restored"):
        StreamAnonymizer.load(header, parts)
