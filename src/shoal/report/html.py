"""Reports, page one and comparisons as HTML: templates arrange them, style and charts are inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.comparison import Comparison, Run
from shoal.comparison.criteria import unseen_sentences
from shoal.comparison.exports import distinct_names, problems_of, rows_of
from shoal.comparison.tradeoff import largest_weight, weight_trade_offs
from shoal.errors import sentence
from shoal.report import charts
from shoal.report.markup import Markup, fill, quantity, render, style_sheet
from shoal.report.report_data import Distribution, Drift, ReportData
from shoal.report.summary import words
from shoal.report.summary.renderers import BEHIND
from shoal.report.wording import plural

MOST_COLUMNS = 8
"""Columns of the riskiest classes that a page has room for, on paper too."""


def report_page(data: ReportData) -> str:
    """Return a report as one HTML file that needs nothing else: page one, details, appendix."""
    return page(
        "report/report.html",
        data.title,
        data=data,
        words=words,
        behind=BEHIND,
        charts=charts,
        drawing=drawing,
        open_ends=_open_ends,
        correlation_rows=_correlation_rows,
        recoding_rows=_recoding_rows,
        riskiest_rows=_riskiest_rows,
        most_columns=MOST_COLUMNS,
        sentence=sentence,
    )


def page(template: str, title: str, **values: Any) -> str:
    """Return a whole page with the style of all pages."""
    return str(render(template, title=title, style=Markup(style_sheet()), **values)) + "\n"


def drawing(chart: Any) -> Markup:
    """Return a chart in its place, or a sentence where it cannot be drawn."""
    svg = charts.svg(chart)
    if svg is None:
        return Markup('<p class="note">This chart could not be drawn; its numbers are not affected.</p>')
    return Markup(f'<div class="chart">{svg}</div>')


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


BUDGETS = (5, 10, 20)
"""Percents of D_X that a weight of dependence may cost."""

_KEYS = ("k_min", "emd_max", "dld", "id", "il_percent", "il", "score")
"""Measures that the page shows beside its axes: a table of all of them is in the CSV."""


def comparison_page(comparison: Comparison, *, picked: Run | None, name: str) -> str:
    """Return the comparison as a self-contained HTML page.

    The plan's k is for weights of dependence where k was not tried. What measures did not see is said in sentences: a
    plan that is best by one of them may lose the rest.
    """
    runs, axes, rows = comparison.runs, comparison.axes, rows_of(comparison)
    front = [row.best for row in rows]
    drawn = any(axes[0] in run.scores and axes[1] in run.scores for run in runs)
    paths, measured = distinct_names(run.choices for run in runs), distinct_names(run.scores for run in runs)
    keys = [key for key in dict.fromkeys((*axes, *_KEYS)) if key in measured]
    failed = sum(bool(run.problem) for run in runs)
    impossible = f" {plural(failed, 'plan')} could not be carried out." if failed else ""
    return page(
        "report/comparison.html",
        f"Plans for {name}",
        lead=f"{plural(len(runs), 'plan')} on one map. No other plan beats the {sum(front)} on the dashed line in "
        f"{axes[0]} and {axes[1]} at once; the numbers at the points are those of the table.{impossible}",
        map=drawing(charts.risk_utility_map(runs, front, axes=axes, picked=picked)) if drawn else None,
        hollow=not all(run.holds for run in runs),
        picked=picked,
        weights=_weights(runs, comparison.plan.k),
        budgets=[f"{percent} %" for percent in BUDGETS],
        head=("", *paths, *keys, ""),
        rows=[
            (
                fill('<span id="plan-{}">{}</span>', row.number, quantity(row.number)),
                *(str(row.run.choices.get(path, "")) for path in paths),
                *(quantity(row.run.scores.get(key)) for key in keys),
                row.remarks(picked),
            )
            for row in rows
        ],
        problems=problems_of(runs),
        unseen=unseen_sentences(comparison.plan, measured),
    )


def _weights(runs: Sequence[Run], k: int) -> list[dict[str, Any]]:
    """Draw what weights of dependence cost and bring, beside the largest within each budget, where some were tried."""
    return [
        {
            "words": words,
            "chart": drawing(charts.trade_off_chart(rows)),
            "picks": [
                (quantity(size), *(quantity(largest_weight(rows, percent, k=size)) for percent in BUDGETS))
                for size in sorted({row.k for row in rows})
            ],
        }
        for words, rows in weight_trade_offs(runs, k).items()
    ]
