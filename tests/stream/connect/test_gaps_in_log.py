"""What the log says of gaps: never what became of the gaps of one group, however often a stream is stopped."""

import logging
from types import SimpleNamespace

import pytest

from shoal import DataError, Plan, StreamAnonymizer
from shoal.stream.connect.metrics import Metrics
from shoal.stream.engine.published import WINDOW

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
    metrics.begin()
    for record in records:
        stream.push(record)
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="shoal.stream"):
        metrics.log(last=True)
    (line,) = caplog.messages
    return line


def records(count):
    return [{"age": None if i % 3 == 0 else i % 50, "ill": "flu"} for i in range(count)]


def test_a_stop_after_a_few_groups_tells_nothing_of_their_gaps(caplog):
    stream = StreamAnonymizer(PLAN)
    first = last_line(stream, records(3 * WINDOW), caplog)
    gaps = stream.gaps["age"]
    assert f" filled={gaps['filled']} " in f"{first} "
    second = last_line(stream, records(60), caplog)
    assert stream.gaps["age"]["missing"] > gaps["missing"]
    assert "filled" not in second
    assert "suppressed" not in second


def test_a_run_tells_of_its_own_gaps_alone(caplog):
    stream = StreamAnonymizer(PLAN)
    last_line(stream, records(3 * WINDOW), caplog)
    before = stream.gaps["age"]["filled"]
    line = last_line(stream, records(3 * WINDOW), caplog)
    assert f" filled={stream.gaps['age']['filled'] - before} " in f"{line} "


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
