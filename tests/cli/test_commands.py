"""What the command line knows before a command is loaded."""

import importlib
import inspect
import subprocess
import sys

import pytest

from shoal.cli.commands import COMMANDS

HEAVY = ("numpy", "polars", "pydantic", "narwhals", "shoal._core", "shoal.plan", "shoal.cli.console")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_listed_help_is_the_first_line_of_the_command(name):
    command = getattr(importlib.import_module(f"shoal.cli.{name}"), f"{name}_command")
    assert inspect.getdoc(command).splitlines()[0] == COMMANDS[name]


def test_every_command_is_listed_with_its_help(folder):
    for arguments in (["--help"], []):
        text = folder.shoal(*arguments)
        shown = " ".join((text.stdout + text.stderr).decode().replace("│", " ").split())
        assert [text.partition(" ")[0] for text in COMMANDS.values() if text not in shown] == []
        assert shown.index("init") < shown.index("anonymize") < shown.index("stream")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_its_own_options(folder, name):
    done = folder.shoal(name, "--help")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert f" {name} [OPTIONS]" in text
    assert " ".join(COMMANDS[name].split()[:6]) in text
    command = getattr(importlib.import_module(f"shoal.cli.{name}"), f"{name}_command")
    works_in_silence = not inspect.signature(command).parameters
    assert "--quiet" in text or works_in_silence or name in ("init", "check", "verify", "app")


def test_a_command_that_is_not_there_is_told_with_the_nearest(folder):
    done = folder.shoal("anonymise")
    assert done.returncode == 2
    assert b"No such command 'anonymise'" in done.stderr
    assert b"'anonymize'" in done.stderr


LOADED = """
import sys
from shoal.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, *(name for name in sys.modules if name.startswith("shoal.cli.")), sep="\\n", file=sys.stderr)
    print(*({heavy!r} & sys.modules.keys()), file=sys.stderr)
"""


def loaded(*arguments):
    """Return the modules of the command line, and the heavy ones, that a run loads in a process of its own."""
    code = LOADED.format(heavy=set(HEAVY))
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    status, *ours, heavy = done.stderr.splitlines()
    assert status == "0"
    assert done.stdout
    return set(ours), set(heavy.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_no_command_is_loaded_to_list_them(option):
    assert loaded(option) == ({"shoal.cli.commands", "shoal.cli.signals"}, set())


def test_a_command_loads_no_other(folder):
    ours, heavy = loaded("init", "--help")
    assert heavy == set(HEAVY)
    assert {f"shoal.cli.{name}" for name in COMMANDS} & ours == {"shoal.cli.init"}
