"""Judge: every guarantee on the released table itself, class by class, wherever the records of a class were masked.

Spark brings the records of each equivalence class together, by their released values alone. They are then judged by the
same code as on one machine, against the distribution of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
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
from shoal.spark.exchange import FOUND_SCHEMA, Addable, added, as_row, collected, on_fragments
from shoal.spark.fields import (
    CLASSES,
    RECORDS,
    SUBJECT,
    aggregates,
    class_columns,
    class_key,
    class_sizes,
    quoted,
    subject_numbers,
    with_longitudes,
    without,
)
from shoal.spark.subjects import SubjectCounts, find_varying

TOGETHER = 1 << 20
"""Records that are judged at once, about."""


def judge_part(plan: Plan, counted: Mapping[str, Distribution], part: pa.Table) -> pa.Table:
    """Judge some classes of a released table, all records of each, or one of those that are alike and their number."""
    # What is left of a k that the plan gives up is counted on sets of columns, whose classes are not together here.
    demand = replace(plan.demand(), distributions=counted, given_up=None)
    if RECORDS in part.column_names:
        part = part.take(np.repeat(np.arange(len(part)), part[RECORDS].to_numpy())).drop_columns([RECORDS])
    numbers = subject_numbers(part)
    subjects = None if demand.subject is None or numbers is None else Subjects(demand.subject, numbers)
    part = without(part, CLASSES, SUBJECT)
    released = Table.of(part)
    # The original is not here, and least of all whom its records are about: pseudonyms are only put beside numbers.
    original = Table.of(part if demand.pseudonym is None else without(part, demand.pseudonym))
    classes = released_classes(released, demand)
    evidence = Evidence(original, released, classes, lambda: None, None, subjects)
    sizes, subject_sizes = np.bincount(classes), evidence.class_sizes
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


def _worse(one: Judgement, other: Judgement) -> Judgement:
    pick = max if GUARANTEES[one.name].largest_is_worst else min
    return replace(pick(one, other, key=lambda each: each.achieved), holds=one.holds and other.holds)


def _worse_of_each(one: Guarantees, other: Guarantees) -> Guarantees:
    return Guarantees(tuple(map(_worse, one.values(), other.values())))


@dataclass(frozen=True)
class Verdict(Addable):
    """What was found on a released table: guarantees, and the sizes of its classes."""

    guarantees: Guarantees = field(metadata={"add": _worse_of_each})
    records: int
    classes: int
    smallest: int = field(metadata={"add": min})  # the smallest and the largest class, by records
    largest: int = field(metadata={"add": max})
    subjects: int
    fewest: int = field(metadata={"add": min})  # the class with the fewest and the one with the most, by subjects
    most: int = field(metadata={"add": max})

    @property
    def groups(self) -> dict[str, Any]:
        """How many classes there are and how large, for a manifest."""
        mean = round(self.records / self.classes, 4)
        return {"count": self.classes, "smallest": self.smallest, "largest": self.largest, "mean": mean}

    def subject_counts(self, subjects: SubjectCounts) -> dict[str, Any]:
        """How many subjects there are and how many a class has, for a manifest."""
        return {
            "column": subjects.column,
            "count": subjects.count,
            "fewest_in_a_group": self.fewest,
            "most_in_a_group": self.most,
            "constant": sorted(subjects.constant),
        }


def judge(
    released: DataFrame, plan: Plan, counted: Mapping[str, Distribution], constant: frozenset[str] = frozenset()
) -> Verdict:
    """Judge a released table against how confidential attributes are distributed in the whole of it.

    It has the subject of each record, where the plan says whom a record is about. The constant quasi-identifiers are
    the same in all records of a subject of the original table.
    """
    demand = plan.demand()
    shown = class_columns(plan)
    others = [
        *(demand.confidential if demand.sections else ()),
        plan.pseudonym_column(),  # whose rows are all in one class
        plan.weights,
        SUBJECT,
    ]
    names = list(dict.fromkeys((*shown, *(name for name in others if name in released.columns))))
    parts = parts_of(released.count())
    columns = [F.col(quoted(name)) for name in names]
    alike = released.select(*columns)
    if names == shown:  # nothing else is asked of a record: a class is shuffled as one, with its size
        alike = released.groupBy(*columns).agg(F.count(F.lit(1)).alias(RECORDS))
    keyed = alike.withColumn(CLASSES, F.pmod(class_key(released, plan), F.lit(parts)))
    judged = on_fragments(keyed, CLASSES, parts, partial(judge_part, plan, counted), FOUND_SCHEMA)
    verdict: Verdict = reduce(added, collected(judged))
    names = with_longitudes(plan, sorted(constant))
    varying = find_varying(released, names).names if names else frozenset()
    parted = [name for name in names if name in varying]  # of which a subject has several values in the release
    left = verdict.guarantees[KAnonymity.name]
    if demand.given_up == KAnonymity.name:
        sets = known_sets(demand, lambda names: float(_subjects_of_classes(released, names, F.avg)))
        left = remaining_k(demand, verdict.subjects / verdict.classes, verdict.fewest, sets, parted)
    elif parted:
        left = replace(left, holds=False, note=parted_note(parted))
    guarantees = tuple(left if each.name == left.name else each for each in verdict.guarantees.values())
    return replace(verdict, guarantees=Guarantees(guarantees))


def parts_of(records: int) -> int:
    """Return into how many parts classes with so many records are divided, each of which is judged at once."""
    return max(1, -(-records // TOGETHER))


def judge_blocks(released: DataFrame, plan: Plan) -> dict[str, int]:
    """Count the subjects of the smallest class of every block, grouped by itself; refuse fewer than k."""
    if number_of_blocks(plan) == 1:
        return {}
    blocks = plan.blocks if isinstance(plan.blocks, tuple) else [(name,) for name in plan.masked_names()]
    smallest = {}
    for names in blocks:
        block = with_longitudes(plan, names)
        name = " + ".join(block)
        columns = [*block, *([plan.by] if plan.by else [])]
        fewest = smallest[name] = int(_subjects_of_classes(released, columns, F.min))
        if fewest < plan.k:
            raise GuaranteeError(
                f"a class of {name} has {fewest} members, fewer than k = {plan.k}, so nothing is released",
                reached=fewest,
            )
    return smallest


def _subjects_of_classes(released: DataFrame, names: Sequence[str], aggregate: Callable[[str], Column]) -> Any:
    """Return an aggregate of how many subjects share the values of some columns."""
    return aggregates(class_sizes(released, names), [aggregate("subjects")])[0]
