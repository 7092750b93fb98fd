"""All measures, by what people call them; keys and formulas stand small beside."""

from __future__ import annotations

from shoal.errors import sentence
from shoal.report.data import ReportData, ScoreRow
from shoal.report.markup import Markup, element, join, quantity
from shoal.report.wording import number

_ASPECTS = {
    "risk": "What the release gives away",
    "utility": "What it lost",
    "balance": "Both in one number",
}


def all_measures(data: ReportData) -> Markup:
    """List every measure with its value, which way is better, and its definition."""
    parts = []
    for aspect, title in _ASPECTS.items():
        rows = [row for row in data.scores if row.aspect == aspect]
        if rows:
            parts += [element("h3", title), element("dl", *(_score(row) for row in rows), class_="scores")]
    return join(parts)


def _score(row: ScoreRow) -> Markup:
    high = "∞" if row.high is None or row.high == float("inf") else number(row.high)
    arrow = "▼" if row.better == "lower" else "▲"
    counted = f" {row.unit}" if row.unit not in ("", "%") else ""
    scale = f"{number(row.low)} … {high}{counted}, {arrow} {row.better} is better"
    interval = (
        [] if row.interval is None else [f" (95 % interval {number(row.interval[0])} to {number(row.interval[1])})"]
    )
    return element(
        "div",
        element("dt", sentence(row.name), " ", element("code", row.key)),
        element(
            "dd",
            quantity(row.value, prefix="≤ " if row.at_most else "", unit="%" if row.unit == "%" else ""),
            *interval,
            class_="value",
        ),
        element("dd", row.definition, " ", element("small", scale), *_by_column(row), class_="definition"),
    )


def _by_column(row: ScoreRow) -> list[Markup]:
    if not row.attributes:
        return []
    parts = [
        join([", " if i else "", name, " ", quantity(value)]) for i, (name, value) in enumerate(row.attributes.items())
    ]
    return [element("small", *parts, class_="columns")]
