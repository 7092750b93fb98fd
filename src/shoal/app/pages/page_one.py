"""Page one of a release inside the app: is it safe, what was tried against it, what is kept, what is left to decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.app.from_library import localized, localized_text
from shoal.app.html import h
from shoal.app.pages.layout import texts
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.report.markup import Markup
from shoal.report.summary import Kept, Summary, Tried
from shoal.report.summary.words import figure_of, percent


def answer(session: Session, summary: Summary) -> Markup:
    """Return whether it is safe, in a sentence."""
    return h(
        "p",
        h("span", "✓" if summary.safe else "✗", class_="sign"),
        " ",
        localized(session, summary.answer),
        class_="answer holds" if summary.safe else "answer broken",
        id="answer",
    )


def about(session: Session, summary: Summary) -> Markup:
    """Return what it is, and who is in it."""
    t = texts(session)
    parts = ((t("page_one.what"), summary.what), (t("page_one.who"), summary.who))
    return h(
        "div",
        *(h("section", h("h2", name), h("p", localized(session, text))) for name, text in parts),
        class_="two",
    )


def tried(session: Session, summary: Summary) -> Markup:
    """Return the attacks: how often each worked, by guessing, the difference with its interval, and what is allowed."""
    t = texts(session)
    if not summary.tried:
        return h("section", h("h2", t("page_one.tried")), h("p", localized(session, summary.untried), class_="note"))
    head = tuple(t(f"page_one.{name}") for name in ("attack", "worked", "guessing", "difference", "allowed", "verdict"))
    return h(
        "section",
        h("h2", t("page_one.tried")),
        h("p", t("page_one.tried_hint"), class_="note"),
        h(
            "div",
            table(session, head, [_row(session, each) for each in summary.tried], class_="attacks", right=(1, 2, 3, 4)),
            id="tried",
        ),
    )


def _row(session: Session, each: Tried) -> tuple[Any, ...]:
    t = texts(session)
    name = localized_text(session, each.attack) + ("" if each.attribute is None else f": {each.attribute}")
    words = f"{each.verdict.sign} {t(f'page_one.verdict_{each.verdict.name.lower()}')}"
    if each.tried < each.of:
        words += f" {t('page_one.sample', tried=f'{each.tried:,}', of=f'{each.of:,}')}"
    # On a narrow screen the head of the table is gone, and each number has its name above it.
    numbers = {
        "worked": percent(each.rate),
        "guessing": percent(each.guessing),
        "difference": _difference(each),
        "allowed": percent(each.allowed),
    }
    return (
        h("div", name, h("small", localized(session, each.sentence), class_="what")),
        *(
            h("span", h("small", t(f"page_one.{key}"), class_="named", aria_hidden="true"), value)
            for key, value in numbers.items()
        ),
        h("span", words, class_=f"verdict {each.verdict.name.lower()}"),
    )


def _difference(each: Tried) -> str:
    if each.rate is None or each.guessing is None or each.interval is None:
        return "–"
    low, high = (100 * end for end in each.interval)
    return f"{100 * (each.rate - each.guessing):+.1f} [{low:.1f}; {high:.1f}]"


def kept(session: Session, summary: Summary) -> Markup:
    """Return what analysts keep and lose, in three numbers."""
    t = texts(session)
    return h(
        "section", h("h2", t("page_one.kept")), h("div", *(_kept(session, k) for k in summary.kept), class_="kept")
    )


def _kept(session: Session, each: Kept) -> Markup:
    has_value = each.value is not None
    words = localized_text(session, each.words)
    figure = figure_of(replace(each, unit=localized_text(session, each.unit))) if has_value else words
    return h(
        "article",
        h("h3", localized_text(session, each.name)),
        h("p", figure, class_="figure"),
        h("p", f"{each.sign} {words}", class_="much") if has_value else None,
        h("p", localized(session, each.sentence)),
    )


def decide(session: Session, summary: Summary, elsewhere: set[str]) -> Markup:
    """Return what is left to decide before signing, but for what stands elsewhere on the page."""
    t = texts(session)
    rest = [text for text in summary.decide if text not in elsewhere]
    entries = [h("li", localized(session, text)) for text in rest]
    return h("section", h("h2", t("page_one.decide")), h("ul", *entries, class_="decide", id="decide"))
