"""Judge: every guarantee on the released table itself, class by class, wherever the records of a class were masked.

Spark brings the records of each equivalence class together, by their released values alone. They are then judged by the
same code as on one machine, against the distribution of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from shoal.encode import Subjects
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.protect import GUARANTEES, Evidence, Judgement, asked, released_classes
from shoal.protect.guarantee import Distribution
from shoal.protect.k_anonymity import KAnonymity, known_sets, parted_note, remaining_k
from shoal.run.release import Guarantees
from shoal.spark.fields import (
    CLASSES,
    RECORDS,
    SUBJECT,
    aggregates,
    class_columns,
    class_key,
    class_sizes,
    comparable,
    quoted,
    with_longitudes,
)
from shoal.spark.shuffle import FOUND_SCHEMA, added, as_row, collected, on_fragments

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

TOGETHER = 1 << 20
"""Records that are judged at once, about."""


@dataclass(frozen=True, eq=False)
class ClassJudge:
    """Judges some classes of a released table, all records of each, or one of those that are alike and their number."""

    plan: Plan
    counted: Mapping[str, Distribution]

    def __call__(self, part: pa.Table) -> pa.Table:
        """Return the verdict, as one row."""
        # What is left of a k that the plan gives up is counted on sets of columns, whose classes are not together here.
        demand = replace(self.plan.demand(), distributions=self.counted, given_up=None)
        if RECORDS in part.column_names:
            part = part.take(np.repeat(np.arange(len(part)), part[RECORDS].to_numpy())).drop_columns([RECORDS])
        subjects = None
        if demand.subject is not None:
            numbers = np.unique(part[SUBJECT].to_numpy(), return_inverse=True)[1].astype(np.int32)
            subjects = Subjects(demand.subject, numbers)
        part = part.drop_columns([name for name in (CLASSES, SUBJECT) if name in part.column_names])
        released = Table.of(part)
        # The original is not here, and least of all whom its records are about: pseudonyms are only put beside numbers.
        named = [name for name in part.column_names if name == demand.pseudonym]
        classes = released_classes(released, demand)
        evidence = Evidence(Table.of(part.drop_columns(named)), released, classes, lambda: None, None, subjects)
        sizes = np.bincount(classes)
        subject_sizes = evidence.class_sizes
        verdict = Verdict(
            Guarantees(tuple(guarantee.judge(demand, evidence) for guarantee in asked(demand))),
            records=len(classes),
            classes=len(sizes),
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            subjects=int(subject_sizes.sum()),
            fewest=int(subject_sizes.min()),
            most=int(subject_sizes.max()),
        )
        return as_row(verdict)


@dataclass(frozen=True)
class Verdict:
    """What was found on a released table: guarantees, and the sizes of its classes.

    The smallest and the largest class by records, the one with the fewest and the one with the most by subjects.
    """

    guarantees: Guarantees
    records: int
    classes: int
    smallest: int
    largest: int
    subjects: int
    fewest: int
    most: int

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(
            Guarantees(tuple(map(_worse, self.guarantees.values(), other.guarantees.values()))),
            self.records + other.records,
            self.classes + other.classes,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
            self.subjects + other.subjects,
            min(self.fewest, other.fewest),
            max(self.most, other.most),
        )


def _worse(one: Judgement, other: Judgement) -> Judgement:
    pick = max if GUARANTEES[one.name].largest_is_worst else min
    return replace(pick(one, other, key=lambda each: each.achieved), holds=one.holds and other.holds)


def judge(
    released: DataFrame, plan: Plan, counted: Mapping[str, Distribution], constant: frozenset[str] = frozenset()
) -> Verdict:
    """Judge a released table against how confidential attributes are distributed in the whole of it.

    It has the subject of each record, where the plan says whom a record is about. The constant quasi-identifiers are
    the same in all records of a subject of the original table.
    """
    demand = plan.demand()
    known = class_columns(plan)
    pseudonym = plan.pseudonym_column()
    others = [
        *(demand.confidential if demand.sections else ()),
        *([] if pseudonym is None else [pseudonym]),  # whose rows are all in one class
        *([] if plan.weights is None else [plan.weights]),
        SUBJECT,
    ]
    names = list(dict.fromkeys((*known, *(name for name in others if name in released.columns))))
    records = released.count()
    parts = max(1, -(-records // TOGETHER))
    columns = [F.col(quoted(name)) for name in names]
    alike = released.select(*columns)
    if names == known:  # nothing else is asked of a record: a class is shuffled as one, with its size
        alike = released.groupBy(*columns).agg(F.count(F.lit(1)).alias(RECORDS))
    keyed = alike.withColumn(CLASSES, F.pmod(class_key(released, plan), F.lit(parts)))
    verdict: Verdict = reduce(
        added, collected(on_fragments(keyed, CLASSES, parts, ClassJudge(plan, counted), FOUND_SCHEMA))
    )
    guarantees = list(verdict.guarantees.values())
    parted = _parted(released, with_longitudes(plan, sorted(constant)))
    if demand.given_up == KAnonymity.name:
        sets = known_sets(demand, lambda names: float(_subjects_of_classes(released, names, F.avg)))
        left = remaining_k(demand, verdict.subjects / verdict.classes, verdict.fewest, sets, parted)
        guarantees = [left if each.name == left.name else each for each in guarantees]
    elif parted:
        guarantees = [
            replace(each, holds=False, note=parted_note(parted)) if each.name == KAnonymity.name else each
            for each in guarantees
        ]
    return replace(verdict, guarantees=Guarantees(tuple(guarantees)))


def judge_blocks(released: DataFrame, plan: Plan) -> dict[str, int]:
    """Count the subjects of the smallest class of every block, grouped by itself; refuse fewer than k."""
    found = {}
    for block in blocks_of(plan):
        names = [*block, *([plan.by] if plan.by else [])]
        found[" + ".join(block)] = int(_subjects_of_classes(released, names, F.min))
    for name, fewest in found.items():
        if fewest < plan.k:
            raise GuaranteeError(
                f"a class of {name} has {fewest} members, fewer than k = {plan.k}, so nothing is released",
                reached=fewest,
            )
    return found


def blocks_of(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return the columns that are grouped together, where that is not all of them at once."""
    if number_of_blocks(plan) == 1:
        return ()
    named = plan.blocks if isinstance(plan.blocks, tuple) else tuple((name,) for name in plan.masked_names())
    return tuple(tuple(with_longitudes(plan, block)) for block in named)


def _subjects_of_classes(released: DataFrame, names: Sequence[str], aggregate: Callable[[str], Column]) -> Any:
    """Return an aggregate of how many subjects share the values of some columns."""
    return aggregates(class_sizes(released, names), [aggregate("subjects")])[0]


def _parted(released: DataFrame, names: Sequence[str]) -> list[str]:
    """Return those of some quasi-identifiers of which a subject has several values in the release."""
    if not names:
        return []
    columns = {name: comparable(released.schema[name]) for name in names}
    of_each = released.groupBy(SUBJECT).agg(
        *((F.min(column) != F.max(column)).alias(f"v{i}") for i, column in enumerate(columns.values()))
    )
    found = aggregates(of_each, [F.max(F.coalesce(f"v{i}", F.expr("false"))) for i in range(len(names))])
    return [name for name, several in zip(names, found, strict=True) if several]
