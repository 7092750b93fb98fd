"""What people see, and what they must not."""

import os
import pty
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

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
