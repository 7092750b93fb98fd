"""A standard output that is closed, full or left by its reader: said as what it is, with a code of its own."""

import os
import subprocess
from pathlib import Path

import pytest

import command
from cli.test_errors import RUN

full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full, a disk that is always full")
AFTER_FILES = {
    "anonymize": ([*RUN, "--json", "-q"], ["out.csv", "out.manifest.json"]),
    "compare": (["compare", "data.csv", "--plan", "plan.toml", "--try-k", "3,4", "-m", "k_min"], ["comparison"]),
}
NO_FILES = {
    "check": ["check", "data.csv", "--plan", "plan.toml"],
    "measure": ["measure", "data.csv", "data.csv", "--plan", "plan.toml", "-m", "k_min"],
    "measure as JSON": ["measure", "data.csv", "data.csv", "--plan", "plan.toml", "-m", "k_min", "--json"],
    "reproduce": ["reproduce", "--list"],
}


@full
@pytest.mark.parametrize("name", AFTER_FILES)
def test_a_full_output_after_the_files_were_written(folder, name):
    arguments, files = AFTER_FILES[name]
    with Path("/dev/full").open("wb") as device:
        done = folder.process(*arguments, capture_output=False, stdout=device, stderr=subprocess.PIPE)
    assert done.returncode == 4
    last = done.stderr.decode().strip().splitlines()[-1]
    assert last.startswith("error: standard output cannot be written: the disk is full; ")
    assert last.endswith(("file was written before", "files were written before"))
    assert set(files) <= set(folder.names())


@pytest.mark.parametrize("name", AFTER_FILES)
def test_a_closed_output_after_the_files_were_written(folder, name):
    arguments, files = AFTER_FILES[name]
    done = folder.process(*arguments, preexec_fn=lambda: os.close(1))
    assert done.returncode == 4
    assert b"error: standard output is closed, and there is something to print; " in done.stderr
    assert set(files) <= set(folder.names())


@pytest.mark.parametrize("name", AFTER_FILES)
def test_a_reader_that_left_after_the_files_were_written(folder, name):
    arguments, files = AFTER_FILES[name]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = folder.process(*arguments, capture_output=False, stdout=pipe, stderr=subprocess.PIPE)
    assert done.returncode == 4
    assert b"error: standard output was closed by its reader; " in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert set(files) <= set(folder.names())


@full
@pytest.mark.parametrize("name", NO_FILES)
def test_a_full_output_where_there_are_no_files(folder, name):
    before = folder.names()
    with Path("/dev/full").open("wb") as device:
        done = folder.process(*NO_FILES[name], capture_output=False, stdout=device, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"error: standard output cannot be written: the disk is full; nothing was written" in done.stderr
    assert b"mistake" not in done.stderr
    assert folder.names() == before


@pytest.mark.parametrize("name", NO_FILES)
def test_a_closed_output_where_there_are_no_files(folder, name):
    done = folder.process(*NO_FILES[name], preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert b"error: standard output is closed" in done.stderr


def test_a_table_for_a_closed_output(folder):
    done = folder.process("anonymize", "data.csv", "--plan", "plan.toml", preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert done.stderr == b"error: standard output is closed: name a file with --output\n"


def test_a_closed_output_that_nobody_needs_is_no_mistake(folder):
    done = folder.process(*RUN, preexec_fn=lambda: os.close(1))
    assert done.returncode == 0, done.stderr
    assert "out.csv" in folder.names()


@full
@pytest.mark.parametrize(("more", "code"), [([], 0), (["--k", "61"], 2), (["--by", "ward", "--k", "9"], 3)])
def test_a_full_standard_error_changes_no_exit_code(folder, more, code):
    with Path("/dev/full").open("wb") as device:
        done = subprocess.run([*command.COMMAND, *RUN, *more], cwd=folder.path, stderr=device, timeout=60, check=False)
    assert done.returncode == code
    assert ("out.csv" in folder.names()) == (code == 0)
