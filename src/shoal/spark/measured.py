"""Measured: every measure of a release on Spark, exact where it adds up, on a sample where it needs neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as T

from shoal.measures import MEASURES, Score
from shoal.measures.full_table import WholeTable
from shoal.measures.squared_error import percent
from shoal.plan import Plan
from shoal.recode import RECODINGS
from shoal.report.group_histograms import ClassSpread
from shoal.spark.class_measures import class_scores, measure_classes
from shoal.spark.fields import before_recoding
from shoal.spark.mask import Counted
from shoal.spark.paired import PairedLook, averages, collect_paired
from shoal.spark.report_statistics import Evidence
from shoal.spark.sampled_measures import sampled_measures
from shoal.spark.whole import learn_whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.spark.judge import Verdict

SAMPLE_RECORDS = 1 << 14
"""Records of the sample that is compared record by record, about."""


@dataclass(frozen=True, eq=False)
class Measuring:
    """What a run needs to measure what it does.

    Parameters
    ----------
    before, recoded
        The table that came in, before and after columns were recoded.
    plan
        What is asked, without recodings, and with the order of every ordinal column.
    whole
        Of the whole table.
    records
        How many there are.
    """

    before: DataFrame = field(repr=False)
    recoded: DataFrame = field(repr=False)
    plan: Plan
    whole: WholeTable = field(repr=False)
    records: int

    @classmethod
    def of(cls, table: DataFrame, plan: Plan, records: int) -> Measuring:
        """Learn what must be known of the whole table beforehand."""
        before, bare = before_recoding(table), unrecoded(plan)
        return cls(before, table, bare, learn_whole(before, table, bare), records)

    @property
    def look(self) -> PairedLook:
        """What looks at records beside their originals."""
        return PairedLook(self.plan, self.whole, SAMPLE_RECORDS / self.records)

    def evidence(self, settled: DataFrame, counted: Counted, subjects: int | None) -> Evidence:
        """Measure a masked table that still has its subjects."""
        paired = collect_paired(settled)
        days = tuple(each.name for each in settled.schema.fields if isinstance(each.dataType, T.DateType))
        classes = measure_classes(settled, self.plan, counted, self.whole.confidential, days, self.records)
        scores = {**self._losses(averages(paired)), **self._sizes(classes.subject_sizes)}
        scores |= class_scores(classes)
        scores |= sampled_measures(paired.originals, paired.releases, self.plan, self.records, scores)
        ordered = {key: scores[key] for key in MEASURES if key in scores}
        return Evidence(self.before, self.recoded, self.plan, paired, classes, ordered, subjects)

    def _losses(self, found: Any) -> dict[str, Score]:
        scores = {
            key: Score(
                MEASURES[key].definition,
                parts[""],
                tuple(name for name in parts if name),
                attributes={name: value for name, value in parts.items() if name},
            )
            for key, parts in found.items()
        }
        errors = scores["sse"].attributes
        totals = {name: self.whole.columns[name].total for name in errors}
        attributes = {name: percent(errors[name], totals[name]) for name in errors}
        value = percent(math.fsum(errors.values()), math.fsum(totals.values()))
        for key, times in (("il_percent", 1.0), ("d_x", 0.01)):
            parts = {name: share * times for name, share in attributes.items()}
            scores[key] = Score(MEASURES[key].definition, value * times, tuple(errors), attributes=parts)
        return scores

    def _sizes(self, sizes: ClassSpread) -> dict[str, Score]:
        names = tuple(self.whole.columns)
        mean = float(sizes.values @ sizes.classes) / sizes.count
        return {
            "k_min": Score(MEASURES["k_min"].definition, float(sizes.values.min()), names),
            "k_prime": Score(MEASURES["k_prime"].definition, mean, names),
        }


def unrecoded(plan: Plan) -> Plan:
    """Return the plan of a table whose columns are recoded already."""
    if not plan.recodings():
        return plan
    values = plan.to_dict()
    for name, keys in plan.recodings().items():
        kept = {key: value for key, value in values["attributes"][name].items() if key not in RECODINGS}
        kind = {"kind": "numeric"} if "relative_to" in keys else {}
        values["attributes"][name] = {**kept, **kind}
    return Plan.from_mapping(values)


def in_manifest(evidence: Evidence, verdict: Verdict) -> dict[str, Any]:
    """Return the measures of a release as its manifest tells them."""
    scores = evidence.scores
    return {
        "sse": scores["sse"].value,
        "il_percent": scores["il_percent"].value,
        "il_percent_by_attribute": dict(scores["il_percent"].attributes),
        "k_min": verdict.fewest,
        "classes": verdict.classes,
        "class_size": {
            "smallest": verdict.smallest,
            "mean": verdict.records / verdict.classes,
            "largest": verdict.largest,
        },
        **({"emd_max": scores["emd_max"].value} if "emd_max" in scores else {}),
        "scores": {key: score.to_dict(groups=False) for key, score in scores.items()},
    }
