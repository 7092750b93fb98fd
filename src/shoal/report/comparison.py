"""A comparison as a page: the map of risk and loss, and the table of the plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.comparison import Run, pareto_front
from shoal.comparison.tables import problems_of
from shoal.comparison.tradeoff import largest_weight, weight_trade_offs
from shoal.report.charts import risk_utility_map, trade_off_chart
from shoal.report.html import drawing, page
from shoal.report.markup import Markup, fill, quantity
from shoal.report.wording import plural

BUDGETS = (5, 10, 20)
"""Percents of D_X that a weight of dependence may cost."""

_KEYS = ("k_min", "emd_max", "dld", "id", "il_percent", "il", "score")
"""Measures that the page shows beside its axes: a table of all of them is in the CSV."""


def comparison_page(
    runs: Sequence[Run],
    *,
    axes: tuple[str, str],
    picked: Run | None,
    name: str,
    k: int,
    unseen: Sequence[str] = (),
) -> str:
    """Return the comparison as a self-contained HTML page.

    The plan's k is for weights of dependence where k was not tried. What measures did not see is said in sentences: a
    plan that is best by one of them may lose the rest.
    """
    front = pareto_front(runs, axes)
    drawn = any(axes[0] in run.scores and axes[1] in run.scores for run in runs)
    paths = list(dict.fromkeys(path for run in runs for path in run.choices))
    keys = [key for key in dict.fromkeys((*axes, *_KEYS)) if any(key in run.scores for run in runs)]
    rows = [
        _row(number, run, paths, keys, [("picked", run is picked), ("front", best)])
        for number, (run, best) in enumerate(zip(runs, front, strict=True), 1)
    ]
    failed = sum(bool(run.problem) for run in runs)
    impossible = f" {plural(failed, 'plan')} could not be carried out." if failed else ""
    return page(
        "report/comparison.html",
        f"Plans for {name}",
        lead=f"{plural(len(runs), 'plan')} on one map. No other plan beats the {sum(front)} on the dashed line in "
        f"{axes[0]} and {axes[1]} at once; the numbers at the points are those of the table.{impossible}",
        map=drawing(risk_utility_map(runs, front, axes=axes, picked=picked)) if drawn else None,
        hollow=not all(run.holds for run in runs),
        picked=picked,
        weights=_weights(runs, k),
        budgets=[f"{percent} %" for percent in BUDGETS],
        head=("", *paths, *keys, ""),
        rows=rows,
        problems=problems_of(runs),
        unseen=unseen,
    )


@dataclass(frozen=True)
class _Weights:
    """What weights of dependence cost and bring, and the largest that costs no more than each budget, by k."""

    words: str
    chart: Markup
    picks: Sequence[Sequence[Any]]


def _weights(runs: Sequence[Run], k: int) -> list[_Weights]:
    """Draw what the weights of dependence cost and bring, where some were tried."""
    return [
        _Weights(
            words,
            drawing(trade_off_chart(rows)),
            [
                (quantity(size), *(quantity(largest_weight(rows, percent, k=size)) for percent in BUDGETS))
                for size in sorted({row.k for row in rows})
            ],
        )
        for words, rows in weight_trade_offs(runs, k).items()
    ]


def _row(
    number: int, run: Run, paths: Sequence[str], keys: Sequence[str], marks: Sequence[tuple[str, bool]]
) -> tuple[Any, ...]:
    remarks = [
        mark for mark, holds in (*marks, ("not possible", run.problem), ("k not guaranteed", not run.holds)) if holds
    ]
    return (
        fill('<span id="plan-{}">{}</span>', number, quantity(number)),
        *(str(run.choices.get(path, "")) for path in paths),
        *(quantity(run.scores.get(key)) for key in keys),
        ", ".join(remarks),
    )
