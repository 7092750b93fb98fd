"""Doctored releases: tables that miss one clause of one guarantee, and their neighbours that just keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.encode import read_subjects
from shoal.frames import Table
from shoal.points import Points
from shoal.protect import Evidence, Judgement, asked, released_classes

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
WORD = {"role": "quasi_identifier", "kind": "nominal"}
SECRET_NUMBER = {"role": "confidential", "kind": "numeric"}
SECRET_WORD = {"role": "confidential", "kind": "nominal"}
NAME = {"role": "identifier"}
OTHER = {"role": "other"}

Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Doctored:
    """An original, a release of it that is just good enough, and one change that breaks one clause.

    ``groups`` are those of a permutation, and ``blocks`` the columns that were masked together.
    """

    guarantee: str
    clause: str
    plan: Mapping[str, Any]
    original: Columns
    good: Columns
    change: Columns
    groups: Sequence[int] | None = None
    bad_groups: Sequence[int] | None = None
    blocks: tuple[tuple[str, ...], ...] = ()
    points: Sequence[float] | None = None

    def __str__(self) -> str:
        return f"{self.guarantee}: {self.clause}"

    def asked(self) -> shoal.Plan:
        """The plan that asks for it."""
        return shoal.Plan(**self.plan)

    def tables(self, *, bad: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The original, and the good or the bad release of it."""
        return pl.DataFrame(dict(self.original)), pl.DataFrame({**self.good, **(self.change if bad else {})})

    def verdicts(self, *, bad: bool) -> dict[str, Judgement]:
        """Every guarantee that the plan asks for, judged on the good or on the bad release."""
        plan = self.asked()
        demand = plan.demand()
        original, released = map(Table.of, self.tables(bad=bad))
        groups = self.bad_groups if bad and self.bad_groups is not None else self.groups
        classes = np.asarray(groups, dtype=np.int64) if demand.permuted else released_classes(released, demand)
        subjects = None if demand.subject is None else read_subjects(original, demand.subject)
        domains = None if plan.by is None else original.class_codes(plan.by)
        near = np.arange(len(original), dtype=float) if self.points is None else np.asarray(self.points, dtype=float)
        evidence = Evidence(
            original, released, classes, lambda: Points.of(near[:, None]), domains, subjects, self.blocks
        )
        return {guarantee.name: guarantee.judge(demand, evidence) for guarantee in asked(demand)}
