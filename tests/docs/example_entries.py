"""A plugin of pytest: the examples of CONTRIBUTING.md are in the package, and of the contract suites only theirs run.

``python -m pytest -p docs.example_entries tests/contracts`` is the whole suite of each registry over its example. What
each test came to stands, by entry and function, in the file that ``SHOAL_EXAMPLE_OUTCOMES`` names.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs.pages import ROOT, blocks, section, text_of
from shoal.cli import commands

ENTRIES = {
    "A partitioner": "runs",
    "A kind of attribute": "weekday",
    "A guarantee": "bounded_odds",
    "A way to closeness": "dealt",
    "A measure": "largest_class",
    "An attack": "class_guess",
    "A file format": "json",
    "A cluster backend": "pieces",
    "A command": "methods",
}
"""The sections of the page, and the name of what each adds."""

OUTCOMES: dict[str, dict[str, str]] = {name: {} for name in ENTRIES.values()}


def block(title: str) -> str:
    """Return the one block of a section."""
    (code,) = blocks(section(text_of("CONTRIBUTING.md"), title), "python")
    return code


def setting() -> dict[str, Any]:
    """Return what the first block of the page leaves: all others start from there."""
    names: dict[str, Any] = {}
    exec(blocks(section(text_of("CONTRIBUTING.md"), "Adding something"), "python")[0], names)
    return names


def add_command() -> ModuleType:
    """Put the command of the page into the package: its file, and its line."""
    module = ModuleType("shoal.cli.methods")
    exec(block("A command"), vars(module))
    sys.modules[module.__name__] = module
    commands.COMMANDS["methods"] = module.methods_command.__doc__
    commands.app.command("methods", help=module.methods_command.__doc__)(commands._listed)
    return module


def pytest_configure(config: pytest.Config) -> None:
    """Put every example into the package, before suites ask the registries what there is."""
    os.chdir(ROOT)
    for title in ENTRIES:
        if title == "A command":
            add_command()
        else:
            exec(block(title), setting())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the examples: those with the name of one among their parameters, or with its ending."""
    chosen = [item for item in items if _entry(item) is not None]
    config.hook.pytest_deselected(items=[item for item in items if _entry(item) is None])
    items[:] = chosen


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what a test came to; of several with other parameters, the worst."""
    name = dict(report.user_properties).get("entry")
    if name is not None and (report.when == "call" or not report.passed):
        function = report.nodeid.partition("[")[0]
        before = OUTCOMES[str(name)].get(function, "passed")
        OUTCOMES[str(name)][function] = report.outcome if before == "passed" else before


def pytest_sessionfinish() -> None:
    """Write the outcomes down."""
    Path(os.environ["SHOAL_EXAMPLE_OUTCOMES"]).write_text(json.dumps(OUTCOMES), encoding="utf-8")


def _entry(item: pytest.Item) -> str | None:
    """Return the example that a test is about."""
    values = [str(value) for value in item.callspec.params.values()] if hasattr(item, "callspec") else []
    for name in ENTRIES.values():
        if name in values or f".{name}" in values:
            item.user_properties = [("entry", name)]
            return name
    return None
