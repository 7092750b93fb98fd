"""A report as one HTML file that needs nothing else: style and charts are inside."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from shoal.report import charts
from shoal.report.data import Distribution, Histogram, ReportData, ScoreRow
from shoal.report.edition import Edition
from shoal.report.markup import Markup, element, join, quantity, table
from shoal.report.wording import number, spoken

_ASPECTS = {
    "risk": "What the release gives away",
    "utility": "What it lost",
    "balance": "Both in one number",
}

_EDITIONS = {
    Edition.INTERNAL: "It shows single groups, extremes and small counts: keep it where the original table is kept.",
    Edition.EXTERNAL: "It may be handed out with the release: no extremes, no single records, no small counts. Shares "
    "are whole percents, other numbers have three digits; intervals and categories that few records share are joined. "
    "What compares with the original is told only as far as no single value can be solved for.",
}


def render(data: ReportData) -> str:
    """Return the report as a self-contained HTML page."""
    sections = [section for section in _sections(data) if section is not None]
    contents = element(
        "nav",
        *(element("a", title, href=f"#{name}") for name, title, _ in sections),
        class_="contents",
        aria_label="Contents",
    ).replace("aria_label", "aria-label")
    body = element(
        "main",
        _header(data),
        Markup(contents),
        *(element("section", element("h2", title), body, id=name) for name, title, body in sections),
    )
    return page(data.title, body)


def page(title: str, body: Markup) -> str:
    """Return a whole page around a body, with the style of all pages."""
    style = files("shoal.report").joinpath("style.css").read_text(encoding="utf-8")
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{charts.dark_css()}\n}}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{element('title', title)}\n<style>\n{style}\n{dark}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _header(data: ReportData) -> Markup:
    return element(
        "header",
        element("p", f"{data.edition.value} edition", class_=f"edition {data.edition.value}"),
        element("h1", data.title),
        element("p", _EDITIONS[data.edition], class_="lead"),
    )


def _sections(data: ReportData) -> Iterable[tuple[str, str, Markup] | None]:
    yield "guarantees", "What is guaranteed", join([_guarantees(data), _facts(data)])
    if data.cautions:
        yield "cautions", "Before you sign", _cautions(data)
    yield "limits", "What no class can promise", element("ul", *(element("li", text) for text in data.limits))
    yield (
        "columns",
        "Columns and roles",
        table(
            ("column", "role", "kind", "in the release"),
            ((row.name, row.role.replace("_", "-"), row.kind, row.treatment) for row in data.attributes),
            class_="roles",
        ),
    )
    if data.recoding:
        yield "recoding", "Recoded before grouping", _recoding(data)
    yield "groups", "Groups", _groups(data)
    if data.closeness:
        yield "closeness", "Confidential values inside groups", _closeness(data)
    yield "distributions", "Columns before and after", _distributions(data)
    if data.drift is not None:
        yield "correlations", "Correlations", _drift(data)
    if data.population:
        yield "population", "Estimates of the population", _population(data)
    yield "measures", "Measures", _measures(data)
    if data.riskiest:
        yield "riskiest", "The riskiest groups", _riskiest(data)
    yield "plan", "The plan", element("pre", element("code", data.plan))
    yield "provenance", "Where it comes from", table(("", ""), data.provenance, class_="facts-list")
    yield "signature", "Signature", _signature()


def _cautions(data: ReportData) -> Markup:
    return element("ul", *(element("li", text, *_remedy(data.remedies.get(text))) for text in data.cautions))


def _remedy(lines: str | None) -> list[Markup]:
    if not lines:
        return []
    return [element("details", element("summary", "Lines of the plan that would end it"), element("pre", lines))]


def _recoding(data: ReportData) -> Markup:
    intro = element(
        "p",
        "These columns were made coarser before records were compared. What that lost is counted in the measures, "
        "which compare with the original; the last column says how much of a column's information it is by itself.",
    )
    rows = (
        (
            row.column,
            row.what,
            "not told" if row.cells is None else row.cells,
            row.of,
            "" if row.lost is None else quantity(row.lost, unit="%"),
        )
        for row in data.recoding
    )
    return join([intro, table(("column", "what was done", "cells changed", "of", "lost by it"), rows)])


def _guarantees(data: ReportData) -> Markup:
    cards = []
    for guarantee in data.guarantees:
        asked = [] if guarantee["asked"] is None else [", asked ", quantity(guarantee["asked"])]
        cards.append(
            element(
                "article",
                element("p", "✓ holds" if guarantee["holds"] else "✗ does not hold", class_="verdict"),
                element("h3", spoken(guarantee["name"])),
                element("p", "Measured on the released table: ", quantity(guarantee["achieved"]), *asked, "."),
                element("p", f"{guarantee['definition'].rstrip('.')}.", class_="definition"),
                *([element("p", guarantee["note"], class_="note")] if guarantee["note"] else []),
                class_="guarantee " + ("holds" if guarantee["holds"] else "broken"),
            )
        )
    return element("div", *cards, class_="guarantees")


def _facts(data: ReportData) -> Markup:
    return element(
        "dl",
        *(
            element(
                "div",
                element("dt", fact.name),
                element("dd", quantity(fact.value, prefix="≤ " if fact.at_most else "", unit=fact.unit)),
            )
            for fact in data.facts
        ),
        class_="facts",
    )


def _figure(chart: Any, sentence: str, numbers: Markup, title: str = "") -> Markup:
    drawn = [] if chart is None else [drawing(chart)]
    details = [] if not numbers else [element("details", element("summary", "Numbers"), numbers)]
    return element(
        "figure", *([element("h3", title)] if title else []), *drawn, element("figcaption", sentence), *details
    )


def drawing(chart: Any) -> Markup:
    """Return a chart in its place, or a sentence where it cannot be drawn."""
    drawn = charts.svg(chart)
    if drawn is None:
        return element("p", "This chart could not be drawn; its numbers are not affected.", class_="note")
    return element("div", Markup(drawn), class_="chart")


def _bars(data: Histogram, what: str) -> Markup:
    return table((what, data.unit), ((bar.label, bar.amount) for bar in data.bars)) if data.bars else Markup()


def _groups(data: ReportData) -> Markup:
    sizes = data.sizes
    chart = charts.histogram(sizes, sizes.name) if sizes.bars else None
    return element("div", _figure(chart, sizes.sentence, _bars(sizes, sizes.name)), class_="figures")


def _closeness(data: ReportData) -> Markup:
    intro = element(
        "p",
        "The earth mover's distance (EMD) says how much of a group's confidential values would have to move, and how "
        "far, to be spread like the whole table's: 0 if they already are, 1 if they are as far away as can be. A small "
        "distance means that knowing somebody's group tells little about them.",
    )
    figures = [
        _figure(charts.distances(each) if each.bars else None, each.sentence, _bars(each, "EMD"), title=each.name)
        for each in data.closeness
    ]
    return join([intro, element("div", *figures, class_="figures")])


def _distributions(data: ReportData) -> Markup:
    return element("div", *(_distribution(each) for each in data.distributions), class_="figures flow")


def _distribution(data: Distribution) -> Markup:
    tables = []
    if data.summary:
        tables.append(table(("", "before", "after"), data.summary))
    if data.bins:
        head = (data.name, f"{data.unit} before", f"{data.unit} after")
        tables.append(table(head, ((bin.label, bin.before, bin.after) for bin in data.bins)))
    title = join([data.name, " ", element("small", f"{data.role.replace('_', '-')}, {data.kind}")])
    chart = charts.before_after(data) if data.bins else None
    return _figure(chart, data.sentence, join(tables), title=title)


def _drift(data: ReportData) -> Markup:
    drift = data.drift
    assert drift is not None
    pairs = [
        (f"{drift.columns[i]} – {drift.columns[j]}", drift.before[i][j], drift.after[i][j])
        for i in range(len(drift.columns))
        for j in range(i)
    ]
    intro = element(
        "p",
        "How far each correlation moved, after minus before: orange up, blue down, the stronger the farther. "
        "An analyst who relies on a pair of columns wants its cell pale.",
    )
    numbers = table(("", "before", "after"), pairs)
    return join([intro, _figure(charts.drift_matrix(drift), drift.sentence, numbers)])


def _population(data: ReportData) -> Markup:
    intro = element(
        "p",
        "What the table says of the people whom its records stand for, by their sampling weights, before and after. Of "
        "categories the shares that moved most are listed.",
    )
    rows = ((row.column, row.estimate, row.before, row.after) for row in data.population)
    return join([intro, table(("column", "estimate", "before", "after"), rows)])


def _measures(data: ReportData) -> Markup:
    parts = []
    for aspect, title in _ASPECTS.items():
        rows = [row for row in data.scores if row.aspect == aspect]
        if rows:
            parts += [element("h3", title), element("dl", *(_score(row) for row in rows), class_="scores")]
    return join(parts)


def _score(row: ScoreRow) -> Markup:
    high = "∞" if row.high is None or row.high == float("inf") else number(row.high)
    scale = f"{number(row.low)} … {high}, {row.better} is better"
    interval = (
        [] if row.interval is None else [f" (95 % interval {number(row.interval[0])} to {number(row.interval[1])})"]
    )
    return element(
        "div",
        element("dt", element("code", row.key)),
        element("dd", quantity(row.value, prefix="≤ " if row.at_most else ""), *interval, class_="value"),
        element("dd", row.definition, " ", element("small", scale), *_by_column(row), class_="definition"),
    )


def _by_column(row: ScoreRow) -> list[Markup]:
    if not row.attributes:
        return []
    parts = [
        join([", " if i else "", name, " ", quantity(value)]) for i, (name, value) in enumerate(row.attributes.items())
    ]
    return [element("small", *parts, class_="columns")]


def _riskiest(data: ReportData) -> Markup:
    first = data.riskiest[0]
    head = [
        "records",
        *(["linked"] if first.linked is not None else []),
        *(f"EMD of {name}" for name in first.distances),
        *(f"distinct {name}" for name in first.distinct),
        *first.values,
    ]
    rows = [
        (
            quantity(group.size),
            *([group.linked] if group.linked is not None else []),
            *group.distances.values(),
            *group.distinct.values(),
            *group.values.values(),
        )
        for group in data.riskiest
    ]
    intro = element(
        "p",
        "The groups that give most away, worst first: by the share of their records whose nearest original is their "
        "own (linked), then by their distance from the whole table (EMD), then by size. The released values say which "
        "group it is.",
    )
    return join([intro, table(head, rows)])


def _signature() -> Markup:
    return element(
        "div",
        *(element("div", element("span", what), class_="sign") for what in ("Checked by", "Date", "Signature")),
        class_="signature",
    )
