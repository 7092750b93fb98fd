"""Compare plans in the background: each result is told when it is there, and drawn on one map."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.comparison import Run, compare
from shoal.comparison.choice import pareto_front
from shoal.plan import Plan
from shoal.run.source import parsed

KEYS = ("k_min", "emd_max", "dld", "id", "il_percent", "score")
"""The measures of the table and the map."""

_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
_ATTRIBUTE = re.compile(r' ([\w:-]+)="([^"]*)"')
_NOT_IN_PAGES = ("style", "role", "aria-roledescription")


def compare_plans(
    bench: Bench, report: Reporter, source: Source, values: dict[str, Any], grid: dict[str, list[Any]], folder: str
) -> tuple[dict[str, Any], ...]:
    """Carry out every plan of a grid; results are events as they come."""
    plan = Plan.from_mapping(values)
    data = parsed(bench.table(source), plan)

    def settled(run: Run) -> None:
        report.event(_plain(run))

    runs = compare(
        data.frame, plan, grid, keys=KEYS, folder=folder, progress=report.stage("comparing"), settled=settled
    )
    return tuple(map(_plain, runs))


def draw_map(
    bench: Bench,
    report: Reporter,
    runs: tuple[dict[str, Any], ...],
    axes: tuple[str, str],
    bounds: tuple[tuple[str, float], ...],
    picked: int | None,
) -> tuple[str | None, tuple[bool, ...]]:
    """Draw the map of risk and loss as SVG, and tell which plans no other beats."""
    from shoal.report.charts import risk_utility_map, svg

    report.stage("drawing")
    made = [Run(**run) for run in runs]
    front = pareto_front(made, axes)
    if not any(axes[0] in run.scores and axes[1] in run.scores for run in made):
        return None, tuple(front)
    chosen = None if picked is None else made[picked]
    drawn = svg(risk_utility_map(made, front, axes=axes, picked=chosen, limits=dict(bounds)))
    return for_page(drawn), tuple(front)


def for_page(drawn: str | None) -> str | None:
    """Return a drawing as pages allow it: one picture, no links, and no style inside elements (the sheet has it)."""
    # Tag by tag, for the words of a chart may look like anything.
    return None if drawn is None else _TAG.sub(_tag_for_page, drawn)


def _tag_for_page(tag: re.Match[str]) -> str:
    return "" if tag[0].startswith(("<a ", "</a>")) else _ATTRIBUTE.sub(_attribute_for_page, tag[0])


def _attribute_for_page(found: re.Match[str]) -> str:
    name, value = found.groups()
    if name in _NOT_IN_PAGES and value != "img":
        return ""
    return f' data-tip="{value}"' if name == "aria-label" else found[0]


def _plain(run: Run) -> dict[str, Any]:
    return asdict(run)
