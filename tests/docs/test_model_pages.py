"""Blocks of pages for Python, models and databases run in order; shown commands have the options they name."""

from __future__ import annotations

import re

import pytest

import command
from docs.pages import ROOT, blocks, text_of

PAGES = ["databases.md", "new-records.md", "python.md", "republication.md", "scikit-learn.md"]
SHOWN = ["databases.md", "new-records.md", "republication.md"]


@pytest.mark.parametrize("name", PAGES)
def test_the_blocks_run_one_after_the_other(name, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    code = blocks(text_of(f"docs/{name}"), "python")
    for block in code:
        exec(block, names)
    assert code


@pytest.mark.parametrize("name", SHOWN)
def test_commands_have_the_options_that_are_shown(name):
    lines = [line for block in blocks(text_of(f"docs/{name}"), "sh") for line in block.splitlines()]
    lines = [line for line in lines if line.startswith("shoal ")]
    assert lines
    for line in lines:
        known = command.shoal(line.split()[1], "--help", cwd=ROOT).stdout.decode()
        assert all(option in known for option in re.findall(r"--[a-z-]+", line))
