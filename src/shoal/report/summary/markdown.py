"""Page one as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.report.summary import words
from shoal.report.summary.summary import Summary
from shoal.report.wording import readable

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def as_markdown(summary: Summary) -> str:
    """Return page one as Markdown; marks in names and texts are escaped, so that they stay text."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: Summary) -> Iterator[str]:
    yield f"# {_text(summary.title)}"
    yield from ("", f"*{_text(words.EDITIONS[summary.edition])}*", "")
    for name, text in summary.about:
        yield f"- **{_text(name)}:** {_text(text)}"
    if summary.about:
        yield ""
    yield f"**{'✓' if summary.safe else '✗'} {_text(summary.answer)}**"
    for title, text in ((words.WHAT, summary.what), (words.WHO, summary.who)):
        yield from ("", f"## {title}", "", _text(text))
    yield from ("", f"## {words.PROMISED}", "")
    for promise in summary.promises:
        note = f" {promise.note} {words.measured(promise)}".replace("  ", " ")
        yield f"- {promise.verdict.sign} **{_text(promise.name)} {promise.verdict.value}**: " + _text(
            promise.sentence + note
        )
    yield from ("", f"## {words.TRIED}", "")
    if summary.tried:
        head, rows = words.ATTACK_COLUMNS, words.attack_rows(summary)
        yield f"| {' | '.join(head)} |"
        yield f"|{'|'.join('--:' if i and name else '---' for i, name in enumerate(head))}|"
        for row in rows:
            yield f"| {' | '.join(map(_text, row))} |"
        yield from ("", _text(words.READING))
    if summary.untried:
        yield from ("", _text(summary.untried))
    if summary.kept:
        yield from ("", f"## {words.KEPT}", "")
    for kept in summary.kept:
        yield f"- {kept.sign} **{words.kept_line(kept)}**: {_text(kept.sentence)}"
    yield from ("", f"## {words.DECIDE}", "")
    for sentence in summary.decide:
        yield f"- [ ] {_text(sentence)}"


def _text(text: str) -> str:
    return _MARKS.sub(r"\\\1", readable(text).replace("\n", " "))
