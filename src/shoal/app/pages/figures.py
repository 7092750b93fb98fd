"""A column before and after on a page: its chart, its sentence, and the numbers behind the chart."""

from __future__ import annotations

from html import escape
from typing import Any

from shoal.app.from_library import localized, localized_text
from shoal.app.html import h
from shoal.app.pages.layout import texts
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.tasks.charts import ColumnChart
from shoal.app.texts import Texts
from shoal.report.data import Bin
from shoal.report.markup import Markup
from shoal.report.wording import readable


def column_figure(session: Session, column: ColumnChart, title: Markup, name: str) -> Markup:
    """Return the figure of a column under a title; ``name`` is what those hear who do not see the chart."""
    return h(
        "figure",
        title,
        h("div", labelled(column.svg, name), class_="chart") if column.svg else None,
        h("figcaption", localized(session, column.distribution.sentence)),
        _numbers(session, column),
    )


def _numbers(session: Session, column: ColumnChart) -> Markup | None:
    """Return the numbers behind a chart."""
    t, distribution = texts(session), column.distribution
    sides = (t("compare.before"), t("compare.after"))
    tables: list[Any] = []
    if distribution.summary:
        rows = [(localized_text(session, name), before, after) for name, before, after in distribution.summary]
        tables.append(table(session, ("", *sides), rows, right=(1, 2)))
    if distribution.bins:
        counts = [(bin_words(t, bin), bin.before, bin.after) for bin in distribution.bins]
        tables.append(table(session, (t("roles.values"), *sides), counts))
    return h("details", h("summary", t("app.numbers")), *tables) if tables else None


def bin_words(t: Texts, interval: Bin) -> str:
    """Return an interval in the language of the page; a category is itself."""
    if interval.low is None and interval.high is None:
        return interval.label
    if interval.low is None:
        return t("compare.under", high=interval.label.removeprefix("under "))
    if interval.high is None:
        return t("compare.and_over", low=interval.label.removesuffix(" and over"))
    low, _, high = interval.label.partition(" to ")
    return t("compare.from_to", low=low, high=high)


def labelled(drawn: str, words: str) -> Markup:
    """Return a drawing with a name for those who hear it."""
    return Markup(drawn.replace('role="img"', f'role="img" aria-label="{escape(readable(words))}"', 1))
