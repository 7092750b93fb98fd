"""Preview: who is unique, what the plan would do with the table and what it would give away, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.estimates import asked_of_groups
from shoal.app.worker import Reporter
from shoal.errors import DataError
from shoal.frames import Table
from shoal.giveaways.uniqueness import Uniqueness, unique_records
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.treatment import treatment
from shoal.protect.strata import smallest_t
from shoal.run._check import Outlook, check_file


@dataclass(frozen=True)
class Preview:
    """What `shoal check` says, as values."""

    outlook: Outlook
    treatments: dict[str, str]
    records: int
    subjects: int | None
    smallest_t: float | None
    asked: tuple[tuple[str, int], ...]


def preview(bench: Bench, report: Reporter, source: Source, values: dict[str, Any]) -> Preview:
    """Check the table against the plan; nothing is grouped."""
    report.stage("checking")
    plan = Plan.from_mapping(values)
    check = check_file(bench.table(source), plan)
    records = len(check.table)
    return Preview(
        outlook=check.outlook,
        treatments={name: treatment(name, plan) for name in plan.attributes},
        records=records,
        subjects=None if check.inputs.subjects is None else check.inputs.subjects.count,
        smallest_t=smallest_t(records, plan.k) if plan.names(Role.CONFIDENTIAL) and plan.k <= records else None,
        asked=asked_of_groups(check.inputs, plan),
    )


def count_unique(
    bench: Bench, report: Reporter, source: Source, names: tuple[str, ...], subject: str | None
) -> Uniqueness:
    """Count who is unique by the quasi-identifiers that are chosen so far, in the table as it came."""
    report.stage("counting")
    table = Table.of(bench.table(source).frame)
    present = [name for name in names if name in table.names]
    try:
        return unique_records(table, present, subject=subject if subject in table.names else None)
    except DataError:  # subjects with gaps: checking the plan says so
        return unique_records(table, present)
