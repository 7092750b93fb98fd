"""Compare plans in the background: each result is told when it is there, drawn on one map, two of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.app.figures import ColumnChart, column_chart, for_page
from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.comparison import Run, compare
from shoal.comparison.choice import pareto_front
from shoal.comparison.criteria import can_measure
from shoal.plan import Plan
from shoal.report import collect
from shoal.report.report_data import Distribution
from shoal.run.pipeline import anonymize
from shoal.run.source_parsing import parsed

KEYS = ("k_min", "emd_max", "dld", "id", "il_percent", "score")
"""The measures of the table and the map, as far as the columns of a plan allow them."""


@dataclass(frozen=True)
class RiskMap:
    """The map of risk and loss (None where no plan has both), and for each plan whether no other beats it."""

    svg: str | None
    front: tuple[bool, ...]


def compare_plans(
    bench: Bench, report: Reporter, source: Source, values: dict[str, Any], grid: dict[str, list[Any]], folder: str
) -> tuple[Run, ...]:
    """Carry out every plan of a grid; results are events as they come."""
    plan = Plan.from_mapping(values)
    data = parsed(bench.table(source), plan)
    keys, progress = [key for key in KEYS if can_measure(plan, key)], report.stage("comparing")
    return compare(data.frame, plan, grid, keys=keys, folder=folder, progress=progress, settled=report.event).runs


def draw_map(
    bench: Bench,
    report: Reporter,
    runs: tuple[Run, ...],
    axes: tuple[str, str],
    bounds: tuple[tuple[str, float], ...],
    picked: int | None,
) -> RiskMap:
    """Draw the map of risk and loss as SVG, and tell which plans no other beats."""
    from shoal.report.charts import risk_utility_map, svg

    report.stage("drawing")
    front = tuple(pareto_front(runs, axes))
    if not any(axes[0] in run.scores and axes[1] in run.scores for run in runs):
        return RiskMap(None, front)
    best = None if picked is None else runs[picked]
    chart = risk_utility_map(runs, front, axes=axes, picked=best, limits=dict(bounds))
    return RiskMap(for_page(svg(chart)), front)


def columns_beside(
    bench: Bench, report: Reporter, source: Source, plans: tuple[dict[str, Any], ...]
) -> tuple[tuple[ColumnChart, ...], ...]:
    """Carry both plans out, and return the columns that one of them changes; nothing is written."""
    by_name: dict[str, list[Distribution]] = {}
    for values in plans:
        plan = Plan.from_mapping(values)
        data = parsed(bench.table(source), plan)
        release = anonymize(data.frame, plan, progress=report.stage("grouping"))
        collected = collect(data.frame, release, plan, progress=report.stage("comparing"))
        for distribution in collected.distributions:
            by_name.setdefault(distribution.name, []).append(distribution)
    report.stage("drawing")
    return tuple(
        tuple(column_chart(distribution) for distribution in pair)
        for pair in by_name.values()
        if len(pair) == len(plans) and any(distribution.changed for distribution in pair)
    )
