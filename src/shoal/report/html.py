"""A report as one HTML file that needs nothing else: style and charts are inside. Page one, details, appendix."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from shoal.report import charts
from shoal.report.data import ReportData
from shoal.report.edition import Edition
from shoal.report.markup import Markup, element
from shoal.report.sections import figures, measures, tables
from shoal.report.summary import words
from shoal.report.summary.html import as_html

_RULES = {
    Edition.INTERNAL: "What follows shows single classes, extremes and small counts.",
    Edition.EXTERNAL: "This edition is made of the released table, the plan and the guarantees above, and of nothing "
    "else: whatever compares with the original is withheld.",
}

Section = tuple[str, str, Markup]


def render(data: ReportData) -> str:
    """Return the report as a self-contained HTML page."""
    details, appendix = list(_details(data)), list(_appendix(data))
    kept = [("kept", words.KEPT)] if data.summary.kept else []
    first = [("guarantees", words.PROMISED), ("attacks", words.TRIED), *kept, ("cautions", words.DECIDE)]
    titles = [*first, *((name, title) for name, title, _ in (*details, *appendix))]
    contents = element(
        "nav",
        *(element("a", title, href=f"#{name}") for name, title in titles),
        class_="contents",
        aria_label="Contents",
    )
    body = element(
        "main",
        as_html(data.summary, remedies=data.remedies, sections=[name for name, _, _ in (*details, *appendix)]),
        _signature(),
        contents,
        element("p", _RULES[data.edition], class_="lead"),
        element("p", "Details", class_="part"),
        *map(_section, details),
        element("p", "Appendix", class_="part"),
        *map(_section, appendix),
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


def _section(section: Section) -> Markup:
    name, title, body = section
    return element("section", element("h2", title), body, id=name)


def _details(data: ReportData) -> Iterable[Section]:
    yield "numbers", "In numbers", tables.facts(data)
    yield "limits", "What no class can promise", element("ul", *(element("li", text) for text in data.limits))
    if data.attempts:
        yield "attempts", "Attacks, one by one", tables.attempts(data)
    yield "columns", "Columns and roles", tables.columns(data)
    if data.recoding:
        yield "recoding", "Recoded before grouping", tables.recoding(data)
    yield "classes", "Sizes of classes", figures.sizes(data)
    if data.closeness:
        yield "closeness", "Confidential values inside classes", figures.closeness(data)
    title = "Columns as released" if data.edition is Edition.EXTERNAL else "Columns before and after"
    yield "distributions", title, figures.distributions(data)
    if data.drift is not None:
        yield "correlations", "Correlations", figures.drift(data)
    if data.population:
        yield "population", "Estimates of the population", tables.population(data)
    if data.riskiest:
        yield "riskiest", "The riskiest classes", tables.riskiest(data)


def _appendix(data: ReportData) -> Iterable[Section]:
    yield "measures", "All measures", measures.all_measures(data)
    yield "plan", "The plan", element("pre", element("code", data.plan))
    yield "provenance", "Where it comes from", tables.provenance(data)


def _signature() -> Markup:
    return element(
        "div",
        *(element("div", element("span", what), class_="sign") for what in ("Checked by", "Date", "Signature")),
        class_="signature",
        id="signature",
    )
