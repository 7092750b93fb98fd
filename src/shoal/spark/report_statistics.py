"""Statistics of a release on Spark for its report: the same objects as on one machine, counted by Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.attacks import Attempts
from shoal.kinds import Kind, Missing
from shoal.kinds.registry import read_column
from shoal.measures import Score
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.report.attempts import attempts_on
from shoal.report.categorical import MISSING, Codes, JointCodes
from shoal.report.continuous import Continuous
from shoal.report.correlations import drift_of
from shoal.report.report_data import Drift, RecodingRow
from shoal.report.report_statistics import ReleaseStatistics, Statistics, SubjectCount
from shoal.run.release import Guarantees, Manifest, Partition, Release
from shoal.spark.fields import quoted
from shoal.spark.fit import count_values
from shoal.spark.spreads import NumberColumns, correlations_of

if TYPE_CHECKING:
    from shoal.spark.class_measures import ClassMeasures
    from shoal.spark.measures import Paired

NO_ORDER = "the rows of a table of Spark have no order that could tell"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a run on Spark kept for measures and reports: statistics, and a sample of records."""

    before: DataFrame = field(repr=False)  # the table that came in, before columns were recoded
    plan: Plan  # what was asked, without recodings, and with the order of every ordinal column
    paired: Paired = field(repr=False)  # what was found where records stood beside their originals,
    classes: ClassMeasures = field(repr=False)  # and class by class
    scores: Mapping[str, Score] = field(repr=False)  # every measure
    subjects: int | None = None  # how many there are, where the plan names them

    def statistics(
        self, released: DataFrame, plan: Plan, attacks: Sequence[str], recoding: tuple[RecodingRow, ...]
    ) -> Statistics:
        """Return everything that an internal report is made of; attacks are tried against the sampled records."""
        subject = plan.subject_column()
        columns = ReportColumns(self.before, released, self.plan, self.paired.changed)
        sampled, records = self.paired.releases.num_rows, self.paired.records
        return Statistics(
            names=tuple(released.columns),
            records=records,
            subjects=None if subject is None or self.subjects is None else SubjectCount(subject, self.subjects),
            columns=columns.spreads(),
            drift=columns.drift(),
            scores=self.scores,
            sizes=self.classes.sizes,
            subject_sizes=None if subject is None else self.classes.subject_sizes,
            distances=self.classes.distances,
            limits=self.classes.limits,
            riskiest=self.classes.riskiest,
            attempts=self._attempts(plan, attacks),
            recoding=recoding,
            notes=() if sampled >= records else (_sample_sentence(sampled, records),),
        )

    def release_statistics(self, released: DataFrame, plan: Plan) -> ReleaseStatistics:
        """Return what the released table shows by itself; of its measures and classes the run has counted all."""
        subject = plan.subject_column()
        hidden = subject is not None and subject not in released.columns
        follows = ("release",) if hidden else ("release", "subjects")
        unchanged = dict.fromkeys(self.paired.changed, 0)
        return ReleaseStatistics(
            names=tuple(released.columns),
            records=self.paired.records,
            columns=ReportColumns(released, released, self.plan, unchanged).spreads(),
            scores={key: score for key, score in self.scores.items() if score.definition.external in follows},
            sizes=self.classes.sizes,
            subject_sizes=None if subject is None or hidden else self.classes.subject_sizes,
            distances=self.classes.distances,
            limits=self.classes.limits,
        )

    def _attempts(self, plan: Plan, attacks: Sequence[str]) -> Attempts | None:
        """Try attacks on the sample."""
        if not attacks:
            return None
        none = np.empty(0, dtype=np.int64)
        # The rows of a sample come in an order of our own: what it tells is nobody's to see.
        order = np.random.default_rng(plan.seed).permutation(self.paired.releases.num_rows)
        sample = self.paired.releases.take(pa.array(order))
        release = Release(sample, none, Guarantees(()), Manifest({}), Partition((), none), order)
        possible = [key for key in attacks if key != "row_order"]
        attempts = attempts_on(self.paired.originals, release, self.plan, possible)
        attempts = Attempts(()) if attempts is None else attempts
        skipped = {"row_order": NO_ORDER} if "row_order" in attacks else {}
        return replace(attempts, skipped={**skipped, **attempts.skipped})


def _sample_sentence(sampled: int, records: int) -> str:
    return (
        f"Counts, distributions, classes and losses are those of all {records:,} records. What needs the neighbours of "
        f"a record, as linkage and the attacks do, was tried on a seeded sample of {sampled:,}, in whole classes: "
        "there are fewer neighbours in it than in the table."
    )


@dataclass(frozen=True, eq=False)
class ReportColumns:
    """Quasi-identifiers and confidential attributes before and after, as a report asks for them."""

    before: DataFrame
    after: DataFrame
    plan: Plan
    changed: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """Those that a report shows."""
        return (*self.plan.names(Role.QUASI_IDENTIFIER), *self.plan.names(Role.CONFIDENTIAL))

    def _kind(self, name: str) -> Kind:
        return self.plan.spec(name).kind.in_files

    @cached_property
    def sides(self) -> tuple[NumberColumns, NumberColumns]:
        """The columns of numbers and dates in both tables."""
        numbers = tuple(name for name in self.names if self._kind(name).is_continuous)
        return NumberColumns(self.before, numbers), NumberColumns(self.after, numbers)

    @cached_property
    def codes(self) -> Mapping[str, Codes]:
        """The columns of categories."""
        return {name: self._codes(name) for name in self.names if not self._kind(name).is_continuous}

    def spreads(self) -> tuple[Continuous | Codes, ...]:
        """Return how every column is spread."""
        return tuple(self.codes[name] if name in self.codes else self._numbers(name) for name in self.names)

    def _numbers(self, name: str) -> Continuous:
        before, after = self.sides
        return Continuous(
            name,
            self._kind(name),
            before.is_whole(name),
            before.is_days(name),
            before.spread(name),
            after.spread(name),
            (before.facts[name].missing, after.facts[name].missing),
            self.changed[name],
        )

    def _codes(self, name: str) -> Codes:
        spec = replace(self.plan.spec(name), missing=Missing.IMPUTE)
        sides = [count_values(self.before, name), count_values(self.after, name)]
        before = read_column(sides[0].values, replace(spec, generalized=self.before is self.after))
        after = read_column(sides[1].values, replace(spec, generalized=True))
        codes = JointCodes.of(before, after)
        counts = [
            np.bincount(places, side.records, len(codes.labels))
            for places, side in zip((codes.before, codes.after), sides, strict=True)
        ]
        return Codes(name, spec.kind, codes.labels, np.array(counts, dtype=np.int64), self.changed[name])

    def drift(self) -> Drift | None:
        """Return how correlations of the columns that have an order moved; None of fewer than two."""
        names = tuple(name for name in self.names if not self._kind(name).is_nominal)
        if len(names) < 2:
            return None
        correlations = []
        for place, side in enumerate(self.sides):
            columns = {name: self._rank(name) if name in self.codes else side.expression(name) for name in names}
            means = {name: self._mean(name, place) for name in names}
            correlations.append(correlations_of(side.frame, columns, means))
        return drift_of(names, *correlations)

    def _mean(self, name: str, place: int) -> float | None:
        """Return the mean of a column on one side, of categories that of their ranks; None where it is constant."""
        if name not in self.codes:
            facts = self.sides[place].facts[name]
            return None if facts.constant else facts.mean
        counts = self.codes[name].counts[place][:-1]
        return float(np.arange(len(counts)) @ counts / counts.sum()) if (counts > 0).sum() > 1 else None

    def _rank(self, name: str) -> Column:
        """Return the place of a category among the labels, as a number."""
        labels = [label for label in self.codes[name].labels if label != MISSING]
        ranks: Any = F.create_map(*(part for i, label in enumerate(labels) for part in (F.lit(label), F.lit(float(i)))))
        return ranks[F.col(quoted(name)).cast("string")] if labels else F.lit(None).cast("double")
