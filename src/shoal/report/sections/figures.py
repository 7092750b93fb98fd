"""Sections with charts: sizes of classes, closeness, columns before and after, correlations."""

from __future__ import annotations

from typing import Any

from shoal.report import charts
from shoal.report.data import Distribution, Histogram, ReportData
from shoal.report.markup import Markup, element, join, table


def drawing(chart: Any) -> Markup:
    """Return a chart in its place, or a sentence where it cannot be drawn."""
    drawn = charts.svg(chart)
    if drawn is None:
        return element("p", "This chart could not be drawn; its numbers are not affected.", class_="note")
    return element("div", Markup(drawn), class_="chart")


def sizes(data: ReportData) -> Markup:
    """Draw how many classes have which size."""
    found = data.sizes
    chart = charts.histogram(found, found.name) if found.bars else None
    return element("div", _figure(chart, found.sentence, _bars(found, found.name)), class_="figures")


def closeness(data: ReportData) -> Markup:
    """Draw how far classes are from the whole table, all attributes on the same axes."""
    intro = element(
        "p",
        "The earth mover's distance (EMD) says how much of a class's confidential values would have to move, and how "
        "far, to be spread like the whole table's: 0 if they already are, 1 if they are as far away as can be. A small "
        "distance means that knowing somebody's class tells little about them.",
    )
    axes = charts.common_axes(data.closeness)
    figures = [
        _figure(charts.distances(each, axes) if each.bars else None, each.sentence, _bars(each, "EMD"), title=each.name)
        for each in data.closeness
    ]
    return join([intro, element("div", *figures, class_="figures")])


def distributions(data: ReportData) -> Markup:
    """Draw every column before and after."""
    return element("div", *(_distribution(each) for each in data.distributions), class_="figures flow")


def drift(data: ReportData) -> Markup:
    """Draw how far correlations moved."""
    found = data.drift
    assert found is not None
    pairs = [
        (f"{found.columns[i]} – {found.columns[j]}", found.before[i][j], found.after[i][j])
        for i in range(len(found.columns))
        for j in range(i)
    ]
    intro = element(
        "p",
        "How far each correlation moved, after minus before: orange and + up, blue and − down, the stronger the "
        "farther. An analyst who relies on a pair of columns wants its cell pale.",
    )
    numbers = table(("", "before", "after"), pairs)
    return join([intro, _figure(charts.drift_matrix(found), found.sentence, numbers)])


def _figure(chart: Any, sentence: str, numbers: Markup, title: str = "") -> Markup:
    drawn = [] if chart is None else [drawing(chart)]
    details = [] if not numbers else [element("details", element("summary", "Numbers"), numbers)]
    return element(
        "figure", *([element("h3", title)] if title else []), *drawn, element("figcaption", sentence), *details
    )


def _bars(data: Histogram, what: str) -> Markup:
    return table((what, data.unit), ((bar.label, bar.amount) for bar in data.bars)) if data.bars else Markup()


def _distribution(data: Distribution) -> Markup:
    released = all(bin.before is None for bin in data.bins)  # by itself
    tables = []
    if data.summary:
        rows = [(name, after) for name, _, after in data.summary] if released else data.summary
        heads = ("", "released") if released else ("", "before", "after")
        tables.append(table(heads, rows, right=range(1, len(heads))))
    if data.bins and released:
        tables.append(table((data.name, data.unit), ((bin.label, bin.after) for bin in data.bins)))
    elif data.bins:
        head = (data.name, f"{data.unit} before", f"{data.unit} after")
        tables.append(table(head, ((bin.label, bin.before, bin.after) for bin in data.bins)))
    title = join([data.name, " ", element("small", f"{data.role.replace('_', '-')}, {data.kind}")])
    chart = charts.before_after(data) if data.bins else None
    return _figure(chart, f"{data.sentence}{_open_ends(data)}", join(tables), title=title)


def _open_ends(data: Distribution) -> str:
    """Say what the outermost bars hold, where they are open: a bar itself cannot."""
    if data.kind not in ("numeric", "date") or len(data.bins) < 2:
        return ""
    ends = [bin.label for bin in (data.bins[0], data.bins[-1]) if bin.low is None or bin.high is None]
    if not ends:
        return ""
    return f" The paler bar{' holds' if len(ends) == 1 else 's hold'} {' and '.join(ends)}."
