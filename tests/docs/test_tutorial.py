"""The tutorial: six notebooks that run in a folder of their own, and show what they did when they were last run."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import nbformat
import pytest

from command import same_signals_after
from docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "tutorial").glob("*.ipynb"))
PARTS = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|usr|opt|Users|private|var)/|[A-Z]:\\\\|site-packages")
LARGEST = 120_000
"""Bytes of a notebook with all that it shows: outputs are to be read."""


def runner() -> ModuleType:
    """Load the script that runs notebooks, as running it would."""
    with patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):
        return importlib.import_module("run_tutorial")


def test_there_are_six_parts() -> None:
    assert [path.name[:3] for path in NOTEBOOKS] == [f"0{part}-" for part in range(1, 7)]


@PARTS
def test_the_notebook_runs_and_shows_what_it_did(path: Path) -> None:
    kept = nbformat.read(path, as_version=4)
    with same_signals_after():  # nbclient answers Ctrl-C while it runs, and does not ask what was there before
        ran = runner().run(path)
    for before, after in zip(kept.cells, ran.cells, strict=True):
        if before.cell_type == "code":
            assert [kinds(each) for each in before.outputs] == [kinds(each) for each in after.outputs], before.source
    assert any(cell.outputs for cell in kept.cells if cell.cell_type == "code")


def kinds(output: nbformat.NotebookNode) -> list[str]:
    """What an output is; what it says may differ by versions and machines."""
    return sorted(output.get("data", {output.output_type: ""}))


@PARTS
def test_the_notebook_is_kept_as_it_should_be(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert len(text) < LARGEST
    assert MACHINE.search(text) is None
    assert notebook.cells[0].source.startswith(f"# {int(path.name[:2])}. ")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "it was not run from top to bottom"
    for cell in code:
        assert all(output.output_type in ("execute_result", "stream") for output in cell.outputs)


@PARTS
def test_links_lead_to_other_parts_and_pages(path: Path) -> None:
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert all((path.parent / target).exists() for target in targets)
    following = NOTEBOOKS.index(path) + 1
    assert following == len(NOTEBOOKS) or NOTEBOOKS[following].name in targets
