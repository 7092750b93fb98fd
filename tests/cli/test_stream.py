"""shoal stream: in a pipe, stopped by signals, with every option."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import time
import urllib.request

import pytest

import command
from stream.connect.messages import PLAN, expected_records, make_messages, read_lines

MESSAGES = make_messages(120)
EXPECTED = expected_records(MESSAGES)


@pytest.fixture
def here(tmp_path):
    PLAN.save(tmp_path / "plan.toml")
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    return tmp_path


def shoal(here, *arguments, ok=True):
    done = command.shoal("stream", "--plan", "plan.toml", *arguments, cwd=here)
    assert (done.returncode == 0) == ok, done.stderr
    return done


def through_a_file(here, *arguments):
    shoal(here, "-i", here / "in.ndjson", "-o", here / "out.ndjson", "-q", *arguments)
    return read_lines(here / "out.ndjson")


def test_a_file_goes_through(here):
    assert through_a_file(here) == EXPECTED


@pytest.mark.parametrize(
    "option",
    [
        ("--k", "5"),
        ("--max-delay", "6"),
        ("--position-weight", "9"),
        ("--sweeps", "0"),
        ("--round",),
        ("--id-field", "id"),
        ("--set", "stream.bounds.age=[0, 30]"),
    ],
)
def test_options_change_the_output(here, option):
    assert through_a_file(here, *option) != EXPECTED


def test_csv_by_its_name(here):
    lines = ["who,age,area,row"] + [",".join(map(str, json.loads(message).values())) for message in MESSAGES]
    (here / "in.csv").write_text("\n".join(lines) + "\n")
    shoal(here, "-i", here / "in.csv", "-o", here / "out.csv", "-q")
    written = (here / "out.csv").read_text().splitlines()
    assert written[0] == "age,area,row"
    assert [line.split(",")[2] for line in written[1:]] == [str(record["row"]) for record in EXPECTED]
    shoal(here, "-i", here / "in.csv", "-o", here / "plain", "-q")
    assert (here / "plain").read_text().splitlines() == written
    shoal(here, "-i", here / "in.csv", "-o", here / "plain", "--output-format", "ndjson", "-q")
    assert [record["row"] for record in read_lines(here / "plain")] == [str(record["row"]) for record in EXPECTED]


def test_long_lines_and_their_limit(here):
    (here / "in.ndjson").write_bytes(b"x" * 3000 + b"\n" + b"\n".join(MESSAGES) + b"\n")
    shoal(
        here,
        "-i",
        here / "in.ndjson",
        "-o",
        here / "out.ndjson",
        "-q",
        "--dead-letter",
        here / "d",
        "--max-line",
        "2000",
    )
    assert "longer than 2000 bytes" in read_lines(here / "d")[0]["reason"]
    shoal(here, "-i", here / "in.ndjson", "-o", here / "out.ndjson", "-q", "--dead-letter", here / "d")
    assert "not valid JSON" in read_lines(here / "d")[0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-i", "kafka://127.0.0.1:9/t"], "needs --state"),
        (["-i", "valkey://127.0.0.1:9/s"], "needs --state"),
        (["--on-stop", "save"], "needs --state"),
        (["--on-end", "later"], "--on-end must be flush or save"),
        (["--format", "xml"], "--format must be ndjson or csv"),
        (["--from", "middle"], "--from must be earliest or latest"),
        (["-i", "ftp://x/y"], "an endpoint is a file"),
        (["-i", "valkey://127.0.0.1:9/s?color=red", "--state", "s"], "does not know the parameter 'color'"),
        (["-i", "nothing.ndjson"], "cannot be read"),
        (["-i", "a.csv", "-i", "kafka://b:1/t"], "must all be files"),
        (["-i", "valkey://127.0.0.1:9/s", "--format", "csv", "--state", "s"], "csv is for files and pipes"),
    ],
)
def test_mistakes_are_one_clear_sentence(here, arguments, message):
    done = shoal(here, *arguments, ok=False)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.decode().split())
    assert b"Traceback" not in done.stderr


def test_garbage_without_dead_letters_ends_the_run(here):
    (here / "in.ndjson").write_text("garbage\n")
    done = shoal(here, "-i", here / "in.ndjson", "-o", here / "out.ndjson", ok=False)
    assert done.returncode == 2
    assert b"dead-letter" in done.stderr


@pytest.mark.parametrize("state", [[], ["--state", "kept/state"]])
@pytest.mark.parametrize(
    "inputs",
    [
        ["garbage.ndjson"],
        ["in.ndjson.gz"],
        ["empty.csv"],
        ["names.csv", "other.csv"],
        ["."],
        ["in.ndjson", "missing.csv"],
        ["in.ndjson", "./in.ndjson"],
    ],
)
def test_a_run_that_is_refused_leaves_everything_as_it_was(here, inputs, state):
    """The earlier output was emptied before the first message was looked at, or half of a new one was written."""
    (here / "garbage.ndjson").write_text("garbage\n")
    (here / "in.ndjson.gz").write_bytes(gzip.compress(b"\n".join(MESSAGES)))
    (here / "empty.csv").touch()
    (here / "names.csv").write_text("who,age,area,row\na,1,n,1\n")
    (here / "other.csv").write_text("who,area,age,row\na,n,1,1\n")
    outputs = ["-o", "out.ndjson", "--trace", "trace"]
    for name in ("out.ndjson", "trace"):
        if not state:
            (here / name).write_text("precious\n")
            (here / name).chmod(0o644)
    before = {path.name: (path.read_bytes(), path.stat().st_mode) for path in here.iterdir()}
    given = [word for name in inputs for word in ("-i", name)]
    assert shoal(here, *given, *outputs, *state, ok=False).returncode == 2
    assert {path.name: (path.read_bytes(), path.stat().st_mode) for path in here.iterdir()} == before


def test_a_run_that_is_refused_before_a_record_leaves_replaces_nothing(here):
    """Whatever was saved in between."""
    (here / "in.ndjson").write_bytes(b"\n".join(MESSAGES[:5]) + b"\n" * 100_000 + b"garbage\n")
    (here / "out.ndjson").write_text("precious\n")
    assert shoal(here, "-i", "in.ndjson", "-o", "out.ndjson", "--checkpoint", "0", ok=False).returncode == 2
    assert (here / "out.ndjson").read_text() == "precious\n"
    (here / "in.ndjson").write_bytes(b"\n")
    shoal(here, "-i", "in.ndjson", "-o", "out.ndjson")
    assert (here / "out.ndjson").read_text() == ""


@pytest.mark.parametrize("name", ["x.csv.gz", "x.ndjson.zst", "x.parquet", "x.XLSX", "x.tsv", "x.sav"])
@pytest.mark.parametrize("option", ["-o", "--dead-letter", "--trace"])
def test_an_output_is_not_called_what_a_stream_does_not_write(here, name, option):
    """It held lines of JSON, whatever its name said."""
    done = shoal(here, "-i", "in.ndjson", option, name, ok=False)
    assert done.returncode == 2
    assert f"error: {name} is not what a stream writes: name it .ndjson, .jsonl, .json, .csv" in done.stderr.decode()
    assert not (here / name).exists()


@pytest.mark.parametrize("option", ["--state", "--id-field", "--trace"])
def test_a_name_is_not_empty(here, option):
    """A state without one was kept in the current folder."""
    before = {path.name for path in here.iterdir()}
    done = shoal(here, "-i", "in.ndjson", option, "", ok=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: {option} needs a name")
    assert {path.name for path in here.iterdir()} == before


def test_half_a_line_waits_where_the_stream_goes_on(here):
    names, *lines = ["who,row,area,age"] + [f"p{i},{i},n,1{i}" for i in range(10)]
    run = ("-i", "in.csv", "-o", "out.csv", "--state", "state")
    (here / "in.csv").write_text("\n".join([names, *lines[:-1], lines[-1][:-1]]))
    done = shoal(here, *run, "--on-end", "save")
    assert b"the last line of in.csv has no line end: it waits for the next run" in done.stderr
    (here / "in.csv").write_text("\n".join([names, *lines]))
    shoal(here, *run)
    released = [line.split(",") for line in (here / "out.csv").read_text().splitlines()[1:]]
    assert sorted(row for *_, row in released) == [str(i) for i in range(10)]
    assert sum(float(age) for age, *_ in released) == pytest.approx(sum(range(10, 20)))


def test_choices_for_tables_are_no_options(here):
    help_text = command.shoal("stream", "--help", cwd=here).stdout.decode()
    assert "--max-delay" in help_text
    for name in ("--method", "--preserve-variance", "--dependence-weight", "--closeness-method"):
        assert name not in help_text
    assert "--max-delay" not in command.shoal("anonymize", "--help", cwd=here).stdout.decode()


def start_pipe(here, *arguments):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return command.start_shoal("stream", "--plan", here / "plan.toml", *arguments, bufsize=0, **pipes)


def test_it_sits_in_a_pipe_and_answers_line_by_line(here):
    process = start_pipe(here)
    try:
        process.stdin.write(b"\n".join(MESSAGES[:21]) + b"\n")
        process.stdin.flush()
        # The 21st message forces the first one out; the pipe is still open.
        first = json.loads(process.stdout.readline())
        assert first == EXPECTED[0]
        rest, errors = process.communicate(b"\n".join(MESSAGES[21:]) + b"\n", timeout=60)
    finally:
        process.kill()
    assert [first, *map(json.loads, rest.splitlines())] == EXPECTED
    assert b"messages=120 refused=0" in errors


@pytest.mark.parametrize("finish", ["flush", "save"])
def test_sigterm_flushes_or_saves(here, finish):
    process = start_pipe(here, "--state", str(here / "state"), "--on-stop", finish)
    try:
        process.stdin.write(b"\n".join(MESSAGES[:21]) + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    released = 1 + len(rest.splitlines())
    assert released == (21 if finish == "flush" else 3)
    assert (f"buffered={21 - released}").encode() in errors


def test_metrics_are_served_on_request(here):
    process = start_pipe(here, "--metrics-port", "0")
    try:
        line = process.stderr.readline().decode()
        url = re.search(r"http://\S+", line).group()
        process.stdin.write(b"\n".join(MESSAGES) + b"\n")
        process.stdin.flush()
        end = time.monotonic() + 60
        while "messages_total 120" not in (page := urllib.request.urlopen(url, timeout=10).read().decode()):
            assert time.monotonic() < end, page
            time.sleep(0.05)
        process.communicate(timeout=60)
    finally:
        process.kill()
