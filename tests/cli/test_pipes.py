"""Pipes and devices as inputs and outputs: nothing is written beside them, and nothing is read from them twice."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes are of POSIX")
RUN = ("anonymize", "data.csv", "--plan", "plan.toml", "-q")


@contextmanager
def fed(folder, name, source):
    """Write a file to a named pipe, once."""
    os.mkfifo(folder.path / name)
    writer = subprocess.Popen(["dd", f"if={source}", f"of={name}", "status=none"], cwd=folder.path)
    try:
        yield name
    finally:
        writer.kill()
        writer.wait()


def test_a_device_has_no_manifest_beside_it(folder):
    before = sorted(Path(os.devnull).parent.iterdir())
    done = folder.shoal(*RUN[:-1], "-o", os.devnull)
    assert done.returncode == 0
    assert b"wrote /dev/null\n" in done.stderr
    assert sorted(Path(os.devnull).parent.iterdir()) == before
    assert folder.names() == ["data.csv", "plan.toml"]


def test_neither_have_new_records_that_go_to_one(folder):
    before = sorted(Path(os.devnull).parent.iterdir())
    assert folder.shoal(*RUN, "-o", "out.csv", "--model", "model.json").returncode == 0
    done = folder.shoal("apply", "data.csv", "--model", "model.json", "-o", os.devnull)
    assert done.returncode == 0
    assert sorted(Path(os.devnull).parent.iterdir()) == before


def test_a_process_substitution_takes_a_release(folder):
    end, start = os.pipe()
    try:
        done = folder.process(*RUN, "-o", f"/dev/fd/{start}", pass_fds=[start])
        os.close(start)
        with open(end, "rb", closefd=False) as pipe:
            released = pipe.read()
    finally:
        os.close(end)
    assert (done.returncode, done.stderr) == (0, b"")
    assert released == folder.shoal(*RUN).stdout


def test_a_plan_is_proposed_to_a_device(folder):
    assert folder.shoal("init", "data.csv", "-o", os.devnull).returncode == 0


def test_an_original_that_comes_by_a_pipe_is_judged_all_the_same(folder):
    with fed(folder, "pipe.csv", "data.csv") as pipe:
        done = folder.shoal("anonymize", pipe, *RUN[2:], "--subject", "name", "--verify", "-o", "out.csv")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "out.csv" in folder.names()


@pytest.mark.parametrize("which", ["release", "plan", "original"])
def test_an_audit_says_that_it_reads_files(folder, which):
    folder.shoal(*RUN, "-o", "out.csv")
    files = {"release": "out.csv", "plan": "plan.toml", "original": "data.csv"}
    os.mkfifo(folder.path / "pipe")
    files[which] = "pipe"
    done = folder.shoal("verify", files["release"], "--plan", files["plan"], "--original", files["original"])
    assert done.returncode == 2
    assert done.stderr == (b"error: pipe cannot be read: it is a pipe or a device, and must be a file\n")


def test_an_audit_reads_a_plan_as_runs_do(folder):
    folder.shoal(*RUN, "-o", "out.csv")
    plan = folder.path / "plan.toml"
    plan.write_bytes(b"\xef\xbb\xbf" + plan.read_bytes())
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml").returncode == 0
    assert folder.shoal("verify", "out.csv", "--plan", "plan.toml").returncode == 0
