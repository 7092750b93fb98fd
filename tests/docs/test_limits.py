"""What docs/limits.md works out is true: its blocks are run, and the command line prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

import command
import shoal
from docs.pages import blocks, section, text_of

PAGE = text_of("docs/limits.md")


def worked_out() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for code in blocks(PAGE, "python"):
        exec(code, names)
    return names


def test_the_blocks_run_one_after_the_other() -> None:
    names = worked_out()
    assert not names["accepted"].guarantees["intersection"].holds
    assert "assert" in blocks(PAGE, "python")[-1]


def test_the_table_is_what_the_releases_hold() -> None:
    names = worked_out()
    rows = re.findall(
        r"^\| \**(\d+)\** \| \**(\d+)\** \| \**(\d+)\** \| \**(\w+)[^|]*\|$",
        section(PAGE, "Several releases of one table"),
        re.M,
    )
    assert len(rows) == 6
    cells = list(zip(names["pairs"].data["age"], names["threes"].data["age"], strict=True))
    for (age, pair, three, left), own, cell in zip(rows, names["people"]["age"], cells, strict=True):
        assert (int(age), int(pair), int(three)) == (own, *cell)
        assert {"one": 1, "two": 2}[left] == cells.count(cell)


def test_the_refusal_is_what_the_command_line_says(tmp_path: Path) -> None:
    names = worked_out()
    names["people"].write_csv(tmp_path / "people.csv")
    names["plan"].save(tmp_path / "pairs.toml")
    names["plan"].replace(k=3).save(tmp_path / "threes.toml")
    first = command.shoal("anonymize", "people.csv", "--plan", "pairs.toml", "-o", "pairs.csv", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    (shown,) = blocks(PAGE, "console")
    line, told = shown.removeprefix("$ shoal ").split("\n", 1)
    done = command.shoal(*line.split(), cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.decode().split() == told.split()
    assert not (tmp_path / "threes.csv").exists()


def test_the_intruder_of_the_minimality_attack_is_right() -> None:
    """The groups that are formed again, and the nearer neighbour, say which part fell short: in every such table."""
    names = worked_out()
    others, plan = names["others"], names["plan"].replace(diversity={"distinct": 2})
    middle = others.with_columns(illness=pl.Series(["flu", "gout", "ulcer", "ulcer", "flu", "gout"]))
    released = shoal.anonymize(middle, plan).data["age"].to_list()
    assert released == [20.5, 20.5, 45.5, 45.5, 45.5, 45.5]
