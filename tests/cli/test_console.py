"""What people see, and what they must not."""

import os
import pty
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from command import COMMAND
from shoal.cli.console import SHOW_TRACEBACK, guarded


def broken() -> None:
    raise ValueError("could not convert 'Ann, 34' to a number")


def test_an_unforeseen_error_shows_no_value_unless_it_is_asked_to(monkeypatch):
    app = typer.Typer()
    app.command()(guarded(broken))
    done = CliRunner().invoke(app)
    assert done.exit_code == 1
    assert "Ann" not in done.stderr
    assert "ValueError in test_console.py, line" in done.stderr
    monkeypatch.setenv(SHOW_TRACEBACK, "1")
    with pytest.raises(ValueError, match="Ann"):
        CliRunner().invoke(app, catch_exceptions=False)


def test_a_terminal_sees_the_progress(folder):
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "anonymize", "data.csv", "--plan", "plan.toml"],
        cwd=folder.path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
        env={**os.environ, "TERM": "xterm"},
        check=False,
    )
    os.close(theirs)
    assert done.returncode == 0
    assert done.stdout.startswith(b"age,grade")
    assert b"\x1b" not in done.stdout
    assert b"grouping records" in os.read(ours, 1 << 16)
    os.close(ours)


def test_a_terminal_of_no_width_is_told_what_is_wrong(folder):
    for arguments in (("check", "data.csv", "--plan", "nowhere.toml"), ("check", "--nowhere")):
        run = [*COMMAND, *arguments]
        done = subprocess.run(
            run, cwd=folder.path, env={**os.environ, "COLUMNS": "0"}, capture_output=True, check=False
        )
        assert done.returncode == 2
        assert b"nowhere" in done.stderr


def test_a_name_of_two_lines_adds_no_line_to_a_table(folder):
    data = folder.path / "data.csv"
    data.write_text(data.read_text().replace("ward", '"ward\nall is well"', 1))
    folder.write_plan((folder.path / "plan.toml").read_text().replace("ward ", '"ward\\nall is well" '))
    for done in (
        folder.shoal("init", "data.csv", "-o", "new.toml"),
        folder.shoal("check", "data.csv", "--plan", "plan.toml"),
    ):
        assert done.returncode == 0, done.stderr
        assert b"ward\\nall is well" in done.stdout + done.stderr
        assert b"\nall is well" not in done.stdout + done.stderr
