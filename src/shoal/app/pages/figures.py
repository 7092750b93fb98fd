"""A column before and after on a page: its chart, its sentence, and the numbers behind the chart."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.app.tasks.page_charts import ColumnChart
from shoal.app.texts import Texts
from shoal.report.data import Bin, Distribution
from shoal.report.markup import Markup, join


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
