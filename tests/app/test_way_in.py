"""The browser that the app opens is let in by a file that nobody else can read, not by its command line."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from app.served import Client, served
from app.tab import Tab

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the browser of the test is a shell script")


def named(folder: Path) -> Path:
    """Return a browser that writes down what it is called with."""
    script = folder / "browser.sh"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {folder}/half && mv {folder}/half {folder}/called\n")
    script.chmod(0o700)
    return script


def called(folder: Path) -> str:
    for _ in range(300):
        if (folder / "called").exists():
            return (folder / "called").read_text()
        time.sleep(0.1)
    raise AssertionError("no browser was opened")


def test_the_command_line_of_the_browser_does_not_hold_the_secret(tmp_path: Path) -> None:
    with served(tmp_path, browser=named(tmp_path)) as running:
        words = called(tmp_path)
        assert running.token not in words
        way_in = Path(words.strip().removeprefix("file://"))
        assert running.address in way_in.read_text()
        assert stat.S_IMODE(way_in.stat().st_mode) == 0o600
        assert stat.S_IMODE(way_in.parent.stat().st_mode) == 0o700
        assert way_in in running.working_files()
        assert Client(running).enter(running.token) == 200
        assert not way_in.exists()  # it led to an address that was used
        running.end()
        assert running.working_files() == []


def test_where_no_browser_is_opened_no_file_holds_the_secret(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        assert [path for path in running.working_files() if path.is_file()] == []


def test_the_file_lets_a_browser_in(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, "--demo", browser=named(tmp_path)) as running:
        context = browser.new_context()
        tab = Tab(context, running).enter(called(tmp_path).strip())
        tab.page.wait_for_selector(".preview")
        assert tab.page.url == f"http://127.0.0.1:{running.port}/data"
        context.close()
        assert tab.wrong == []
