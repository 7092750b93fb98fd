"""The site builds without a warning, its links lead somewhere, and it asks no other host for anything."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from docs.pages import ROOT
from test_public_api import ROOMS, public_names


def script(name: str) -> ModuleType:
    """Load a script of docs/ as running one of them would."""
    with patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):
        return importlib.import_module(name)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once; a warning, a broken link or a page outside the navigation would be an error here."""
    return script("make_site").build(tmp_path_factory.mktemp("site"))


def test_every_page_is_there(site: Path) -> None:
    expected = {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")}
    assert expected <= {path.name for path in site.glob("*.html")}
    assert {f"{path.stem}.html" for path in (ROOT / "docs" / "tutorial").glob("*.ipynb")} == {
        path.name for path in site.glob("tutorial/*.html")
    }


def test_every_public_name_has_a_place_on_a_page(site: Path) -> None:
    page = script("links").Page
    places = {room: page(site / "api" / f"{room}.html").places for room in ("index", *ROOMS)}
    wanted = [
        (module.removeprefix("shoal").removeprefix(".") or "index", name)
        for module, name in public_names()
        if not (module == "shoal" and name in ROOMS)
    ]
    lacking = [(room, name) for room, name in wanted if not {name, f"{room}.{name}"} & places[room]]
    assert lacking == []
    assert len(wanted) > 150


def test_the_navigation_is_by_reader(site: Path) -> None:
    front = (site / "index.html").read_text(encoding="utf-8")
    tabs = re.findall(r'<a [^>]*class="md-tabs__link"[^>]*>\s*([^<]+?)\s*<', front)
    assert tabs == ["Start", "How-to", "Explanations", "Reference", "Evidence", "For signers"]


def test_search_knows_the_pages_also_without_a_server(site: Path) -> None:
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    found = {item["location"].partition("#")[0] for item in index["items"]}
    assert {"plan.html", "mdav.html", "api/partitioners.html"} <= found
    assert (site / "search.js").exists()
    assert 'assets/iframe-worker.js"' in (site / "index.html").read_text(encoding="utf-8")


def test_pictures_follow_the_scheme_that_the_reader_chose(site: Path) -> None:
    front = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="img/before-after.light.svg#only-light"' in front
    assert 'src="img/before-after.dark.svg#only-dark"' in front
    dark = (site / "img" / "before-after.dark.svg").read_text(encoding="utf-8")
    assert "prefers-color-scheme" not in dark
    assert "#4fd1e0" in dark
    assert "#4fd1e0" not in (site / "img" / "before-after.light.svg").read_text(encoding="utf-8")


def test_wide_pictures_are_marked_for_phones(site: Path) -> None:
    front = (site / "index.html").read_text(encoding="utf-8")
    found = re.findall(r'<img [^>]*class="wide"[^>]*src="([^"]+)"|<img [^>]*src="([^"]+)"[^>]*class="wide"', front)
    wide = {first or second for first, second in found}
    assert {"img/before-after.light.svg#only-light", "img/before-after.dark.svg#only-dark"} <= wide
    assert not any("gallery-age" in name for name in wide)


BROKEN = {
    '<a href="gone.html">': "links to gone.html, which is not there",
    '<a href="other.html#gone">': "no such place",
    '<a href="#gone">': "no such place",
    '<img src="gone.svg">': "loads gone.svg, which is not there",
    '<script src="https://cdn.example/x.js"></script>': "from another host",
    '<link rel="stylesheet" href="//fonts.example/x.css">': "from another host",
}


@pytest.mark.parametrize("markup", BROKEN)
def test_what_is_broken_is_said(markup: str, tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text('<h2 id="here">')
    (tmp_path / "index.html").write_text(f'<a href="other.html#here"><a href="https://elsewhere.example">{markup}')
    (problem,) = script("links").problems(tmp_path)
    assert problem.startswith("index.html ")
    assert BROKEN[markup] in problem


def test_style_sheets_that_load_fonts_from_elsewhere_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@font-face { src: url(https://fonts.example/a.woff2) }")
    assert list(script("links").problems(tmp_path)) == ["a.css loads from another host"]


def test_a_page_outside_the_navigation_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "b.md").write_text("# B\n")
    said = script("make_site").left_out(tmp_path, [{"Start": [{"A": "a.md"}]}])
    assert said == ["b.md is not in the navigation of mkdocs.yml"]


def test_a_notebook_becomes_a_page(tmp_path: Path) -> None:
    chart = {"mark": "bar", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a", "type": "quantitative"}}}
    shown = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "\x1b[1mtwo\x1b[0m\n"]},
        {"output_type": "stream", "name": "stderr", "text": "progress"},
        {"output_type": "execute_result", "data": {"text/html": "<b>bold</b>\n\n<i>i</i>", "text/plain": "bold"}},
        {"output_type": "display_data", "data": {"text/html": "<script src='x'></script>", "text/plain": "safe"}},
        {"output_type": "display_data", "data": {"application/vnd.vegalite.v6+json": chart, "text/plain": "Chart"}},
        {"output_type": "display_data", "data": {"text/markdown": "*slanted*", "text/plain": "plain"}},
        {"output_type": "error", "ename": "PlanError", "evalue": "k is missing", "traceback": []},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# First steps\n", "\n", "See [part two](02-two.ipynb)."]},
        {"cell_type": "code", "source": "print(1)", "outputs": shown},
        {"cell_type": "code", "source": "", "outputs": []},
    ]
    path = tmp_path / "01-one.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    notebooks = script("notebooks")
    text = notebooks.page(path)
    assert notebooks.title(path) == "First steps"
    assert text.startswith(
        "# First steps\n\n[This page as a notebook](01-one.ipynb){ .notebook }\n\nSee [part two](02-two.md)."
    )
    assert "```python\nprint(1)\n```\n\n``` { .text .output }\none\ntwo\n```" in text
    assert '<div class="output">\n<b>bold</b>\n<i>i</i>\n</div>' in text
    assert "progress" not in text
    assert "<script" not in text
    assert "safe" in text
    assert "<svg" in text
    assert "\n\n*slanted*\n\n" in text
    assert "plain" not in text
    assert "PlanError: k is missing" in text
