"""The examples on the pages of taxonomies, places and cycles run, and the plans they show are plans."""

from __future__ import annotations

import pytest

import shoal
from docs.pages import blocks, text_of
from shoal.encode import Taxonomy
from shoal.plan.toml import parse_toml

PAGES = ["docs/taxonomies.md", "docs/places.md"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str) -> None:
    (code,) = blocks(text_of(page), "python")
    namespace: dict[str, object] = {}
    exec(compile(code, page, "exec"), namespace)
    assert "shoal" in namespace


@pytest.mark.parametrize("page", PAGES)
def test_plans_on_the_page_are_plans(page: str, tmp_path, monkeypatch) -> None:
    (tmp_path / "icd.csv").write_text("J10;J;*\nK25;K;*\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = [shoal.Plan(k=5, **parse_toml(text)) for text in blocks(text_of(page), "toml")]
    assert found


def test_the_file_of_paths_on_the_page_is_the_tree_of_the_rule(tmp_path) -> None:
    (text,) = blocks(text_of("docs/taxonomies.md"), "text")
    (tmp_path / "codes.csv").write_text(text, encoding="utf-8")
    by_file = Taxonomy.of(shoal.encode.read_hierarchy(str(tmp_path / "codes.csv")))
    by_rule = Taxonomy.of({"prefix": [1, 3]})
    for code in ("08001", "08034", "17002"):
        assert by_file.path(code) == by_rule.path(code)
