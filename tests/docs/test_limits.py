"""What docs/limits.md works out is true: its table is what the releases hold, and its intruder is right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from docs.pages import section, text_of
from docs.snippets import run_page

PAGE = text_of("docs/limits.md")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_page("docs/limits.md", tmp_path_factory.mktemp("limits")).names


def test_a_refused_release_is_not_written(tmp_path: Path) -> None:
    folder = run_page("docs/limits.md", tmp_path).folder
    assert (folder / "pairs.csv").exists()
    assert not (folder / "threes.csv").exists()


def test_the_table_is_what_the_releases_hold(names: dict[str, Any]) -> None:
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


def test_the_intruder_of_the_minimality_attack_is_right(names: dict[str, Any]) -> None:
    """The groups that are formed again, and the nearer neighbour, say which part fell short: in every such table."""
    others, plan = names["others"], names["plan"].replace(diversity={"distinct": 2})
    middle = others.with_columns(illness=pl.Series(["flu", "gout", "ulcer", "ulcer", "flu", "gout"]))
    released = shoal.anonymize(middle, plan).data["age"].to_list()
    assert released == [20.5, 20.5, 45.5, 45.5, 45.5, 45.5]
