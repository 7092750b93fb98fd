"""Recodings in streams: the same for records, text and frames, and the same as in tables."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.stream import StreamAnonymizer

ATTRIBUTES = {
    "born": {"role": "identifier", "kind": "date"},
    "visit": {"role": "quasi_identifier", "kind": "date", "relative_to": "born"},
    "age": {"role": "quasi_identifier", "kind": "numeric", "round_to": 5, "clip": {"high": 90}},
    "seen": {"role": "confidential", "kind": "date", "clip": {"low": dt.date(2020, 1, 10)}},
    "pay": {"role": "confidential", "kind": "numeric", "clip": {"high": 50}},
}
RECORDS = [
    {
        "born": dt.date(1950, 1, 1 + i),
        "visit": dt.date(2020, 1, 1 + i % 3),
        "age": 80 + i * 3,
        "seen": dt.date(2020, 1, 5 + i),
        "pay": 40 + i,
    }
    for i in range(12)
]


def plan_of(**columns):
    return shoal.Plan(k=2, subject="record", attributes={**ATTRIBUTES, **columns})


def pushed(stream, records):
    return [left for record in records for left in stream.push(record)] + stream.flush()


def test_records_text_and_frames_leave_alike():
    streams = [StreamAnonymizer(plan_of(), max_delay=4, text=text) for text in (False, False, True)]
    records = pushed(streams[0], RECORDS)
    frame = pl.concat([streams[1].push_many(pl.DataFrame(part)) for part in (RECORDS[:5], RECORDS[5:])])
    frame = pl.concat([frame, streams[1].flush()])
    text = pushed(streams[2], [{name: str(value) for name, value in record.items()} for record in RECORDS])
    assert frame.rows(named=True) == records
    assert [{name: str(value) for name, value in row.items()} for row in text] == [
        {name: str(value) for name, value in row.items()} for row in records
    ]
    assert max(row["pay"] for row in records) == 50
    assert min(row["seen"] for row in records) == dt.date(2020, 1, 10)
    assert max(row["age"] for row in records) == 90
    counts = [{step["column"] + step["recoding"]: step["cells"] for step in s.manifest["recoding"]} for s in streams]
    assert counts[0] == counts[1] == counts[2]
    assert counts[0] == {"visitrelative_to": 12, "ageround_to": 9, "ageclip": 7, "seenclip": 5, "payclip": 1}


def test_the_groups_are_those_of_a_stream_that_was_recoded_before():
    table = shoal.recode.recode_table(shoal.frames.Table.of(pl.DataFrame(RECORDS)), plan_of().recodings()).table
    plain = {name: {k: v for k, v in keys.items() if k in ("role", "kind")} for name, keys in ATTRIBUTES.items()}
    plain["visit"]["kind"] = "numeric"
    other = StreamAnonymizer(shoal.Plan(k=2, subject="record", attributes=plain), max_delay=4)
    assert pushed(other, table.frame.rows(named=True)) == pushed(StreamAnonymizer(plan_of(), max_delay=4), RECORDS)


def test_counts_go_through_a_saved_state(tmp_path):
    whole, half = (StreamAnonymizer(plan_of(), max_delay=4) for _ in range(2))
    for record in RECORDS:
        whole.push(record)
    for record in RECORDS[:6]:
        half.push(record)
    half.save(tmp_path / "state")
    again, _ = StreamAnonymizer.restore(tmp_path / "state")
    for record in RECORDS[6:]:
        again.push(record)
    assert again.manifest["recoding"] == whole.manifest["recoding"]


def test_a_record_that_is_refused_is_not_counted():
    stream = StreamAnonymizer(plan_of(), max_delay=4)
    with pytest.raises(shoal.errors.DataError, match="missing"):
        stream.push({**RECORDS[5], "age": None})
    assert all(step["cells"] == 0 for step in stream.manifest["recoding"])


@pytest.mark.parametrize(
    "column",
    [
        {"age": {**ATTRIBUTES["age"], "clip": {"high_quantile": 0.9}}},
        {"town": {"role": "quasi_identifier", "kind": "nominal", "rare": {"below": 3}}},
    ],
)
def test_what_asks_for_the_whole_table_is_refused(column):
    with pytest.raises(PlanError, match="asks for the whole table, which a stream never has"):
        StreamAnonymizer(plan_of(**column))
