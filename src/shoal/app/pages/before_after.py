"""A column before and after on a page: its chart, its sentence, and the numbers behind the chart."""

from __future__ import annotations

from html import escape
from typing import Any

from shoal.app.from_library import plainly, said
from shoal.app.html import h
from shoal.app.pages.layout import texts
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.tasks.drawn import DrawnColumn
from shoal.report.markup import Markup
from shoal.report.wording import readable


def column_figure(session: Session, column: DrawnColumn, title: Markup, name: str) -> Markup:
    """Return the figure of a column under a title; ``name`` is what those hear who do not see the chart."""
    return h(
        "figure",
        title,
        h("div", labelled(column.chart, name), class_="chart") if column.chart else None,
        h("figcaption", said(session, column.told.sentence)),
        _numbers(session, column),
    )


def _numbers(session: Session, column: DrawnColumn) -> Markup | None:
    """Return the numbers behind a chart."""
    t, told = texts(session), column.told
    sides = (t("compare.before"), t("compare.after"))
    tables: list[Any] = []
    if told.summary:
        rows = [(plainly(session, name), before, after) for name, before, after in told.summary]
        tables.append(table(session, ("", *sides), rows, right=(1, 2)))
    if told.bins:
        counts = [(bin.label, bin.before, bin.after) for bin in told.bins]
        tables.append(table(session, (t("roles.values"), *sides), counts))
    return h("details", h("summary", t("app.numbers")), *tables) if tables else None


def labelled(drawn: str, words: str) -> Markup:
    """Return a drawing with a name for those who hear it."""
    return Markup(drawn.replace('role="img"', f'role="img" aria-label="{escape(readable(words))}"', 1))
