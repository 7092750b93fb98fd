"""What goes wrong around a run is one clear sentence, and nothing is destroyed."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import pytest

import command
from shoal import StreamAnonymizer
from shoal.errors import DataError, OutputError, PlanError
from shoal.stream.connect.endpoints import open_sink, open_source, parse_endpoint
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import CsvMessages
from shoal.stream.connect.protocols import Output, Stopped
from shoal.stream.engine.snapshot import dump_records, load_records
from shoal.stream.engine.stream_encoder import leaving_columns
from stream.connect.messages import PLAN, make_messages, make_runner, read_lines

MESSAGES = make_messages(400)


@pytest.fixture
def folder(tmp_path):
    PLAN.save(tmp_path / "plan.toml")
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    return tmp_path


def refusal(folder, *arguments):
    """What the command says in this process, where no process of its own is needed."""
    done = command.shoal("stream", "--plan", "plan.toml", "-q", *arguments, cwd=folder)
    assert done.returncode == 2, done.stderr
    return done.stderr.decode()


def start(folder, *arguments, **pipes):
    return command.start_shoal("stream", "--plan", "plan.toml", "-q", *arguments, cwd=folder, **pipes)


@contextlib.contextmanager
def small_files():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "out.ndjson"], "out.ndjson cannot be written: File too large"),
        (["-o", "/dev/null", "--trace", "trace"], "trace cannot be written: File too large"),
        (["-o", "/dev/null", "--state", "state", "--checkpoint", "0"], "snapshot 'state/stream.snapshot' cannot be"),
    ],
)
def test_a_full_disk_is_a_clear_sentence(folder, arguments, sentence):
    with small_files():
        said = refusal(folder, "-i", "in.ndjson", *arguments)
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert sentence in said


@pytest.mark.parametrize("arguments", [["-o", "/dev/full"], ["-o", "/dev/null", "--dead-letter", "/dev/full"]])
def test_a_full_device_is_a_clear_sentence(folder, arguments):
    with (folder / "in.ndjson").open("ab") as file:
        file.write(b"garbage\n")
    said = refusal(folder, "-i", "in.ndjson", *arguments)
    assert said == "error: /dev/full cannot be written: No space left on device\n"


def test_a_reader_that_leaves_ends_the_run_quietly(folder):
    process = start(folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"\n".join(MESSAGES) + b"\n")
    process.stdin.flush()
    first = process.stdout.readline()
    process.stdout.close()  # as `| head -1` does
    for _ in range(1000):
        try:
            process.stdin.write(b"\n".join(MESSAGES) + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            break
    process.wait(60)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    assert set(json.loads(first)) == {"age", "area", "row"}
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_slow_producer_sees_a_group_as_soon_as_it_leaves(folder):
    """Nothing waits for a full block, neither on the way in nor out; SIGTERM then releases what is left."""
    with start(folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stream = StreamAnonymizer(PLAN)
        expected = 0
        for message in MESSAGES:
            process.stdin.write(message + b"\n")
            process.stdin.flush()
            left = stream.push(json.loads(message))
            expected += len(left)
            assert [json.loads(process.stdout.readline()) for _ in left] == left
            if expected > 30:
                break
        assert stream.stats.buffered > 0
        process.send_signal(signal.SIGTERM)
        assert [json.loads(line) for line in process.stdout] == stream.flush()
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stop_saves_where_there_is_a_state(folder, number):
    os.mkfifo(folder / "pipe")
    arguments = ["-i", "pipe", "-o", "out.ndjson", "--state", "state"]
    with start(folder, *arguments) as process, (folder / "pipe").open("wb", 0) as pipe:
        pipe.write(b"\n".join(MESSAGES[:100]) + b"\n")
        end = time.monotonic() + 30
        while not (folder / "out.ndjson").exists() or (folder / "out.ndjson").stat().st_size == 0:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(60) == 0
    (folder / "rest.ndjson").write_bytes(b"\n".join(MESSAGES[100:]) + b"\n")
    source = LinesSource([str(folder / "rest.ndjson")], csv=False, limit=10_000)
    make_runner(folder, source=source, state=folder / "state", id_field=None).run()
    stream = StreamAnonymizer(PLAN)
    expected = [record for message in MESSAGES for record in stream.push(json.loads(message))] + stream.flush()
    assert read_lines(folder / "out.ndjson") == expected


def test_every_reader_of_a_pipe_gets_the_names_of_the_columns(folder, capsysbinary):
    for name, part in (("a", MESSAGES[:200]), ("b", MESSAGES[200:])):
        (folder / name).write_bytes(b"\n".join(part) + b"\n")
        source = LinesSource([str(folder / name)], csv=False, limit=10_000)
        runner = make_runner(folder, source=source, sink=LinesSink("-"), on_end="save", id_field=None)
        runner._writes = CsvMessages(lambda: leaving_columns(PLAN))
        runner.run()
        written = capsysbinary.readouterr().out
        assert written.startswith(b"age,area,row\n")
        assert written.count(b"age,area,row") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["-i", "in.ndjson", "-o", "in.ndjson"],
        ["-i", "in.ndjson", "-o", "./in.ndjson"],
        ["-i", "in.ndjson", "-o", "second_name.ndjson"],
        ["-i", "in.ndjson", "-o", "plan.toml"],
        ["-i", "in.ndjson", "-o", "one.ndjson", "--dead-letter", "./plan.toml"],
        ["-i", "in.ndjson", "-o", "one.ndjson", "--trace", "key", "--state", "state", "--state-key-file", "key"],
        ["-o", "one.ndjson", "--dead-letter", "one.ndjson"],
        ["-o", "one.ndjson", "--trace", "one.ndjson"],
        ["-o", "-", "--dead-letter", "-"],
        ["-i", "valkey://localhost:1/s", "-o", "valkey://localhost:1/s", "--state", "state"],
        ["-o", "kafka://localhost:1/t", "--dead-letter", "kafka://localhost:1/t?log_level=0"],
    ],
)
def test_a_place_is_read_or_written_once(folder, arguments):
    (folder / "second_name.ndjson").hardlink_to(folder / "in.ndjson")
    (folder / "key").write_bytes(bytes(32))
    (folder / "key").chmod(0o600)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "named twice" in refusal(folder, *arguments)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("place", "said"), [(".", "named twice"), ("x" * 300, "named twice"), ("dangling", "named twice"), (os.devnull, "")]
)
def test_only_a_device_takes_two_outputs(folder, place, said):
    (folder / "dangling").symlink_to("nothing")
    arguments = ["--plan", "plan.toml", "-q", "-i", "in.ndjson", "-o", place, "--dead-letter", place]
    done = command.shoal("stream", *arguments, cwd=folder)
    assert done.returncode == (2 if said else 0)
    assert said in done.stderr.decode()
    assert not (folder / "nothing").exists()


def test_closed_standard_streams_are_a_clear_sentence(folder, monkeypatch):
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stdin", None)
        with pytest.raises(DataError, match="standard input is closed"):
            LinesSource(["-"], csv=False, limit=100).open({})
        closed.setattr(sys, "stdout", None)
        with pytest.raises(OutputError, match="standard output is closed"):
            LinesSink("-").open(None)


def test_a_port_that_is_taken_is_a_clear_sentence(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PlanError, match=rf"127\.0\.0\.1:{port}: Address already in use; choose another port"):
            make_runner(folder).metrics.serve(port)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kafka://localhost:1/t?nonsense=1", "No such configuration property"),
        ("kafka://localhost:1/t?fetch.min.bytes=x", "fetch.min.bytes"),
        ("kafka://localhost:1/t?partitions=0,x", "partitions must be of whole numbers"),
        ("valkey://localhost:1/s?nonsense=1", "does not know the parameter 'nonsense'"),
    ],
)
def test_wrong_parameters_of_a_source_are_refused(text, sentence):
    with pytest.raises(PlanError, match=sentence):
        open_source([parse_endpoint(text)], form="ndjson", limit=100, latest=False, stopped=lambda: False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kafka://localhost:1/t?nonsense=1", "No such configuration property"),
        ("valkey://localhost:1/s?maxlen=many", "maxlen must be of whole numbers"),
    ],
)
def test_wrong_parameters_of_a_sink_are_refused(text, sentence):
    with pytest.raises(PlanError, match=sentence):
        open_sink(parse_endpoint(text), stopped=lambda: False)


def test_a_valkey_server_that_is_away_is_said_in_words(caplog):
    """Not by the class of an exception, and not as trouble with a disk."""
    pytest.importorskip("valkey")
    tries = iter([False, False, True])
    sink = open_sink(parse_endpoint("valkey://127.0.0.1:1/s"), stopped=lambda: next(tries))
    logging.getLogger("shoal.stream").propagate = True
    with caplog.at_level(logging.WARNING, logger="shoal.stream"), pytest.raises(Stopped):
        sink.write([Output("0", b"line")])
    assert caplog.records[0].getMessage() == "valkey: writing waits: no server answers; trying again in 0.1 s"
    sink.close()


def test_a_message_that_is_too_large_for_kafka_is_a_clear_sentence():
    sink = open_sink(parse_endpoint("kafka://127.0.0.1:1/t?log_level=0"), stopped=lambda: False)
    with pytest.raises(OutputError, match=r"MSG_SIZE_TOO_LARGE.*message\.max\.bytes"):
        sink.write([Output("0", b"x" * 2_000_000)])


def test_a_device_takes_lines_and_has_no_place(folder):
    sink = LinesSink(os.devnull)
    sink.open(None)
    sink.write([Output("0", b"line")])
    sink.flush()
    assert sink.place() is None
    sink.close()


@pytest.mark.parametrize("waiting", ["in.ndjson", "out.ndjson"])
def test_a_pipe_that_nobody_opens_does_not_keep_a_run_from_stopping(folder, waiting):
    (folder / waiting).unlink(missing_ok=True)
    os.mkfifo(folder / waiting)
    runner = make_runner(folder)
    before = signal.signal(signal.SIGALRM, lambda *_: runner.stop())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        runner.run()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert runner.metrics.update(now=True)["messages_total"] == 0


def test_a_file_without_a_whole_line_in_sight_is_not_idle(folder):
    (folder / "in.ndjson").write_bytes(b"x" * 500_000 + b"\n" + b"\n".join(MESSAGES))
    runner = make_runner(folder, idle_seconds=0.0)
    runner.run()
    assert runner.metrics.update(now=True)["messages_total"] == 401


def test_long_dead_letters_are_cut_and_say_so(folder):
    long = b'"' + b"\x01" * 9_000 + b'"'
    (folder / "in.ndjson").write_bytes(long + b"\n" + b"x" * 200_000 + b"\n")
    make_runner(folder).run()
    whole, cut = read_lines(folder / "dead.ndjson")
    assert whole["message"].encode() == long
    assert "cut" not in whole
    assert cut["cut"] is True
    assert cut["message"] == "x" * (1 << 17)


def test_a_state_of_json_is_not_continued_with_csv(folder):
    make_runner(folder, on_end="save").run()
    assert "another format" in refusal(folder, "-i", "in.ndjson", "-o", "out", "--state", ".", "--format", "csv")


def test_a_damaged_state_is_a_clear_sentence(folder):
    make_runner(folder, on_end="save").run()
    (snapshot,) = folder.glob("*.snapshot")
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    snapshot.write_bytes(content)
    assert "is damaged" in refusal(folder, "-i", "in.ndjson", "-o", "out", "--state", ".")


def test_a_record_cannot_pose_as_a_type_of_the_state():
    """A message is free to use the mark that the state puts beside dates."""
    record = {"note": {"\x00type": "date", "value": ["x"]}, "\x00type": "nonsense"}
    assert list(load_records(dump_records([(0, record)]))) == [(0, record)]


def test_one_person_has_one_number_whatever_the_type():
    plan = PLAN.replace(stream={"max_delay": 5})
    stream = StreamAnonymizer(plan)
    for who in (1, 1.0, "1", 2, "2"):
        stream.push({"who": who, "age": 30, "area": "n", "row": 0})
    assert stream.flush() == []
    assert stream.stats.dropped["too_few_subjects"] == 5
