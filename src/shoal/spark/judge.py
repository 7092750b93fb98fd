"""Judge: every guarantee on the released table itself, class by class, wherever the records of a class were masked.

Spark brings the records of each equivalence class together, by their released values alone. They are then judged by the
same code as on one machine, against the distribution of the whole table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.encode import Subjects
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.protect import GUARANTEES, Evidence, Judgement, asked, released_classes
from shoal.protect.k_anonymity import KAnonymity, known_sets, parted_note, remaining_k
from shoal.run.release import Guarantees
from shoal.spark.fields import CLASSES, SUBJECT, comparable, quoted, with_longitudes
from shoal.spark.mask import Counted
from shoal.spark.sample import RECORDS
from shoal.spark.shuffle import on_fragments
from shoal.spark.strata import as_distributions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TOGETHER = 1 << 20
"""Records that are judged at once, about."""


@dataclass(frozen=True, eq=False)
class ClassJudge:
    """Judges some classes of a released table, all records of each, or one of those that are alike and their number."""

    plan: Plan
    counted: Counted

    def __call__(self, part: pa.Table) -> pa.Table:
        """Return the judgements and what classes there are, as JSON."""
        # What is left of a k that the plan gives up is counted on sets of columns, whose classes are not together here.
        demand = replace(self.plan.demand(), distributions=as_distributions(self.counted), given_up=None)
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
        found = {
            "judgements": [guarantee.judge(demand, evidence).to_dict() for guarantee in asked(demand)],
            "classes": len(sizes),
            "records": len(classes),
            "smallest": int(sizes.min()),
            "largest": int(sizes.max()),
            "subjects": int(subject_sizes.sum()),
            "fewest": int(subject_sizes.min()),
            "most": int(subject_sizes.max()),
        }
        return pa.table({"found": [json.dumps(found)]})


@dataclass(frozen=True)
class Verdict:
    """What was found on a released table: guarantees, and the sizes of its classes."""

    guarantees: Guarantees
    records: int
    classes: int
    smallest: int
    largest: int
    fewest: int
    most: int


def judge(released: DataFrame, plan: Plan, counted: Counted, constant: frozenset[str] = frozenset()) -> Verdict:
    """Judge a released table.

    Parameters
    ----------
    released
        With the subject of each record, where the plan says whom a record is about.
    plan
        What is asked.
    counted
        How confidential attributes are distributed in the whole table.
    constant
        The quasi-identifiers that are the same in all records of a subject of the original table.
    """
    demand = plan.demand()
    known = list(dict.fromkeys((*demand.quasi_identifiers, *([plan.by] if plan.by else []))))
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
    key = F.xxhash64(*(comparable(released.schema[name]) for name in known))
    columns = [F.col(quoted(name)) for name in names]
    alike = released.select(*columns)
    if names == known:  # nothing else is asked of a record: a class is shuffled as one, with its size
        alike = released.groupBy(*columns).agg(F.count(F.lit(1)).alias(RECORDS))
    keyed = alike.withColumn(CLASSES, F.pmod(key, F.lit(parts)))
    schema = T.StructType([T.StructField("found", T.StringType())])
    judged = on_fragments(keyed, CLASSES, parts, ClassJudge(plan, counted), schema)
    found = [json.loads(row.found) for row in judged.collect()]
    guarantees = _together(found, plan)
    parted = _parted(released, with_longitudes(plan, sorted(constant)))
    if demand.given_up == KAnonymity.name:
        overall = sum(each["subjects"] for each in found) / sum(each["classes"] for each in found)
        left = remaining_k(demand, overall, min(each["fewest"] for each in found), _known(released, plan), parted)
        guarantees = Guarantees(tuple(left if each.name == left.name else each for each in guarantees.values()))
    elif parted:
        guarantees = Guarantees(
            tuple(
                replace(each, holds=False, note=parted_note(parted)) if each.name == KAnonymity.name else each
                for each in guarantees.values()
            )
        )
    return Verdict(
        guarantees,
        sum(each["records"] for each in found),
        sum(each["classes"] for each in found),
        min(each["smallest"] for each in found),
        max(each["largest"] for each in found),
        min(each["fewest"] for each in found),
        max(each["most"] for each in found),
    )


def _together(found: list[Mapping[str, Any]], plan: Plan) -> Guarantees:
    """Return the guarantees of all classes from those of some at a time: the worst counts."""
    judgements = []
    for number, guarantee in enumerate(asked(plan.demand())):
        parts = [Judgement(**each["judgements"][number]) for each in found]
        pick = max if GUARANTEES[guarantee.name].largest_is_worst else min
        worst = pick(parts, key=lambda each: each.achieved)
        judgements.append(replace(worst, holds=all(each.holds for each in parts)))
    return Guarantees(tuple(judgements))


def _known(released: DataFrame, plan: Plan) -> dict[str, float]:
    """Return how many subjects share sets of quasi-identifiers on average, by aggregates of Spark."""

    def k_prime(names: Sequence[str]) -> float:
        sizes = _sizes(released, names)
        row = sizes.agg(F.avg("n")).first()
        assert row is not None
        return float(row[0])

    return known_sets(plan.demand(), k_prime)


def judge_blocks(released: DataFrame, plan: Plan) -> dict[str, int]:
    """Count the subjects of the smallest class of every block, in which records were grouped by themselves.

    Raises
    ------
    GuaranteeError
        A block has a class of fewer than k.
    """
    found = {}
    for block in blocks_of(plan):
        row = _sizes(released, [*block, *([plan.by] if plan.by else [])]).agg(F.min("n")).first()
        assert row is not None
        found[" + ".join(block)] = int(row[0])
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


def _sizes(released: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return how many subjects share the values of some columns, a row for each combination."""
    counted = F.count_distinct(SUBJECT) if SUBJECT in released.columns else F.count(F.lit(1))
    keys = [comparable(released.schema[name]).alias(f"k{i}") for i, name in enumerate(dict.fromkeys(names))]
    return released.groupBy(*keys).agg(counted.alias("n"))


def _parted(released: DataFrame, names: Sequence[str]) -> list[str]:
    """Return those of some quasi-identifiers of which a subject has several values in the release."""
    if not names:
        return []
    columns = {name: comparable(released.schema[name]) for name in names}
    of_each = released.groupBy(SUBJECT).agg(
        *((F.min(column) != F.max(column)).alias(f"v{i}") for i, column in enumerate(columns.values()))
    )
    row = of_each.agg(*(F.max(F.coalesce(f"v{i}", F.expr("false"))) for i in range(len(names)))).first()
    assert row is not None
    return [name for name, several in zip(names, row, strict=True) if several]
