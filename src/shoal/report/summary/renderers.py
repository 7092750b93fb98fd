"""Page one as text for a terminal, as Markdown, and as HTML."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shoal.report.markup import Markup, environment, render
from shoal.report.summary import words
from shoal.report.summary.summary import Summary
from shoal.report.wording import readable

WIDTH = 100


def as_text(summary: Summary) -> str:
    """Return page one as plain lines; names and texts cannot move the cursor."""
    return "\n".join(readable(line) for line in _text_lines(summary)) + "\n"


def _text_lines(summary: Summary) -> Iterator[str]:
    yield summary.title
    yield "=" * len(summary.title)
    yield from _wrapped(words.EDITIONS[summary.edition])
    for name, text in summary.about:
        yield from _wrapped(f"{name}: {text}")
    yield ""
    yield from _wrapped(f"{'✓' if summary.safe else '✗'} {summary.answer}")
    for head, text in ((words.WHAT, summary.what), (words.WHO, summary.who)):
        yield from _head(head)
        yield from _wrapped(text)
    yield from _head(words.PROMISED)
    for promise in summary.promises:
        yield from _item(f"{promise.verdict.sign} {promise.name} {promise.verdict.value}: {promise.sentence}")
        yield from _wrapped(f"{promise.note} {words.measured(promise)}".strip(), "    ")
    yield from _head(words.TRIED)
    if summary.tried:
        yield from _table(words.ATTACK_COLUMNS, words.attack_rows(summary))
        yield from _wrapped(words.READING)
    if summary.untried:
        yield from _wrapped(summary.untried)
    if summary.kept:
        yield from _head(words.KEPT)
    for utility in summary.kept:
        yield from _item(f"{utility.sign} {words.kept_line(utility)}: {utility.sentence}")
    yield from _head(words.DECIDE)
    for sentence in summary.decide:
        yield from _item(f"☐ {sentence}")


def _head(text: str) -> Iterable[str]:
    return ["", text, "-" * len(text)]


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_long_words=False)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Set numbers to the right, under heads that stand to the right as well; a verdict has no head."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    right = [i > 0 and bool(name) for i, name in enumerate(head)]
    for row in (head, *rows):
        cells = [cell.rjust(widths[i]) if right[i] else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        yield "  ".join(cells).rstrip()


_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def as_markdown(summary: Summary) -> str:
    """Return page one as Markdown; marks in names and texts are escaped, so that they stay text."""
    template = environment().overlay(autoescape=False, finalize=_escaped).get_template("report/summary.md")
    return template.render(summary=summary, words=words)


def _escaped(value: Any) -> str:
    return _MARKS.sub(r"\\\1", readable(str(value)).replace("\n", " "))


BEHIND = {"information lost": "measures", "means and shares": "distributions", "relations": "correlations"}
"""The section of a report that a number of what analysts keep rests on."""


def as_html(summary: Summary) -> Markup:
    """Return page one as an element of HTML, as it stands in a report, and in a notebook."""
    return render("report/summary.html", summary=summary, words=words, behind=BEHIND, sections=(), remedies={})
