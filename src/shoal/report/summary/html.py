"""Page one as HTML: the first page of a report, and what a notebook shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shoal.report.markup import Markup, element, join, quantity, table
from shoal.report.summary import words
from shoal.report.summary.summary import Kept, Promise, Summary, Tried

_BEHIND = {"information lost": "measures", "means and shares": "distributions", "relations": "correlations"}
"""The section of a report that a number of what analysts keep rests on."""


def as_html(summary: Summary, *, remedies: Mapping[str, str] | None = None, sections: Collection[str] = ()) -> Markup:
    """Return page one as an element.

    Parameters
    ----------
    summary
        What it says.
    remedies
        Lines of the plan that would end what is left to decide, by sentence.
    sections
        Sections of the report that stand behind it: numbers lead to what they rest on.
    """
    return element(
        "div",
        _header(summary),
        element(
            "p",
            element("span", "✓" if summary.safe else "✗", class_="sign"),
            " ",
            summary.answer,
            class_="answer " + ("holds" if summary.safe else "broken"),
        ),
        element(
            "div",
            _part(words.WHAT, element("p", summary.what)),
            _part(words.WHO, element("p", summary.who)),
            class_="two",
        ),
        _part(words.PROMISED, element("ul", *map(_promise, summary.promises), class_="promises"), id_="guarantees"),
        _part(words.TRIED, _tried(summary, sections), id_="attacks"),
        *(
            [_part(words.KEPT, element("div", *(_kept(e, sections) for e in summary.kept), class_="kept"), id_="kept")]
            if summary.kept
            else []
        ),
        _part(words.DECIDE, _decide(summary, remedies or {}), id_="cautions"),
        class_="page-one",
    )


def _header(summary: Summary) -> Markup:
    facts = [element("div", element("dt", name), element("dd", text)) for name, text in summary.about]
    return element(
        "header",
        element("p", f"{summary.edition.value} edition", class_=f"edition {summary.edition.value}"),
        element("h1", summary.title),
        element("p", words.EDITIONS[summary.edition], class_="lead"),
        *([element("dl", *facts, class_="about")] if facts else []),
    )


def _part(title: str, body: Markup, *, id_: str = "") -> Markup:
    return element("section", element("h2", title), body, **({"id": id_} if id_ else {}))


def _promise(promise: Promise) -> Markup:
    asked = [] if promise.asked is None else [", asked ", quantity(promise.asked)]
    return element(
        "li",
        element("span", f"{promise.verdict.sign} {promise.name} {promise.verdict.value}", class_="verdict"),
        " ",
        promise.sentence,
        *([" ", element("span", promise.note, class_="note")] if promise.note else []),
        " ",
        element("small", "Measured on the released table: ", quantity(promise.reached), *asked, "."),
        class_="holds" if promise.verdict.name == "HOLDS" else "broken",
    )


def _linked(text: str, section: str, sections: Collection[str]) -> Markup:
    return element("a", text, href=f"#{section}") if section in sections else join([text])


def _tried(summary: Summary, sections: Collection[str]) -> Markup:
    parts = []
    if summary.tried:
        head, rows = words.ATTACK_COLUMNS, words.attack_rows(summary)
        linked = [_attack(tried, row, sections) for tried, row in zip(summary.tried, rows, strict=True)]
        right = [i for i, name in enumerate(head) if i and name]
        parts.append(table(head, linked, class_="attacks", right=right))
        parts.append(element("p", words.READING, class_="note"))
    if summary.untried:
        parts.append(element("p", summary.untried, class_="note"))
    return join(parts)


def _attack(tried: Tried, row: tuple[str, ...], sections: Collection[str]) -> tuple[Markup, ...]:
    name, *shares = row
    first = join([_linked(name, "attempts", sections), element("small", tried.sentence, class_="what")])
    verdict = element("span", shares[-1], class_=f"verdict {tried.verdict.name.lower()}")
    return first, *(_share(share) for share in (tried.rate, tried.guessing, tried.allowed)), verdict


def _share(share: float | None) -> Markup:
    return Markup("–") if share is None else element("data", words.percent(share), value=repr(share))


def _kept(kept: Kept, sections: Collection[str]) -> Markup:
    has_value = kept.value is not None
    figure = element("data", words.figure_of(kept), value=repr(kept.value)) if has_value else kept.words
    return element(
        "article",
        element("h3", _linked(kept.name, _BEHIND.get(kept.name, ""), sections)),
        element("p", figure, class_="figure"),
        *([element("p", f"{kept.sign} {kept.words}", class_="much")] if has_value else []),
        element("p", kept.sentence),
    )


def _decide(summary: Summary, remedies: Mapping[str, str]) -> Markup:
    return element(
        "ul", *(element("li", text, *_remedy(remedies.get(text))) for text in summary.decide), class_="decide"
    )


def _remedy(lines: str | None) -> list[Markup]:
    if not lines:
        return []
    return [element("details", element("summary", "Lines of the plan that would end it"), element("pre", lines))]
