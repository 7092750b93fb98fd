"""Columns before and after as pages show them: a chart without links, scripts or styles of its own, and its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.app.texts import Texts
from shoal.report.markup import Markup, join
from shoal.report.report_data import Bin, Distribution

_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
_ATTRIBUTE = re.compile(r' ([\w:-]+)="([^"]*)"')
_NOT_IN_PAGES = ("style", "role", "aria-roledescription")


@dataclass(frozen=True)
class ColumnChart:
    """How a column is spread before and after, and the chart of it (None where it cannot be drawn)."""

    distribution: Distribution
    svg: str | None


def column_chart(distribution: Distribution, *, drawn: bool = True) -> ColumnChart:
    """Draw a column as the report does, or leave the drawing out; its numbers are there in any case."""
    from shoal.report.charts import before_after, svg

    return ColumnChart(distribution, for_page(svg(before_after(distribution))) if drawn and distribution.bins else None)


def for_page(svg: str | None) -> str | None:
    """Return a drawing as pages allow it: one picture, no links, and no style inside elements (the sheet has it)."""
    # Tag by tag, for the words of a chart may look like anything.
    return None if svg is None else _TAG.sub(_tag_for_page, svg)


def _tag_for_page(tag: re.Match[str]) -> str:
    return "" if tag[0].startswith(("<a ", "</a>")) else _ATTRIBUTE.sub(_attribute_for_page, tag[0])


def _attribute_for_page(attribute: re.Match[str]) -> str:
    name, value = attribute.groups()
    if name in _NOT_IN_PAGES and value != "img":
        return ""
    return f' data-tip="{value}"' if name == "aria-label" else attribute[0]


@dataclass(frozen=True)
class Figure:
    """A column before and after, as the macro ``figure`` shows it; ``plan`` is the one that was carried out."""

    column: Distribution
    svg: Markup | None
    tables: list[Markup]
    plan: str


def column_figure(t: Texts, column: ColumnChart, *, plan: str = "") -> Figure:
    """Return the figure of a column; its name, with that of the plan, is for those who do not see the chart."""
    spread = column.distribution
    name = f"{spread.name}, {plan}" if plan else spread.name
    svg = None if column.svg is None else labelled(column.svg, name)
    return Figure(spread, svg, _tables(t, spread), plan)


def _tables(t: Texts, spread: Distribution) -> list[Markup]:
    """Return the numbers behind a chart."""
    sides = (t("compare.before"), t("compare.after"))
    tables = []
    if spread.summary:
        rows = [(t.words(name), before, after) for name, before, after in spread.summary]
        tables.append(t.table(("", *sides), rows, right=(1, 2)))
    if spread.bins:
        counts = [(bin_words(t, each), each.before, each.after) for each in spread.bins]
        tables.append(t.table((t("roles.values"), *sides), counts))
    return tables


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


def labelled(svg: str, words: str) -> Markup:
    """Return a drawing with a name for those who hear it."""
    return Markup(svg.replace('role="img"', f'role="img" aria-label="{join([words])}"', 1))
