"""Preview: what the plan would do with the table and what it would give away, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.costs import asked_of_groups
from shoal.app.worker import Reporter
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.treatment import treatment
from shoal.protect.threshold import smallest_t
from shoal.run.checked import checked


@dataclass(frozen=True)
class Preview:
    """What `shoal check` says, as values."""

    treatments: dict[str, str]
    sentences: tuple[str, ...]
    ahead: tuple[str, ...]
    cautions: tuple[str, ...]
    giveaways: tuple[dict[str, Any], ...]
    group_size: int
    most_groups: int
    records: int
    subjects: int | None
    smallest_t: float | None
    asked: tuple[tuple[str, int], ...]
    not_guaranteed: str | None


def preview(bench: Bench, report: Reporter, source: Source, values: dict[str, Any]) -> Preview:
    """Check the table against the plan; nothing is grouped."""
    report.stage("checking")
    plan = Plan.from_mapping(values)
    found = checked(bench.table(source), plan)
    records = len(found.table)
    return Preview(
        treatments={name: treatment(name, plan) for name in plan.attributes},
        sentences=found.sentences,
        ahead=found.ahead,
        cautions=found.cautions,
        giveaways=tuple(giveaway.to_dict() for giveaway in found.giveaways),
        group_size=found.group_size,
        most_groups=found.most_groups,
        records=records,
        subjects=None if found.inputs.subjects is None else found.inputs.subjects.count,
        smallest_t=smallest_t(records, plan.k) if plan.names(Role.CONFIDENTIAL) and plan.k <= records else None,
        asked=asked_of_groups(found.inputs, plan),
        not_guaranteed=found.not_guaranteed,
    )
