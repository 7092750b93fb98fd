"""Reports, page one and comparisons as HTML: templates arrange them, style and charts are inside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from shoal.errors import sentence
from shoal.report import charts
from shoal.report.data import Distribution, Drift, ReportData
from shoal.report.markup import Markup, quantity, render
from shoal.report.summary import words
from shoal.report.summary.renderers import BEHIND
from shoal.report.summary.summary import Edition

MOST_COLUMNS = 8
"""Columns of the riskiest classes that a page has room for, on paper too."""

_LEADS = {
    Edition.INTERNAL: "What follows shows single classes, extremes and small counts.",
    Edition.EXTERNAL: "This edition is made of the released table, the plan and the guarantees above, and of nothing "
    "else: whatever compares with the original is withheld.",
}
_ASPECTS = {"risk": "What the release gives away", "utility": "What it lost", "balance": "Both in one number"}
_APPENDIX = {"measures": "All measures", "plan": "The plan", "provenance": "Where it comes from"}


def report_page(data: ReportData) -> str:
    """Return a report as one HTML file that needs nothing else: page one, details, appendix."""
    details = _details(data)
    first = {"guarantees": words.PROMISED, "attacks": words.TRIED, "kept": words.KEPT, "cautions": words.DECIDE}
    if not data.summary.kept:
        del first["kept"]
    return page(
        "report/report.html",
        data.title,
        data=data,
        summary=data.summary,
        words=words,
        behind=BEHIND,
        remedies=data.remedies,
        sections=(*details, *_APPENDIX),
        contents={**first, **details, **_APPENDIX},
        lead=_LEADS[data.edition],
        details=details,
        appendix=_APPENDIX,
        aspects=_ASPECTS,
        charts=charts,
        drawing=drawing,
        open_ends=_open_ends,
        correlation_rows=_correlation_rows,
        recoding_rows=_recoding_rows,
        riskiest_rows=_riskiest_rows,
        most_columns=MOST_COLUMNS,
        sentence=sentence,
        infinity=math.inf,
    )


def page(template: str, title: str, **values: Any) -> str:
    """Return a whole page with the style of all pages."""
    style = files("shoal.report").joinpath("style.css").read_text(encoding="utf-8")
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{charts.dark_css()}\n}}"
    return str(render(template, title=title, style=Markup(f"{style}\n{dark}"), **values)) + "\n"


def drawing(chart: Any) -> Markup:
    """Return a chart in its place, or a sentence where it cannot be drawn."""
    svg = charts.svg(chart)
    if svg is None:
        return Markup('<p class="note">This chart could not be drawn; its numbers are not affected.</p>')
    return Markup(f'<div class="chart">{svg}</div>')


def _details(data: ReportData) -> dict[str, str]:
    """Return the sections behind page one that have something to say, and their titles."""
    spread = "Columns as released" if data.edition is Edition.EXTERNAL else "Columns before and after"
    sections: Mapping[str, tuple[str, Any]] = {
        "numbers": ("In numbers", data.facts),
        "limits": ("What no class can promise", data.limits),
        "attempts": ("Attacks, one by one", data.attempts),
        "columns": ("Columns and roles", data.attributes),
        "recoding": ("Recoded before grouping", data.recoding),
        "classes": ("Sizes of classes", data.sizes),
        "closeness": ("Confidential values inside classes", data.closeness),
        "distributions": (spread, data.distributions),
        "correlations": ("Correlations", data.drift),
        "population": ("Estimates of the population", data.population),
        "riskiest": ("The riskiest classes", data.riskiest),
    }
    return {name: title for name, (title, content) in sections.items() if content}


def _open_ends(data: Distribution) -> str:
    """Say what the outermost bars hold, where they are open: a bar itself cannot."""
    if data.kind not in ("numeric", "date") or len(data.bins) < 2:
        return ""
    ends = [bin.label for bin in (data.bins[0], data.bins[-1]) if bin.low is None or bin.high is None]
    return f" The paler bar{' holds' if len(ends) == 1 else 's hold'} {' and '.join(ends)}." if ends else ""


def _correlation_rows(drift: Drift) -> list[tuple[Any, ...]]:
    names, before, after = drift.columns, drift.before, drift.after
    return [(f"{names[i]} – {names[j]}", before[i][j], after[i][j]) for i in range(len(names)) for j in range(i)]


def _recoding_rows(data: ReportData) -> list[tuple[Any, ...]]:
    return [
        (row.column, row.what, row.cells, row.of, "" if row.lost is None else quantity(row.lost, unit="%"))
        for row in data.recoding
    ]


def _riskiest_rows(data: ReportData, names: list[str]) -> list[tuple[Any, ...]]:
    return [(quantity(each.size), each.why, *(each.values[name] for name in names)) for each in data.riskiest]
