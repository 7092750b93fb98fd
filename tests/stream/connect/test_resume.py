"""A state goes on with what it was saved with, and with nothing that merely looks like it."""

from __future__ import annotations

import logging
import os
import re
import sys

import pytest

from shoal import StreamAnonymizer
from shoal.errors import DataError, OutputError, PlanError, counted
from shoal.stream.connect.kafka import KafkaSource
from shoal.stream.connect.lane import Lane
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import CsvMessages, JsonMessages
from shoal.stream.connect.protocols import Message
from shoal.stream.connect.state_folder import RunState, read_state, state_folder, write_state
from shoal.stream.connect.valkey import ValkeySource
from shoal.stream.engine.stream_encoder import leaving_columns
from stream.connect.messages import PLAN, expected_records, make_messages, make_runner, read_lines, run_until_killed

MESSAGES = make_messages(200)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(MESSAGES[:100]) + b"\n")
    return tmp_path


def lines_of(path):
    return LinesSource([str(path)], csv=False, limit=10_000)


def test_a_state_of_another_version_is_refused_not_ignored(folder):
    """To begin anew would release the records once more, in other company."""
    (folder / "lane-only.snapshot").write_bytes(b"")
    with pytest.raises(DataError, match="of another version of shoal"):
        make_runner(folder).run()
    assert not (folder / "out.ndjson").exists()


def test_a_snapshot_of_something_else_is_refused(folder):
    StreamAnonymizer(PLAN).save(folder / "stream.snapshot")
    with pytest.raises(DataError, match="is not a state of `shoal stream`"):
        make_runner(folder).run()
    (folder / "stream.snapshot").unlink()
    make_runner(folder).run()
    with pytest.raises(DataError, match="is a state of `shoal stream`"):
        StreamAnonymizer.restore(folder / "stream.snapshot")


def test_what_a_killed_process_left_half_written_is_removed(tmp_path):
    left = tmp_path / ".stream.snapshot.0123abcd.part"
    left.write_bytes(b"records of people")
    with state_folder(str(tmp_path)):
        assert not left.exists()


@pytest.mark.parametrize(
    "source",
    [
        lambda: KafkaSource("trips", brokers="127.0.0.1:1", partitions=[0], config={"log_level": 0}),
        lambda: ValkeySource("trips", server="valkey://127.0.0.1:1/0", stopped=lambda: False),
        lambda: lines_of("trips"),
    ],
)
def test_places_of_one_source_are_not_looked_for_in_another(source):
    opened = source()
    with pytest.raises(PlanError, match=r"the state is of topic 'visits', not of .*: give this run a state of its own"):
        opened.open({}, {"what": "topic 'visits'"})
    opened.close()


@pytest.mark.parametrize("sizes", [(100, 150), (100, 100), (4, 150)])
def test_another_file_under_the_same_name_is_refused(folder, sizes):
    """As after a rotation of logs: its first records would be skipped silently."""
    before, after = sizes
    (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES[:before]) + b"\n")
    make_runner(folder, on_end="save").run()
    (folder / "in.ndjson").write_bytes(b"\n".join(make_messages(after, seed=1)) + b"\n")
    released = (folder / "out.ndjson").read_bytes()
    with pytest.raises(DataError, match="does not begin with what was read"):
        make_runner(folder).run()
    assert (folder / "out.ndjson").read_bytes() == released


def test_a_file_that_grew_from_nothing_is_known_again(folder):
    (folder / "in.ndjson").write_bytes(b"")
    for end in (1, 2, 10, 200):
        make_runner(folder, on_end="save").run()
        (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES[:end]) + b"\n")
    make_runner(folder, id_field=None).run()
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES)


def test_standard_input_from_the_same_file_is_not_read_twice(folder, monkeypatch):
    def run(name):
        with (folder / name).open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            make_runner(folder, source=lines_of("-"), on_end="save", id_field=None).run()

    run("in.ndjson")
    with pytest.raises(DataError, match=r"standard input is the file that was read before: name it with --input"):
        run("in.ndjson")
    (folder / "next.ndjson").write_bytes(b"\n".join(MESSAGES[100:]) + b"\n")
    run("next.ndjson")
    _, states = read_state(folder, [""])
    assert states[""][0]["place"][0] == "-"
    (folder / "end.ndjson").touch()
    make_runner(folder, source=lines_of(folder / "end.ndjson"), id_field=None).run()
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES)


def test_another_output_is_begun_with_its_header_and_destroys_nothing(folder):
    def run(name, messages, **options):
        (folder / name).with_suffix(".ndjson").write_bytes(b"\n".join(messages) + b"\n")
        runner = make_runner(
            folder,
            source=lines_of((folder / name).with_suffix(".ndjson")),
            sink=LinesSink(str(folder / f"{name}.csv")),
            id_field=None,
            **options,
        )
        runner._writes = CsvMessages(lambda: leaving_columns(PLAN))
        runner.run()

    run("monday", MESSAGES[:100], on_end="save")
    (folder / "tuesday.csv").write_text("something else\n" * 1000)
    with pytest.raises(OutputError, match=r"tuesday\.csv holds something, and the state goes on with .*monday\.csv"):
        run("tuesday", MESSAGES[100:])
    assert (folder / "tuesday.csv").read_text() == "something else\n" * 1000
    (folder / "tuesday.csv").unlink()
    run("tuesday", MESSAGES[100:])
    days = [(folder / f"{day}.csv").read_text().splitlines() for day in ("monday", "tuesday")]
    assert [day[0] for day in days] == ["age,area,row"] * 2
    assert len(days[0]) + len(days[1]) == 2 + len(expected_records(MESSAGES))


@pytest.mark.parametrize("beside", ["sink", "dead"])
def test_a_run_to_a_pipe_in_between_does_not_empty_the_file(folder, beside):
    """A sink that is no file has no place: the next run took the file for a new one, and its records were gone."""

    def run(pipe, messages):
        with (folder / "in.ndjson").open("ab") as file:
            file.write(b"garbage\n" + b"\n".join(messages) + b"\n")
        runner = make_runner(folder, on_end="save", sink=LinesSink(os.devnull) if pipe and beside == "sink" else None)
        if pipe and beside == "dead":
            runner._dead.sink = LinesSink(os.devnull)
        runner.run()

    run(False, MESSAGES[100:120])
    before = [(folder / name).read_bytes() for name in ("out.ndjson", "dead.ndjson")]
    run(True, MESSAGES[120:150])
    with pytest.raises(OutputError, match=r"(out|dead)\.ndjson holds something that the state does not go on with"):
        run(False, MESSAGES[150:])
    after = [(folder / name).read_bytes() for name in ("out.ndjson", "dead.ndjson")]
    assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
    assert before[0]
    assert before[1]


def test_a_new_state_does_not_begin_in_a_file_that_holds_something(folder):
    """As by a folder that is mistyped: what another state goes on with was overwritten."""
    (folder / "out.ndjson").write_bytes(b"of yesterday\n")
    before = {path.name for path in folder.iterdir()}
    refused = pytest.raises(OutputError, match="name the state that it was written with, or a new file")
    with state_folder(str(folder / "mistyped" / "state")) as mistyped, refused:
        make_runner(folder, state=mistyped).run()
    assert (folder / "out.ndjson").read_bytes() == b"of yesterday\n"
    assert {path.name for path in folder.iterdir()} == before
    make_runner(folder, state=None).run()
    assert len(read_lines(folder / "out.ndjson")) == 100


def test_an_output_is_gone_on_with_whatever_it_is_called(folder):
    make_runner(folder, on_end="save").run()
    (folder / "out.ndjson").rename(folder / "moved.ndjson")
    (folder / "link.ndjson").symlink_to("moved.ndjson")
    (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    make_runner(folder, sink=LinesSink(str(folder / "link.ndjson"))).run()
    assert [record["id"] for record in read_lines(folder / "moved.ndjson")] == [str(i) for i in range(200)]


@pytest.mark.parametrize("other", ["new.ndjson", os.devnull])
def test_what_a_killed_run_left_in_the_output_does_not_leave_a_second_time_elsewhere(folder, other):
    make_runner(folder, on_end="save").run()
    (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    run_until_killed(make_runner(folder, checkpoint_seconds=60.0))
    killed = (folder / "out.ndjson").read_bytes()
    with pytest.raises(
        OutputError, match=r"out\.ndjson holds more than the state knows of, which would leave a second"
    ):
        make_runner(folder, sink=LinesSink(str(folder / other))).run()
    assert (folder / "out.ndjson").read_bytes() == killed
    assert not (folder / "new.ndjson").exists()
    make_runner(folder).run()
    assert (folder / "out.ndjson").read_bytes().startswith(killed)
    assert [record["row"] for record in read_lines(folder / "out.ndjson")] == [
        record["row"] for record in expected_records(MESSAGES)
    ]


@pytest.mark.parametrize("first", [False, True])
def test_that_what_a_killed_run_left_is_cut_off_is_said(folder, caplog, first):
    """Also of a run that was killed before its first snapshot, whose state knows of no byte."""
    before = 0
    if not first:
        make_runner(folder, on_end="save").run()
        before = (folder / "out.ndjson").stat().st_size
        (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    run_until_killed(make_runner(folder, checkpoint_seconds=60.0))
    killed = (folder / "out.ndjson").read_bytes()
    logging.getLogger("shoal.stream").propagate = True
    with caplog.at_level(logging.WARNING, logger="shoal.stream"):
        make_runner(folder).run()
    # Once, however many handlers the tests before have left on the loggers.
    (said,) = {text for record in caplog.records if "out.ndjson has" in (text := record.getMessage())}
    assert f"{counted(len(killed) - before, 'byte')} after what the state knows of, by a run that did not end" in said
    assert (folder / "out.ndjson").read_bytes().startswith(killed)


def test_dead_letters_of_a_killed_run_wait_for_the_next_run_that_has_some(folder):
    """One without them in between ended in order, and said nothing of theirs."""
    (folder / "in.ndjson").write_bytes(b"no record\n" + b"\n".join(MESSAGES[:100]) + b"\n")
    run_until_killed(make_runner(folder, checkpoint_seconds=60.0))
    letters = (folder / "dead.ndjson").read_bytes()
    (folder / "other.ndjson").write_bytes(b"\n".join(MESSAGES[100:]) + b"\n")
    between = make_runner(folder, source=lines_of(folder / "other.ndjson"), on_end="save")
    between._dead = None
    between.run()
    inputs = LinesSource([str(folder / name) for name in ("other.ndjson", "in.ndjson")], csv=False, limit=10_000)
    make_runner(folder, source=inputs).run()
    assert letters.count(b"no record") == 1
    assert (folder / "dead.ndjson").read_bytes().count(b"no record") == 1
    assert len(read_lines(folder / "out.ndjson")) == 200


def test_that_what_a_killed_run_left_may_leave_a_second_time_is_said(folder, caplog):
    """Where the output is not there any more, nothing else can be done."""
    run_until_killed(make_runner(folder))
    (folder / "out.ndjson").rename(folder / "taken.ndjson")
    logging.getLogger("shoal.stream").propagate = True
    with caplog.at_level(logging.WARNING, logger="shoal.stream"):
        make_runner(folder, sink=LinesSink(str(folder / "new.ndjson")), on_end="save").run()
        make_runner(folder, sink=LinesSink(str(folder / "newer.ndjson"))).run()
    (said,) = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(r"the last run did not end in order, and .*/out\.ndjson is not what it was then: .*", said)


def test_a_state_stays_as_it_was_where_a_run_is_refused(folder):
    """Also by its first message: the state would go on with an output that is not there."""
    make_runner(folder, on_end="save").run()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with (folder / "in.ndjson").open("ab") as file:
        file.write(b"garbage\n")
    runner = make_runner(folder, sink=LinesSink(str(folder / "new.ndjson")))
    runner._dead = None
    with pytest.raises(DataError, match="does not fit the plan"):
        runner.run()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        **before,
        "in.ndjson": before["in.ndjson"] + b"garbage\n",
    }


@pytest.mark.parametrize("change", [{"id_field": "number"}, {"id_field": None}, {"writes": CsvMessages(list)}])
def test_a_file_does_not_change_its_shape_in_the_middle(folder, change):
    make_runner(folder, on_end="save").run()
    released = (folder / "out.ndjson").read_bytes()
    writes = change.pop("writes", JsonMessages())
    runner = make_runner(folder, **change)
    runner._writes = writes
    with pytest.raises(PlanError, match="another format or with another id field"):
        runner.run()
    assert (folder / "out.ndjson").read_bytes() == released


def test_an_input_that_is_not_there_leaves_the_output_alone(folder):
    (folder / "out.ndjson").write_bytes(b"of yesterday\n")
    with pytest.raises(DataError, match="No such file"):
        make_runner(folder, source=lines_of(folder / "missing")).run()
    assert (folder / "out.ndjson").read_bytes() == b"of yesterday\n"


def test_the_name_of_a_file_need_not_be_text(folder):
    name = os.fsdecode(bytes(folder) + b"/\xff.ndjson")
    with open(name, "wb") as file:  # noqa: PTH123  # a name that is not UTF-8
        file.write(b"nonsense\n" + b"\n".join(MESSAGES))
    make_runner(folder, source=lines_of(name), on_end="save", id_field=None).run()
    (letter,) = read_lines(folder / "dead.ndjson")
    assert letter["place"] == [name, 0, 0]
    make_runner(folder, source=lines_of(name), id_field=None).run()
    assert len(read_lines(folder / "out.ndjson")) == len(expected_records(MESSAGES))


def test_a_state_is_used_by_one_process_at_a_time(tmp_path):
    path = str(tmp_path / "state")
    with state_folder(path), pytest.raises(PlanError, match="another process"), state_folder(path):
        pytest.fail("two at once")
    with state_folder(str(tmp_path / "state")) as folder:
        assert folder is not None


def test_a_state_of_another_plan_is_refused(folder):
    make_runner(folder, on_end="save").run()
    with pytest.raises(PlanError, match="another plan"):
        make_runner(folder, plan=PLAN.replace(k=4)).run()


def test_lanes_are_saved_together_and_none_is_forgotten(tmp_path):
    """A crash between two lanes would leave a file with records that one of them still has to release."""
    lanes = {name: Lane(name, plan=PLAN, format=JsonMessages()) for name in ("0", "1")}
    for i, message in enumerate(MESSAGES[:60]):
        lanes[str(i % 2)].take(Message(str(i % 2), message, i, i + 1))
    write_state(tmp_path, RunState({"sink": 7}, {name: lane.dump() for name, lane in lanes.items()}))
    assert len(list(tmp_path.iterdir())) == 1
    shared, states = read_state(tmp_path, ["0", "1", "2"])
    assert shared == {"sink": 7}
    assert set(states) == {"0", "1"}
    again = Lane("1", plan=PLAN, format=JsonMessages(), state=states["1"])
    assert (again.place, again.flush()) == (60, lanes["1"].flush())
    with pytest.raises(PlanError, match="holds partition 1, which this run does not read"):
        read_state(tmp_path, ["0"])
    assert read_state(None, ["0"]) == read_state(tmp_path / "elsewhere", ["0"]) == ({}, {})
