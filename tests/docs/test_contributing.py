"""What CONTRIBUTING.md shows is true: its blocks run, and what they add passes the contract suite of its registry."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import command
import shoal
from docs.example_entries import ENTRIES, add_command, block, setting
from docs.pages import ROOT, blocks, rows, section, text_of
from shoal.attacks import ATTACKS
from shoal.cli import commands
from shoal.constrain import WAYS
from shoal.files import FORMATS
from shoal.kinds.registry import KINDS
from shoal.measures import MEASURES
from shoal.partitioners import METHODS
from shoal.protect import GUARANTEES
from shoal.registry import Registry
from shoal.run import BACKENDS

ADDING = section(text_of("CONTRIBUTING.md"), "Adding something")
TITLES = re.findall(r"^### (.+)$", ADDING, re.MULTILINE)
REGISTRIES: dict[str, Registry[Any]] = {
    "A partitioner": METHODS,
    "A kind of attribute": KINDS,
    "A guarantee": GUARANTEES,
    "A way to closeness": WAYS,
    "A measure": MEASURES,
    "An attack": ATTACKS,
    "A file format": FORMATS,
    "A cluster backend": BACKENDS,
}
"""What each section adds to."""

SUITES = {cells[0]: cells[3].split("`")[1::2] for cells in rows(ADDING)}
"""The suites of each kind of entry, as the table of the page has them."""

OF_OTHERS = {
    "test_a_format_that_is_only_read_says_so": "the example is written, too",
    "test_categories_are_learnt_from_their_counts_as_from_records": "weekdays are numbers",
}
"""Functions of the suites that are about other entries than the examples, and why."""


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the first block leaves; registries are as they were when the test is over."""
    for registry in REGISTRIES.values():
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    monkeypatch.chdir(ROOT)
    return setting()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each function of the contract suites came to on the examples, in a process that has them in the package."""
    file = tmp_path_factory.mktemp("examples") / "outcomes.json"
    suites = sorted({suite for title in ENTRIES for suite in SUITES[_kind(title)]})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "docs.example_entries", "-n0", "-q", *(str(ROOT / s) for s in suites)],
        cwd=ROOT / "tests",
        env={**os.environ, "SHOAL_EXAMPLE_OUTCOMES": str(file), "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert file.exists(), done.stdout + done.stderr
    return json.loads(file.read_text(encoding="utf-8"))


def _kind(title: str) -> str:
    """Return the name of a section's kind in the table."""
    return {"A cluster backend": "cluster backend"}.get(title, re.sub("^An? ", "", title))


@pytest.mark.parametrize("title", ENTRIES)
def test_what_is_added_passes_the_whole_suite_of_its_registry(title: str, outcomes: dict[str, dict[str, str]]) -> None:
    found = outcomes[ENTRIES[title]]
    assert {function: outcome for function, outcome in found.items() if outcome != "passed"} == {}
    run = {function.rpartition("::")[2] for function in found}
    for suite in SUITES[_kind(title)]:
        assert _of_each_entry(ROOT / suite) - set(OF_OTHERS) <= run


def _of_each_entry(suite: Path) -> set[str]:
    """Return the functions of a suite that run over the entries of a registry: all, or those with one as parameter."""
    tests = {
        node.name: [argument.arg for argument in node.args.args]
        for node in ast.parse(suite.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    if "contracts" in suite.parts:
        return set(tests)
    return {test for test, arguments in tests.items() if "name" in arguments}


def test_the_blocks_run_each_by_itself_and_add_one_entry(names: dict[str, Any]) -> None:
    assert set(ENTRIES) <= set(TITLES)
    for title, code in zip(TITLES, blocks(ADDING, "python")[1:], strict=True):
        assert code == block(title)
        if title not in REGISTRIES:
            exec(code, dict(names))
            continue
        registry, name = REGISTRIES[title], ENTRIES[title]
        before = list(registry)
        exec(code, dict(names))
        assert "assert " in code  # it also uses what it adds
        assert list(registry) == [*before, name]
        registry.unregister(name)


def test_the_option_of_the_partitioner_counts(names: dict[str, Any]) -> None:
    exec(block("A partitioner"), names)
    by_stay, table = names["by_stay"], names["frame"].select("age", "stay")
    other = shoal.anonymize(table, by_stay.replace(along=0))
    assert not np.array_equal(other.labels, shoal.anonymize(table, by_stay).labels)
    with pytest.raises(shoal.PlanError, match="along is only used by method runs, and the method here is mdav"):
        by_stay.replace(method="mdav")


def test_the_guarantee_is_refused_where_no_partition_keeps_it(names: dict[str, Any]) -> None:
    exec(block("A guarantee"), names)
    asked = {"odds": 0.01, "attributes": ["diagnosis"]}
    with pytest.raises(shoal.GuaranteeError, match="diagnosis cannot have recursive"):
        shoal.anonymize(names["frame"], names["plan"].replace(diversity=asked))


def test_the_way_spreads_the_leading_attribute(names: dict[str, Any]) -> None:
    exec(block("A way to closeness"), names)
    frame, close = names["frame"], names["close"]
    dealt = shoal.anonymize(frame, close)
    nearest = shoal.anonymize(frame, close.replace(closeness={"t": 0.1, "attributes": ["charge"]}))
    assert dealt.guarantees["t_closeness"].achieved <= 0.1
    assert not np.array_equal(dealt.labels, nearest.labels)


def test_the_backend_gives_what_one_table_gives(names: dict[str, Any]) -> None:
    exec(block("A cluster backend"), names)
    frame, plan, pieces = names["frame"], names["plan"], names["Pieces"]
    release = shoal.anonymize(pieces((frame[:7], frame[7:])), plan)
    assert np.array_equal(release.labels, shoal.anonymize(frame, plan).labels)


def test_seasons_steer_groups(names: dict[str, Any]) -> None:
    exec(block("An artificial attribute, or another way to make points"), names)
    without = shoal.partitioners.mdav(names["ages"], 5)
    assert not np.array_equal(without, names["labels"])
    near, far = names["season"]([365, 1, 180], 2.0)([[0.0]] * 3).coords[:, 1:], 1.0
    assert np.linalg.norm(near[0] - near[1]) < 0.1 < far < np.linalg.norm(near[0] - near[2])


def test_the_command_is_listed_and_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "shoal.cli.methods", None)
    monkeypatch.setitem(commands.COMMANDS, "methods", "")
    monkeypatch.setattr(commands.app, "registered_commands", list(commands.app.registered_commands))
    add_command()
    assert b"List the partitioning methods." in command.shoal("--help", cwd=tmp_path).stdout
    done = command.shoal("methods", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [f"{name}: {method.summary}" for name, method in METHODS.items()]


def test_the_files_and_suites_that_the_table_names_are_there() -> None:
    for _, file, line, suites in rows(ADDING):
        room = Path(file.split("`")[1]).parent
        assert (ROOT / room).is_dir() or "a room of its own" in file
        if " in " in line:
            name, where = line.split("`")[1::2]
            text = (ROOT / "src" / "shoal" / where).read_text(encoding="utf-8")
            assert re.search(rf"^(class )?{name}\b", text, re.MULTILINE)
        for suite in suites.split("`")[1::2]:
            assert (ROOT / suite).exists()


def test_every_registry_has_its_line() -> None:
    lines = "\n".join(line for _, _, line, _ in rows(ADDING))
    rooms = (ROOT / "src" / "shoal").rglob("*.py")
    registries = {
        name for path in rooms for name in re.findall(r"^([A-Z]+): Registry\[", path.read_text(), re.MULTILINE)
    }
    assert {name for name in registries if f"`{name}`" not in lines} == set()
