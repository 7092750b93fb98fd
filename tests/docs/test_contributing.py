"""What CONTRIBUTING.md shows is true: its blocks are run in order, and what they register serves as any other entry."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import command
import shoal
from contracts import test_measures, test_partitioners
from docs.pages import ROOT, blocks, rows, section, text_of
from shoal.cli import app
from shoal.constrain import WAYS
from shoal.files import FORMATS
from shoal.measures import MEASURES
from shoal.partitioners import METHODS
from shoal.protect import GUARANTEES
from shoal.registry import Registry
from shoal.run import BACKENDS

PAGE = text_of("CONTRIBUTING.md")
ADDING = section(PAGE, "Adding something")
TITLES = re.findall(r"^### (.+)$", ADDING, re.MULTILINE)
REGISTRIES: dict[str, tuple[Registry[Any], str]] = {
    "A partitioner": (METHODS, "runs"),
    "A guarantee": (GUARANTEES, "bounded_odds"),
    "A way to closeness": (WAYS, "dealt"),
    "A measure": (MEASURES, "largest_class"),
    "A file format": (FORMATS, "json"),
    "A cluster backend": (BACKENDS, "pieces"),
}
"""What each section adds, and where."""


def block(title: str) -> str:
    """The one block of a section."""
    (code,) = blocks(section(PAGE, title), "python")
    return code


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """What the first block leaves; registries are as they were when the test is over."""
    for registry, _ in REGISTRIES.values():
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    monkeypatch.chdir(ROOT)
    found: dict[str, Any] = {"folder": tmp_path}
    exec(blocks(ADDING, "python")[0], found)
    return found


def test_the_blocks_run_one_after_the_other_and_leave_nothing(names: dict[str, Any]) -> None:
    for title, code in zip(TITLES, blocks(ADDING, "python")[1:], strict=True):
        assert code == block(title)
        if title not in REGISTRIES:
            exec(code, names)
            continue
        registry, name = REGISTRIES[title]
        before = list(registry)
        exec(code, names)
        assert "assert " in code  # it also uses what it adds
        assert list(registry) == [*before, name]
        registry.unregister(name)
        assert list(registry) == before


def test_the_partitioner_keeps_the_contract_and_its_option_counts(names: dict[str, Any]) -> None:
    exec(block("A partitioner"), names)
    runs = METHODS["runs"].partition
    for case in test_partitioners.CASES:
        test_partitioners.test_every_record_is_in_one_group_of_at_least_k(runs, case)
    test_partitioners.test_k_to_2k_minus_1_records_are_one_group(runs)
    test_partitioners.test_the_order_of_records_does_not_matter_without_ties(runs)
    test_partitioners.test_mixed_attributes_or_a_refusal(runs)
    test_partitioners.test_progress_ends_at_the_number_of_records(runs)
    test_partitioners.test_fewer_than_k_records_are_refused(runs)
    test_partitioners.test_points_must_be_finite(runs, np.nan)
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


def test_the_measure_keeps_the_contract(names: dict[str, Any]) -> None:
    exec(block("A measure"), names)
    measure = MEASURES["largest_class"]
    assert measure.definition.external == "release"
    for case in test_measures.CASES:
        test_measures.test_values_lie_in_the_range_of_the_definition(measure, case)
        test_measures.test_scores_become_json(measure, case)
    test_measures.test_coarser_is_safer_and_keeps_less(measure)
    test_measures.test_the_definition_is_a_line_of_prose(measure)


def test_a_damaged_file_of_the_format_is_refused(names: dict[str, Any], tmp_path: Path) -> None:
    exec(block("A file format"), names)
    (tmp_path / "torn.json").write_text('[{"age": 3')
    with pytest.raises(shoal.DataError, match=r"torn\.json is not a whole JSON file"):
        shoal.files.read(tmp_path / "torn.json")


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
    module = ModuleType("shoal.cli.methods")
    exec(block("A command"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(app.app, "registered_commands", list(app.app.registered_commands))
    app.app.command("methods", help=module.methods_command.__doc__)(app._listed)
    assert b"List the partitioning methods." in command.shoal("--help", cwd=tmp_path).stdout
    done = command.shoal("methods", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [f"{name}: {method.summary}" for name, method in METHODS.items()]


def test_the_files_and_suites_that_the_table_names_are_there() -> None:
    table = rows(ADDING)
    assert len(table) == len(REGISTRIES) + 4  # recodings, attacks, artificial attributes, commands
    for _, file, line, suites in table:
        room = Path(file.split("`")[1]).parent
        assert (ROOT / room).is_dir() or "a room of its own" in file
        if " in " in line:
            name, where = line.split("`")[1::2]
            assert f"\n{name}" in (ROOT / "src" / "shoal" / where).read_text(encoding="utf-8")
        for suite in suites.split("`")[1::2]:
            assert (ROOT / suite).exists()
