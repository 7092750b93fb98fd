"""A test that leaves something behind fails, and the next finds everything as it was."""

import logging
import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

from isolation import outlives_the_test, same_after
from shoal.partitioners import METHODS


def leave_a_handler():
    logging.getLogger("shoal.stream").addHandler(logging.NullHandler())


def leave_a_level():
    logging.getLogger("shoal").setLevel(logging.DEBUG)


def leave_a_new_logger():
    logging.getLogger("shoal.nobody.else").propagate = False


def leave_a_variable():
    os.environ["SHOAL_LEFT_BEHIND"] = "1"


def take_a_variable_away():
    del os.environ["PATH"]


def leave_a_folder():
    os.chdir("/")


def leave_a_path():
    sys.path.append("/nowhere")


def leave_a_module(folder):
    module = types.ModuleType("left_behind")
    module.__file__ = str(folder / "left_behind.py")
    sys.modules["left_behind"] = module


def replace_a_module():
    sys.modules["shoal.registry"] = types.ModuleType("shoal.registry")


def leave_an_entry():
    METHODS._entries["left_behind"] = METHODS["mdav"]


def take_an_entry_away():
    METHODS.unregister("mdav")


def leave_a_signal():
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def leave_a_hook():
    sys.excepthook = print


@pytest.mark.parametrize(
    ("leave", "named"),
    [
        (leave_a_handler, "settings of the logger shoal.stream"),
        (leave_a_level, "settings of the logger shoal"),
        (leave_a_new_logger, "settings of the logger shoal.nobody.else"),
        (leave_a_variable, "the environment variable SHOAL_LEFT_BEHIND"),
        (take_a_variable_away, "the environment variable PATH"),
        (leave_a_folder, "another working folder"),
        (leave_a_path, "another sys.path"),
        (leave_a_module, "the module left_behind"),
        (replace_a_module, "another module in the place of shoal.registry"),
        (leave_an_entry, "other entries in shoal.partitioners.registry.METHODS"),
        (take_an_entry_away, "other entries in shoal.partitioners.registry.METHODS"),
        (leave_a_signal, "another answer to SIGUSR1"),
        (leave_a_hook, "another sys.excepthook"),
    ],
)
def test_what_is_left_is_named_and_put_back(leave, named, tmp_path):
    with pytest.raises(AssertionError, match="left behind for the tests that follow") as refused, same_after():
        leave(*[tmp_path] * leave.__code__.co_argcount)
    assert named in str(refused.value)
    with same_after():  # and the fixture of all tests finds nothing either
        pass


def test_a_process_that_runs_on_is_named_and_ended(monkeypatch):
    monkeypatch.setattr("isolation._PATIENCE", 0.1)
    with pytest.raises(AssertionError, match=r"the process \d+ \(sleep 1000\)"), same_after():
        process = subprocess.Popen(["sleep", "1000"])
    process.wait()
    assert not Path(f"/proc/{process.pid}").exists()


def test_a_process_that_a_fixture_will_end_may_run_on():
    with same_after():
        process = subprocess.Popen(["sleep", "1000"])
        outlives_the_test(process.pid)
    assert process.poll() is None
    process.kill()
    process.wait()


def test_a_file_in_the_folder_of_the_project_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("isolation._HOME", tmp_path)
    with pytest.raises(AssertionError, match=r"the file release.csv"), same_after():
        (tmp_path / "release.csv").touch()


def test_what_is_put_back_by_the_test_itself_is_no_matter(monkeypatch, tmp_path):
    with same_after():
        with monkeypatch.context() as patched:
            patched.setenv("SHOAL_LEFT_BEHIND", "1")
            patched.chdir(tmp_path)
        subprocess.run(["true"], check=True)
        logging.getLogger("shoal.quiet")
    assert "SHOAL_LEFT_BEHIND" not in os.environ
