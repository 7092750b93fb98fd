"""Ctrl-C, whenever it comes: one line, the right exit code, nothing left; ignored where it is ignored."""

import json
import signal
import subprocess
import sys
import time

import pytest

from command import COMMAND, interruptible
from stream.connect.messages import PLAN, expected_records, make_messages

WATCHED = """
import os, signal, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {act}

sys.meta_path.insert(0, Watch())
from shoal.cli import main
main()
"""
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
TELL = 'sys.stdout.write("loading\\n"); sys.stdout.flush()'


def start(module, act, *, cwd):
    """Start ``shoal anonymize`` with something to do when a module is about to be loaded."""
    arguments = ["anonymize", "-", "--plan", "plan.toml", "-o", "out.csv"]
    return subprocess.Popen(
        [sys.executable, "-c", WATCHED.format(module=module, act=act), *arguments],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def assert_interrupted(folder, process):
    """What the user sees; standard input never ended, so nothing but the signal ended the process."""
    try:
        code = process.wait(60)
    finally:
        process.kill()
    errors = process.stderr.read()
    assert (code, errors) == (130, b"interrupted: nothing was written\n")
    assert folder.names() == ["data.csv", "plan.toml"]
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


@pytest.mark.parametrize(
    "module", ["shoal.cli.commands", "typer", "shoal.cli.anonymize", "numpy", "pydantic", "polars", "shoal._core"]
)
def test_ctrl_c_while_a_module_is_loaded_is_one_line(folder, module):
    with interruptible():
        process = start(module, INTERRUPT, cwd=folder.path)
    assert_interrupted(folder, process)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.3, 0.6, 1.5])
def test_ctrl_c_at_any_moment_is_one_line(folder, delay):
    with interruptible():
        process = start("shoal.cli.commands", TELL, cwd=folder.path)
    assert process.stdout.readline() == b"loading\n"
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    assert_interrupted(folder, process)


@pytest.fixture
def ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_job_in_the_background_is_not_interrupted(folder, ignored):
    process = start("polars", INTERRUPT, cwd=folder.path)
    _, errors = process.communicate((folder.path / "data.csv").read_bytes(), timeout=60)
    assert process.returncode == 0, errors
    assert "out.csv" in folder.names()


def test_a_stream_in_the_background_is_not_interrupted(tmp_path, ignored):
    PLAN.save(tmp_path / "plan.toml")
    messages = make_messages(40)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([*COMMAND, "stream", "--plan", "plan.toml", "-q"], cwd=tmp_path, bufsize=0, **pipes)
    process.stdin.write(b"\n".join(messages[:21]) + b"\n")
    first = process.stdout.readline()  # it runs
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(b"\n".join(messages[21:]) + b"\n", timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert [json.loads(line) for line in [first, *rest.splitlines()]] == expected_records(messages)
