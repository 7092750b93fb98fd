"""The trace of a stream, and the measures it allows."""

from __future__ import annotations

import json

import polars as pl
import pytest

import command
from shoal import DataError, StreamAnonymizer
from shoal.stream.connect.trace import Trace, measure_trace
from stream.connect.messages import PLAN, make_records

RECORDS = make_records(300)
FRAME = pl.DataFrame(RECORDS)


@pytest.fixture
def run(tmp_path):
    PLAN.save(tmp_path / "plan.toml")
    FRAME.write_csv(tmp_path / "in.csv")

    def shoal(*arguments):
        return command.shoal(*arguments, cwd=tmp_path)

    arguments = [
        "stream",
        "--plan",
        tmp_path / "plan.toml",
        "-i",
        tmp_path / "in.csv",
        "-o",
        tmp_path / "out.csv",
        "-q",
    ]
    done = shoal(*arguments, "--trace", tmp_path / "trace")
    assert done.returncode == 0, done.stderr
    return lambda *more: shoal(
        "measure", tmp_path / "in.csv", tmp_path / "out.csv", "--plan", tmp_path / "plan.toml", *more
    )


def test_the_command_line_measures_what_the_stream_counted(run, tmp_path):
    done = run("--trace", tmp_path / "trace", "--json", "--no-groups", "-q")
    assert done.returncode == 0, done.stderr
    scores = {key: score["value"] for key, score in json.loads(done.stdout).items()}
    stream = StreamAnonymizer(PLAN)
    stream.push_many(FRAME)
    stream.flush()
    stats = stream.stats
    for key in ("position_difference_max", "position_difference_avg", "delay_max", "delay_avg"):
        assert scores[key] == pytest.approx(getattr(stats, key)), key
    assert scores["dropped"] == sum(stats.dropped.values())
    # Errors in the stream are told by the bounds of the moment, here by the range of the whole table.
    assert scores["mse"] == pytest.approx(stats.mse, rel=0.05)
    assert (tmp_path / "trace").stat().st_mode & 0o077 == 0


def test_the_table_on_the_screen_names_them(run, tmp_path):
    assert b"delay_avg" in run("--trace", tmp_path / "trace").stdout


@pytest.mark.parametrize("more", [("-m", "mse"), ("--by-key", "row"), ("--sample", "3")])
def test_options_for_tables_are_refused(run, tmp_path, more):
    done = run("--trace", tmp_path / "trace", *more)
    assert done.returncode == 2
    assert b"leave --measure" in done.stderr


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["nonsense"], "did not write"),
        (['{"group": 1}'], "did not write"),
        (["[]"], "did not write"),
        (["[" * 200_000], "did not write"),
        (['{"group": 0, "at": 1, "positions": [0, -1]}'], "did not write"),
        (['{"group": 0, "at": 1, "positions": [0, 1.5]}'], "did not write"),
        (['{"group": 0, "at": 1, "positions": [[0], 1]}'], "did not write"),
        (['{"group": 0, "at": 1, "positions": "01"}'], "did not write"),
        (['{"group": true, "at": 1, "positions": [0, 1]}'], "did not write"),
        ([f'{{"group": 0, "at": {2**63}, "positions": [0, 1]}}'], "did not write"),
        (['{"dropped": 1, "reason": "no reason"}'], "did not write"),
        (['{"dropped": 1, "reason": ["not_close"]}'], "did not write"),
        (['{"group": 0, "at": 1, "positions": [0, 0]}'], "left twice"),
        ([], "nothing to measure"),
        (['{"lane": "0", "group": 0, "at": 1, "positions": [0, 1]}'], "several lanes"),
    ],
)
def test_what_is_no_trace_is_refused(lines, message):
    with pytest.raises(DataError, match=message):
        Trace.parse(lines)


@pytest.mark.parametrize(("positions", "frame"), [([0, 1], FRAME), ([0, 5], FRAME[:2])])
def test_a_trace_of_another_run_is_refused(positions, frame):
    trace = Trace.parse([f'{{"group": 0, "at": 1, "positions": {positions}}}'])
    with pytest.raises(DataError, match="not of the same finished run"):
        measure_trace(frame, frame, PLAN, trace)


def test_drops_are_told_by_reason():
    trace = Trace.parse(['{"group": 0, "at": 2, "positions": [0, 2]}', '{"dropped": 1, "reason": "not_close"}'])
    three = FRAME[:3]
    released = three[[0, 2]].with_columns(pl.col("age").mean(), pl.lit(three["area"][0]).alias("area")).drop("who")
    score = measure_trace(three, released, PLAN, trace)["dropped"]
    assert (score.value, score.parts) == (1.0, {"not_close": 1.0})
