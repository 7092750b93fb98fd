"""Class measures: what classes give away, counted where Spark brings the records of each class together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.constrain import emd
from shoal.frames import Table
from shoal.measures import MEASURES, Score, compute
from shoal.measures.full_table import FullConfidential, FullTable
from shoal.measures.tables import pair_tables
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.protect.guarantee import Distribution
from shoal.report.data import RiskyGroup
from shoal.report.group_histograms import ClassSpread
from shoal.report.riskiest import MOST_RISKY, RiskyClasses, category_names
from shoal.report.table_statistics import closeness_rules
from shoal.spark.fields import CLASSES, SUBJECT, class_columns, class_key, on_tables, quoted
from shoal.spark.judge import TOGETHER
from shoal.spark.shuffle import FOUND_SCHEMA, added, as_row, collected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GREATEST = ("emd_max", "delta_disclosure")
LEAST = ("l_distinct", "l_entropy", "l_recursive", "p_sensitive")
ADDED = ("mutual_information",)
CLASS_KEYS = ("emd_max", "emd_avg", "l_avg", *LEAST, "delta_disclosure", "mutual_information")
"""The measures of confidential values by class; how those of several parts make one follows from their definitions."""
MANY = 1 << 22
"""Records from which on distances of classes are told apart to six digits in histograms."""


@dataclass(eq=False)
class ClassMeasures:
    """What was found of some classes.

    ``sizes``, ``subject_sizes``: how many records the classes have, and how many subjects. ``scores``: by measure, its
    value for each attribute; of all together under the empty name. ``parts``: other numbers by measure, which add up.
    ``distances``, ``limits``: how far classes are from the table, and what was asked of that. ``alike``: classes that
    have one value of an attribute, by name. ``riskiest``: the classes that give most away.
    """

    sizes: ClassSpread
    subject_sizes: ClassSpread
    scores: dict[str, dict[str, float]]
    parts: dict[str, dict[str, float]]
    distances: dict[str, ClassSpread]
    limits: dict[str, float]
    alike: dict[str, int]
    riskiest: tuple[RiskyGroup, ...]

    def __add__(self, other: ClassMeasures) -> ClassMeasures:
        return ClassMeasures(
            _joined(self.sizes, other.sizes),
            _joined(self.subject_sizes, other.subject_sizes),
            {
                key: {name: self._merged(key, value, other.scores[key][name], other) for name, value in parts.items()}
                for key, parts in self.scores.items()
            },
            added(self.parts, other.parts),
            {name: _joined(spread, other.distances[name]) for name, spread in self.distances.items()},
            self.limits,
            added(self.alike, other.alike),
            tuple(sorted((*self.riskiest, *other.riskiest), key=_risk)[:MOST_RISKY]),
        )

    def _merged(self, key: str, one: float, two: float, other: ClassMeasures) -> float:
        if key in GREATEST:
            return max(one, two)
        if key in LEAST:
            return min(one, two)
        if key in ADDED:
            return one + two
        here, there = self.sizes.count, other.sizes.count
        return (one * here + two * there) / (here + there)


def _joined(one: ClassSpread, other: ClassSpread) -> ClassSpread:
    return _distinct(
        ClassSpread(np.concatenate([one.values, other.values]), np.concatenate([one.classes, other.classes]))
    )


def _distinct(spread: ClassSpread) -> ClassSpread:
    values, place = np.unique(spread.values, return_inverse=True)
    return ClassSpread(values, np.bincount(place, spread.classes).astype(np.int64))


def _risk(group: RiskyGroup) -> tuple[bool, float, int]:
    """Return what `RiskyClasses.among` sorts by, as far as it is known without linking records."""
    alone = bool(group.distinct) and min(group.distinct.values()) == 1
    return not alone, -max(group.distances.values(), default=0.0), group.size


@dataclass(frozen=True, eq=False)
class ClassLook:
    """Measures some classes of a released table, all records of each."""

    plan: Plan
    counted: Mapping[str, Distribution]
    confidential: Mapping[str, FullConfidential]
    days: tuple[str, ...]
    records: int

    def __call__(self, part: pa.Table) -> pa.Table:
        """Return what was found, as one row."""
        return as_row(self._look(part))

    def _look(self, part: pa.Table) -> ClassMeasures:
        demand = replace(self.plan.demand(), distributions=self.counted)
        subjects = None
        if SUBJECT in part.column_names:
            subjects = np.unique(part[SUBJECT].to_numpy(), return_inverse=True)[1].astype(np.int32)
        released = Table.of(part.drop_columns([name for name in (CLASSES, SUBJECT) if name in part.column_names]))
        plan = self.plan.replace(subject="record", keep_subject=None)
        labels = released_classes(released, demand)
        pair = pair_tables(released, released, plan, full=FullTable({}, self.confidential))
        pair = replace(pair, labels=labels, subjects=subjects)
        found = compute(pair, [key for key in CLASS_KEYS if MEASURES[key].definition.applies(pair)])
        rules = closeness_rules(demand, released)
        distances = dict(found["emd_max"].groups) if "emd_max" in found else {}
        distances |= {rule.attribute.name: emd(rule.attribute, labels) for rule in rules}
        alike = found["l_distinct"].groups if "l_distinct" in found else {}
        return ClassMeasures(
            _distinct(ClassSpread.of(pair.sizes)),
            _distinct(ClassSpread.of(pair.subject_sizes)),
            {key: {"": score.value, **score.attributes} for key, score in found.items()},
            {key: dict(score.parts) for key, score in found.items()},
            {name: _distinct(self._spread_of_distances(values)) for name, values in distances.items()},
            {rule.attribute.name: float(rule.t) for rule in rules},
            {name: int((values == 1).sum()) for name, values in alike.items()},
            RiskyClasses(
                demand.quasi_identifiers, found, distances, days=self.days, categories=category_names(plan)
            ).among(released, labels),
        )

    def _spread_of_distances(self, values: NDArray[np.float64]) -> ClassSpread:
        return ClassSpread.of(values if self.records < MANY else values.round(6))


def measure_classes(
    released: DataFrame,
    plan: Plan,
    counted: Mapping[str, Distribution],
    confidential: Mapping[str, FullConfidential],
    records: int,
) -> ClassMeasures:
    """Measure all classes of a released table that has the subject of each record, where the plan tells it.

    Guarantees and measures each take the distribution of confidential attributes in the whole table in their own way.
    """
    names = dict.fromkeys((*class_columns(plan), *plan.demand().confidential, SUBJECT))
    key = F.pmod(class_key(released, plan), F.lit(max(1, -(-records // TOGETHER))))
    days = tuple(each.name for each in released.schema.fields if isinstance(each.dataType, T.DateType))
    look = ClassLook(plan, counted, confidential, days, records)
    rows = (
        released.select(*(quoted(name) for name in names if name in released.columns), key.alias(CLASSES))
        .groupBy(CLASSES)
        .applyInArrow(on_tables(look), FOUND_SCHEMA)
    )
    measured: ClassMeasures = reduce(added, collected(rows))
    return measured


def class_scores(found: ClassMeasures) -> dict[str, Score]:
    """Return the measures of classes as scores, with those of their sizes."""
    scores = {}
    for key, parts in found.scores.items():
        columns = {name: value for name, value in parts.items() if name}
        pick = min if key in LEAST else max
        value = parts[""] if key == "l_avg" else pick(columns.values())
        more = dict(found.parts[key])
        if key == "l_distinct":
            more |= {"classes": float(found.sizes.count)}
            more |= {f"{name} alike": float(count) for name, count in found.alike.items()}
        scores[key] = Score(MEASURES[key].definition, value, tuple(columns), attributes=columns, parts=more)
    return scores
