"""Two plans side by side: every column before and after, by the one and by the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.comparison import for_page
from shoal.app.worker import Reporter
from shoal.plan import Plan
from shoal.report import collect
from shoal.run.parsed import parsed
from shoal.run.pipeline import anonymize


@dataclass(frozen=True)
class ColumnBeside:
    """A column by two plans: its chart (None where it cannot be drawn), its numbers and its sentence by each."""

    name: str
    charts: tuple[str | None, ...]
    numbers: tuple[tuple[tuple[str, int | None, int], ...], ...]
    sentences: tuple[str, ...]


def columns_beside(
    bench: Bench, report: Reporter, source: Source, plans: tuple[dict[str, Any], ...]
) -> tuple[ColumnBeside, ...]:
    """Carry both plans out, and return the columns that one of them changes; nothing is written."""
    from shoal.report.charts import before_after, svg

    found: dict[str, list[Any]] = {}
    for values in plans:
        plan = Plan.from_mapping(values)
        data = parsed(bench.table(source), plan)
        release = anonymize(data.frame, plan, progress=report.stage("grouping"))
        told = collect(data.frame, release, plan, progress=report.stage("comparing"))
        for each in told.distributions:
            found.setdefault(each.name, []).append(each)
    report.stage("drawing")
    return tuple(
        ColumnBeside(
            name,
            tuple(for_page(svg(before_after(each))) if each.bins else None for each in pair),
            tuple(tuple((bin.label, bin.before, bin.after) for bin in each.bins) for each in pair),
            tuple(each.sentence for each in pair),
        )
        for name, pair in found.items()
        if len(pair) == len(plans) and any(each.changed for each in pair)
    )
