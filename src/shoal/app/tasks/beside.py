"""Two plans side by side: every column before and after, by the one and by the other."""

from __future__ import annotations

from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.drawn import DrawnColumn, drawn
from shoal.app.worker import Reporter
from shoal.plan import Plan
from shoal.report import collect
from shoal.run.pipeline import anonymize
from shoal.run.source import parsed


def columns_beside(
    bench: Bench, report: Reporter, source: Source, plans: tuple[dict[str, Any], ...]
) -> tuple[tuple[DrawnColumn, ...], ...]:
    """Carry both plans out, and return the columns that one of them changes; nothing is written."""
    found: dict[str, list[Any]] = {}
    for values in plans:
        plan = Plan.from_mapping(values)
        data = parsed(bench.table(source), plan)
        release = anonymize(data.frame, plan, progress=report.stage("grouping"))
        collected = collect(data.frame, release, plan, progress=report.stage("comparing"))
        for each in collected.distributions:
            found.setdefault(each.name, []).append(each)
    report.stage("drawing")
    return tuple(
        tuple(drawn(each) for each in pair)
        for pair in found.values()
        if len(pair) == len(plans) and any(each.changed for each in pair)
    )
