"""Count who is unique by the quasi-identifiers that are chosen so far."""

from __future__ import annotations

from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.errors import DataError
from shoal.frames import Table
from shoal.giveaways.uniqueness import Uniqueness, unique_records


def count_unique(
    bench: Bench, report: Reporter, source: Source, names: tuple[str, ...], subject: str | None
) -> Uniqueness:
    """Count unique records of the table as it came."""
    report.stage("counting")
    table = Table.of(bench.table(source).frame)
    present = [name for name in names if name in table.names]
    try:
        return unique_records(table, present, subject=subject if subject in table.names else None)
    except DataError:  # subjects with gaps: checking the plan says so
        return unique_records(table, present)
