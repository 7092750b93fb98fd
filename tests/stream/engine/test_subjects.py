"""Whom tuples are about, and what a stream can know of a plan that forgot to say."""

import polars as pl
import pytest

from shoal import Plan, StreamAnonymizer
from shoal.errors import DataError, PlanError
from shoal.stream.engine.snapshot import read_snapshot, write_snapshot

ATTRIBUTES = {"who": {"role": "identifier"}, "age": {"role": "quasi_identifier", "kind": "numeric"}}
FORGOTTEN = Plan(k=2, stream={"max_delay": 3}, attributes=ATTRIBUTES)


def rows(*names):
    return [{"who": name, "age": age} for age, name in enumerate(names)]


def test_an_identifier_that_comes_back_in_time_is_refused():
    stream = StreamAnonymizer(FORGOTTEN)
    for record in rows("a", "b", "c"):
        stream.push(record)
    with pytest.raises(PlanError, match=r"identifier 'who' came twice within 3 tuples.*set subject = 'who'"):
        stream.push({"who": " a", "age": 9})
    batch = StreamAnonymizer(FORGOTTEN)
    with pytest.raises(PlanError, match="came twice"):
        batch.push_many(pl.DataFrame(rows("a", "b", "c", "a")))
    assert batch.arrived == 0


def test_tuples_that_are_refused_are_not_remembered(tmp_path):
    """Not for what else is wrong with them, nor for another identifier: the state could not be restored."""
    attributes = {**ATTRIBUTES, "card": {"role": "identifier"}, "note": {"role": "other"}}
    stream = StreamAnonymizer(FORGOTTEN.replace(attributes=attributes))
    stream.push({"who": "a", "card": 1, "age": 1, "note": "x"})
    with pytest.raises(PlanError, match="'card' came twice"):
        stream.push({"who": "b", "card": 1, "age": 2, "note": "x"})
    frame = pl.DataFrame({"who": ["b", "c"], "card": [2, 3], "age": [1, 2], "note": [1, 2]})
    with pytest.raises(DataError, match="do not fit the types"):
        stream.push_many(frame)
    stream.save(tmp_path / "state")
    again, _ = StreamAnonymizer.restore(tmp_path / "state")
    for each in (stream, again):
        each.push_many(frame.with_columns(note=pl.lit("y")))
        assert each.arrived == 3


def test_later_or_missing_ones_are_not():
    stream = StreamAnonymizer(FORGOTTEN)
    for record in rows("a", "b", None, "c", "a", None, "d"):
        stream.push(record)
    assert stream.arrived == 7


def test_the_word_record_allows_it():
    stream = StreamAnonymizer(FORGOTTEN.replace(subject="record"))
    left = [record for row in rows("a", "a", "a", "a", "a") for record in stream.push(row)] + stream.flush()
    assert len(left) == 5


def test_subjects_are_compared_trimmed():
    stream = StreamAnonymizer(FORGOTTEN.replace(subject="who"))
    left = [record for row in rows("a", "a ", " a", "a", "\u00a0a") for record in stream.push(row)] + stream.flush()
    assert left == []
    assert stream.stats.dropped["too_few_subjects"] == 5


def test_subjects_are_compared_by_what_is_seen_of_them():
    names = ("a", "a\ufe0f", "\u3164a", "a\x01", "a\u2800")
    stream = StreamAnonymizer(FORGOTTEN.replace(subject="who"))
    assert [out for row in rows(*names) for out in stream.push(row)] + stream.flush() == []
    frames = StreamAnonymizer(FORGOTTEN.replace(subject="who"))
    assert len(frames.push_many(pl.DataFrame(rows(*names)))) + len(frames.flush()) == 0


@pytest.mark.parametrize("missing", [None, "", "  ", float("nan")])
def test_a_tuple_without_a_subject_is_refused(missing):
    stream = StreamAnonymizer(FORGOTTEN.replace(subject="who"))
    with pytest.raises(DataError, match="column 'who' has a missing value"):
        stream.push({"who": missing, "age": 1})


def test_a_restart_does_not_forget_who_was_there(tmp_path):
    stream = StreamAnonymizer(FORGOTTEN)
    for record in rows("a", "b", "c", "d", "e"):
        stream.push(record)
    stream.save(tmp_path / "state")
    later, _ = StreamAnonymizer.restore(tmp_path / "state")
    later.push({"who": "a", "age": 9})  # five tuples ago: nobody remembers
    again, _ = StreamAnonymizer.restore(tmp_path / "state")
    with pytest.raises(PlanError, match="came twice"):
        again.push({"who": "d", "age": 9})


@pytest.mark.parametrize(
    "seen",
    [{}, {"who": [[5, 9]]}, {"who": [[5, -1]]}, {"who": [[-1, 2]]}, {"who": [["a", 2]]}, {"who": 3}, {"age": []}, None],
)
def test_a_state_that_was_changed_does_not_tell_who_was_there(tmp_path, seen):
    stream = StreamAnonymizer(FORGOTTEN)
    for record in rows("a", "b", "c", "d"):
        stream.push(record)
    stream.save(tmp_path / "state")
    header, parts = read_snapshot(tmp_path / "state")
    write_snapshot(tmp_path / "state", {**header, "last_seen": seen}, parts)
    with pytest.raises(DataError, match="cannot be restored"):
        StreamAnonymizer.restore(tmp_path / "state")
