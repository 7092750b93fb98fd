"""Page one for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from shoal.report.summary import words
from shoal.report.summary.summary import Summary
from shoal.report.wording import readable

WIDTH = 100


def as_text(summary: Summary) -> str:
    """Return page one as plain lines; names and texts cannot move the cursor."""
    return "\n".join(readable(line) for line in _lines(summary)) + "\n"


def _lines(summary: Summary) -> Iterator[str]:
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
    for kept in summary.kept:
        yield from _item(f"{kept.sign} {words.kept_line(kept)}: {kept.sentence}")
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
