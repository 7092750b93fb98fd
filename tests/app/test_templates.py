"""Templates: values are text, a value that is not given is a mistake, and nothing in them runs or is fetched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError, nodes

import shoal
from shoal.app.browser_session import Session
from shoal.app.folders import OfferedFolder
from shoal.app.pages.layout import page, show
from shoal.report import markup

FOLDER = Path(shoal.__file__).parent / "app" / "templates"
TEMPLATES = sorted(path.name for path in FOLDER.glob("*.html"))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, OfferedFolder(None), most_upload=1)


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_in_a_template_is_taken_for_safe_or_runs(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    tree = markup.environment().parse(text)
    assert [each.name for each in tree.find_all(nodes.Filter) if each.name in ("safe", "striptags")] == []
    assert list(tree.find_all(nodes.ScopedEvalContextModifier)) == []
    assert not re.search(r"\sstyle=|\son\w+=|https?://|<style|<script(?! src=)", text)


def test_text_is_escaped_and_controls_in_it_are_drawn(session: Session) -> None:
    text = show(session, "problem.html", sentence="<script>'\"&\x00\u202e")
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "\N{SYMBOL FOR NULL}\N{REPLACEMENT CHARACTER}" in text


def test_what_a_template_is_not_given_is_a_mistake(session: Session) -> None:
    with pytest.raises(UndefinedError, match="article"):
        page(session, "help", "manual.html", titles={}, current="")
