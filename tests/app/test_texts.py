"""Every language says everything, and says it with the same values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import shoal
from shoal.app.pages.roles_page import KINDS, ROLES
from shoal.app.tasks.plan_comparison import KEYS
from shoal.app.texts import LANGUAGES, flat_texts, texts_of

PLACES = re.compile(r"\{(\w+)\}")
APP = Path(shoal.__file__).parent / "app"
SOURCES = sorted([*APP.rglob("*.py"), *(APP / "templates").glob("*.html")])


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_keys_and_the_same_values_in_them(language: str) -> None:
    english, other = flat_texts("en"), flat_texts(language)
    assert list(other) == list(english)
    for key, text in english.items():
        assert sorted(PLACES.findall(other[key])) == sorted(PLACES.findall(text)), key
        assert other[key].strip() == other[key] != ""


def test_another_language_is_another_language() -> None:
    english, german = flat_texts("en"), flat_texts("de")
    terms = [key for key in english if english[key] == german[key]]
    assert len(terms) < len(english) / 6


def test_what_the_pages_ask_for_is_there_and_an_unknown_language_is_english() -> None:
    literal = re.compile(r'\bt\("(\w+\.\w+)"(?! ~)')  # templates put others together from names
    asked = {key for path in SOURCES for key in literal.findall(path.read_text(encoding="utf-8"))}
    assert len(asked) > 100
    assert asked <= set(flat_texts("en"))
    assert texts_of("xx").language == "en"


def test_a_text_of_the_language_is_known_whatever_the_values_in_it_are() -> None:
    german = texts_of("de")
    assert german.has(german("roles.still", names="pay (net); in thousands. of euros"))
    assert not german.has("k must be at least 2, not 1")


MADE = (
    r"(step|why|stage|help)\.\w+|\w+\.heading|release\.file_\w+|protect\.(way|refine|missing)_\w+|compare\.try_\w+|costs\.way_\w+|page_one\.\w+|roles\.more_\w+",
    rf"roles\.({'|'.join((*ROLES, *KINDS))})|compare\.({'|'.join(KEYS)})",
    r"run\.(in|ex)ternal(_hint)?|run\.(attacks|role)_\w+",
    r"roles\.(subject|weights|by)(_hint)?|data\.(delimiter|decimal|encoding)|protect\.(records|people|group_size|most_groups)",
)
"""Keys that are put together from names."""


def test_no_text_is_unused() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    made = re.compile("|".join(MADE))
    asked = set(re.findall(r"""["'](\w+\.\w+)["']""", code))
    assert [key for key in flat_texts("en") if key not in asked and not made.fullmatch(key)] == []
