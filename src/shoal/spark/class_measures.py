"""Class measures: what classes give away, counted where Spark brings the records of each class together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shoal.constrain import emd
from shoal.frames import Table
from shoal.measures import MEASURES, Score, compute
from shoal.measures.tables import pair_tables
from shoal.measures.whole_table import FullConfidential, FullTable
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.protect.guarantee import Distribution
from shoal.report.group_histograms import ClassSpread
from shoal.report.report_data import RiskyGroup
from shoal.report.riskiest import MOST_RISKY, RiskyClasses, category_names
from shoal.report.table_statistics import closeness_rules
from shoal.spark.exchange import FOUND_SCHEMA, added, as_row, collected
from shoal.spark.fields import CLASSES, SUBJECT, class_columns, class_key, on_tables, quoted, subject_numbers, without
from shoal.spark.judge import parts_of

LEAST = ("l_distinct", "l_entropy", "l_recursive", "p_sensitive")
MERGED: dict[str, Callable[[float, float], float]] = dict.fromkeys(LEAST, min)
MERGED |= {"emd_max": max, "delta_disclosure": max, "mutual_information": add}
"""How values of two parts make one; those of others are means over classes."""
CLASS_KEYS = ("emd_max", "emd_avg", "l_avg", *LEAST, "delta_disclosure", "mutual_information")
"""The measures of confidential values by class."""
MANY = 1 << 22
"""Records from which on distances of classes are told apart to six digits in histograms."""


@dataclass(eq=False)
class ClassMeasures:
    """What was found of some classes."""

    sizes: ClassSpread  # how many records the classes have,
    subject_sizes: ClassSpread  # and how many subjects
    scores: dict[str, dict[str, float]]  # by measure, its value for each attribute; of all under the empty name
    parts: dict[str, dict[str, float]]  # other numbers by measure, which add up
    distances: dict[str, ClassSpread]  # how far classes are from the table,
    limits: dict[str, float]  # and what was asked of that
    alike: dict[str, int]  # classes that have one value of an attribute, by name
    riskiest: tuple[RiskyGroup, ...]  # the classes that give most away

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            sizes=_distinct(self.sizes, other.sizes),
            subject_sizes=_distinct(self.subject_sizes, other.subject_sizes),
            scores={
                key: {name: self._merged(key, value, other.scores[key][name], other) for name, value in parts.items()}
                for key, parts in self.scores.items()
            },
            parts=added(self.parts, other.parts),
            distances={name: _distinct(spread, other.distances[name]) for name, spread in self.distances.items()},
            alike=added(self.alike, other.alike),
            riskiest=tuple(sorted((*self.riskiest, *other.riskiest), key=_risk)[:MOST_RISKY]),
        )

    def _merged(self, key: str, one: float, two: float, other: ClassMeasures) -> float:
        if key in MERGED:
            return MERGED[key](one, two)
        here, there = self.sizes.count, other.sizes.count
        return (one * here + two * there) / (here + there)


def _distinct(*spreads: ClassSpread) -> ClassSpread:
    """Return the spread of the classes of all, with every value once."""
    classes = np.concatenate([spread.classes for spread in spreads])
    values, place = np.unique(np.concatenate([spread.values for spread in spreads]), return_inverse=True)
    return ClassSpread(values, np.bincount(place, classes).astype(np.int64))


def _risk(group: RiskyGroup) -> tuple[bool, float, int]:
    """Return what `RiskyClasses.among` sorts by, as far as it is known without linking records."""
    alone = bool(group.distinct) and min(group.distinct.values()) == 1
    return not alone, -max(group.distances.values(), default=0.0), group.size


@dataclass(frozen=True, eq=False)
class ClassLook:
    """Measures some classes of a released table, all records of each.

    Guarantees and measures each take the distribution of confidential attributes in the whole table in their own way.
    """

    plan: Plan
    counted: Mapping[str, Distribution]
    confidential: Mapping[str, FullConfidential]
    records: int

    def __call__(self, part: pa.Table) -> pa.Table:
        """Return what was found, as one row."""
        demand = replace(self.plan.demand(), distributions=self.counted)
        released = Table.of(without(part, CLASSES, SUBJECT))
        plan = self.plan.replace(subject="record", keep_subject=None)
        labels = released_classes(released, demand)
        pair = pair_tables(released, released, plan, full=FullTable({}, self.confidential))
        pair = replace(pair, labels=labels, subjects=subject_numbers(part))
        scores = compute(pair, [key for key in CLASS_KEYS if MEASURES[key].definition.applies(pair)])
        rules = closeness_rules(demand, released)
        distances = dict(scores["emd_max"].groups) if "emd_max" in scores else {}
        distances |= {rule.attribute.name: emd(rule.attribute, labels) for rule in rules}
        alike = scores["l_distinct"].groups if "l_distinct" in scores else {}
        days = [column.name for column in part.schema if pa.types.is_date(column.type)]
        risky = RiskyClasses(demand.quasi_identifiers, scores, distances, days, category_names(plan))
        told_apart = {name: far if self.records < MANY else far.round(6) for name, far in distances.items()}
        measured = ClassMeasures(
            _distinct(ClassSpread.of(pair.sizes)),
            _distinct(ClassSpread.of(pair.subject_sizes)),
            {key: {"": score.value, **score.attributes} for key, score in scores.items()},
            {key: dict(score.parts) for key, score in scores.items()},
            {name: _distinct(ClassSpread.of(far)) for name, far in told_apart.items()},
            {rule.attribute.name: float(rule.t) for rule in rules},
            {name: int((values == 1).sum()) for name, values in alike.items()},
            risky.among(released, labels),
        )
        return as_row(measured)


def measure_classes(released: DataFrame, look: ClassLook) -> ClassMeasures:
    """Measure all classes of a released table that has the subject of each record, where the plan tells it."""
    names = dict.fromkeys((*class_columns(look.plan), *look.plan.demand().confidential, SUBJECT))
    key = F.pmod(class_key(released, look.plan), F.lit(parts_of(look.records)))
    keyed = released.select(*(quoted(name) for name in names if name in released.columns), key.alias(CLASSES))
    rows = keyed.groupBy(CLASSES).applyInArrow(on_tables(look), FOUND_SCHEMA)
    measured: ClassMeasures = reduce(added, collected(rows))
    return measured


def class_scores(measured: ClassMeasures) -> dict[str, Score]:
    """Return the measures of classes as scores, with those of their sizes."""
    scores = {}
    for key, values in measured.scores.items():
        pick = min if key in LEAST else max
        value = values[""] if key == "l_avg" else pick(value for name, value in values.items() if name)
        parts = dict(measured.parts[key])
        if key == "l_distinct":
            parts["classes"] = float(measured.sizes.count)
            parts |= {f"{name} alike": float(count) for name, count in measured.alike.items()}
        scores[key] = score_of(key, values | {"": value}, parts)
    return scores


def score_of(key: str, values: Mapping[str, float], parts: Mapping[str, float] | None = None) -> Score:
    """Return the score of a measure by its value for each column, and for all of them under the empty name."""
    columns = {name: value for name, value in values.items() if name}
    return Score(MEASURES[key].definition, values[""], tuple(columns), attributes=columns, parts=parts or {})
