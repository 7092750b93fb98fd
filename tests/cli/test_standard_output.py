"""A standard output that is closed, full or left by its reader: said as what it is, with a code of its own."""

import os
import subprocess
from pathlib import Path

import polars as pl
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
UNGUARDED = {"version": ["--version"], "help": ["--help"], "help of a command": ["check", "--help"], "nothing": []}


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


@full
@pytest.mark.parametrize("name", UNGUARDED)
def test_a_full_output_where_no_command_runs(folder, name):
    with Path("/dev/full").open("wb") as device:
        done = folder.process(*UNGUARDED[name], capture_output=False, stdout=device, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"error: standard output cannot be written: the disk is full; nothing was written\n"


@pytest.mark.parametrize("name", UNGUARDED)
def test_a_reader_that_left_where_no_command_runs(folder, name):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = folder.process(*UNGUARDED[name], capture_output=False, stdout=pipe, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b""


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


SHARED = [
    (["--manifest", "-"], "--output and --manifest"),
    (["-o", "-", "--manifest", "-"], "--output and --manifest"),
    (["-o", "out.csv", "--manifest", "-", "--json"], "--json and --manifest"),
    (["-o", "-", "--json"], "--json and --output"),
    (["-o", "-", "--summary"], "--summary and --output"),
]
TABLE = ("anonymize", "data.csv", "--plan", "plan.toml", "-q")


@pytest.mark.parametrize(("arguments", "who"), SHARED)
def test_standard_output_takes_one_thing(folder, arguments, who):
    before = folder.names()
    done = folder.shoal(*TABLE, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    told = f"error: {who} both want standard output, which takes one of them: name a file with {who.split()[-1]}\n"
    assert done.stderr.decode() == told
    assert folder.names() == before


@pytest.mark.parametrize(("arguments", "who"), SHARED[1:4])
def test_standard_output_is_what_it_is_by_whatever_name(folder, arguments, who):
    before = folder.names()
    names = iter(["/dev/stdout", "/dev/fd/1"])
    done = folder.process(*TABLE, *(next(names) if word == "-" else word for word in arguments))  # into a pipe
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"error: {who} both want standard output".encode() in done.stderr
    assert folder.names() == before


def test_two_outputs_do_not_go_to_one_pipe(folder):
    os.mkfifo(folder.path / "pipe")
    done = folder.shoal(*TABLE, "-o", "pipe", "--manifest", "./pipe")
    assert done.returncode == 2
    assert done.stderr == b"error: ./pipe is named for two outputs: choose different names\n"


def test_outputs_go_to_different_places_or_nowhere(folder):
    done = folder.process(*TABLE, "-o", "/dev/stdout", "--manifest", "manifest.json")
    assert (done.returncode, "manifest.json" in folder.names()) == (0, True)
    assert done.stdout.startswith(b"age,grade,county,seen,pay,ward\n")
    done = folder.shoal(*TABLE, "-o", "/dev/null", "--manifest", "/dev/null", "--json")
    assert done.returncode == 0


def test_a_report_does_not_go_where_its_summary_is_printed(folder):
    (folder.path / "page.md").symlink_to("/dev/stdout")
    done = folder.process("report", "data.csv", "data.csv", "--plan", "plan.toml", "-q", "-o", "page.md", "--summary")
    assert done.returncode == 2
    assert b"--summary and --output both want standard output" in done.stderr


@pytest.mark.parametrize("name", ["check", "measure as JSON"])
def test_a_reader_that_left_where_there_are_no_files_is_no_mistake_of_shoal(folder, name):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = folder.process(*NO_FILES[name], capture_output=False, stdout=pipe, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"error" not in done.stderr


def test_what_is_no_text_is_not_written_to_a_terminal(folder):
    pty = pytest.importorskip("pty", reason="only Unix has terminals of this kind")
    pl.read_csv(folder.path / "data.csv", try_parse_dates=True).write_parquet(folder.path / "data.parquet")
    ours, theirs = pty.openpty()
    words = ["anonymize", "data.parquet", "--plan", "plan.toml", "-q"]
    with os.fdopen(theirs, "wb") as terminal:
        done = folder.process(*words, capture_output=False, stdout=terminal, stderr=subprocess.PIPE)
        dry = folder.process(*words, "--dry-run", capture_output=False, stdout=terminal, stderr=subprocess.PIPE)
    os.close(ours)
    assert done.returncode == 2
    assert (
        done.stderr
        == b"error: Parquet files are no text, and standard output is a terminal: name a file with --output\n"
    )
    assert dry.returncode == 0


def test_a_table_that_does_not_fit_in_memory_is_no_mistake_of_shoal(folder, monkeypatch):
    def no_memory(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("shoal.cli.check.check_file", no_memory)
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert (done.returncode, b"does not fit in memory" in done.stderr) == (2, True)


def test_an_environment_without_threads_is_passed_over(folder):
    done = folder.process("check", "data.csv", "--plan", "plan.toml", env={**os.environ, "POLARS_MAX_THREADS": "0"})
    assert done.returncode == 0, done.stderr
