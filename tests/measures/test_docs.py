"""The documentation says of every measure what the code says."""

from __future__ import annotations

from pathlib import Path

from shoal.measures import MEASURES
from shoal.measures.definition import ANY

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")

EXTERNAL = {"release": "yes", "subjects": "unless subjects are hidden", "withheld": "no"}


def row(what):
    """The line of the table of definitions that a measure must have."""
    named = {"quasi_identifier": "quasi-identifiers", "subject": "subjects", "weights": "with weights"}
    covered = named.get(what.role, what.role)
    kinds = "all kinds" if what.kinds == ANY else ", ".join(what.kinds)
    text = what.text.replace("|", "\\|")
    numbers = f"{bound(what.low)} … {bound(what.high)}"
    external = EXTERNAL[what.external]
    return f"| `{what.key}` | {what.aspect} | {text} | {covered}, {kinds} | {numbers} | {what.better} | {external} |"


def bound(number):
    return "∞" if number == float("inf") else f"{number:g}"


def rows_that_lack():
    """The lines that the page should have and does not: copy them to where they belong."""
    written = set(PAGE.splitlines())
    return [line for line in (row(measure.definition) for measure in MEASURES.values()) if line not in written]


def test_the_page_defines_every_measure():
    assert rows_that_lack() == []


def test_the_page_defines_nothing_else():
    table = PAGE.split("## Definitions")[1].split("\n## ")[0]
    assert [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")] == list(MEASURES)


def test_the_page_says_what_external_readers_may_see():
    meanings = PAGE.split("## What external readers may see")[1].split("\n## ")[0]
    for words in EXTERNAL.values():
        assert f"- **{words}**" in meanings
