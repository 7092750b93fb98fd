"""Every measure of a release on Spark: exact where it adds up, on a sample of whole classes where it does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shoal.frames import Table
from shoal.measures import MEASURES, Score, compute
from shoal.measures.squared_error import percent
from shoal.measures.tables import pair_tables
from shoal.measures.whole_table import FullTable
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.protect.guarantee import Distribution
from shoal.recode import RECODINGS
from shoal.report.categorical import Codes
from shoal.report.continuous import changed_records
from shoal.report.group_histograms import ClassSpread
from shoal.report.table_statistics import column_pairs
from shoal.spark.class_measures import ClassLook, class_scores, measure_classes, score_of
from shoal.spark.exchange import Addable, added, collected
from shoal.spark.fields import LOSS, before_recoding
from shoal.spark.judge import Verdict
from shoal.spark.report_statistics import Evidence
from shoal.spark.whole_table import learn_whole

PARTS = 10
"""Parts of a sample that are left out in turn."""
_STUDENT = 2.262
"""The quantile 0.975 of Student's distribution with nine degrees of freedom."""


def sampled_measures(
    originals: pa.Table, releases: pa.Table, plan: Plan, records: int, without: Iterable[str]
) -> dict[str, Score]:
    """Measure sampled records before and after, in whole classes, by what is not known of the whole table; say so.

    The interval is that of a jackknife that leaves out a tenth of the classes at a time (Kott 2001). A sample has fewer
    neighbours than the table, so that records are linked in it rather more often than among all.
    """
    exact = set(without)
    classes = released_classes(Table.of(releases), plan.demand())
    scores = _measured(originals, releases, plan, exact)
    if len(classes) >= records:
        return scores
    rng = np.random.default_rng(plan.seed)
    part = rng.permutation(np.arange(int(classes.max()) + 1) % PARTS)[classes]
    replicates = [
        _measured(originals.take(rows), releases.take(rows), plan, exact)
        for rows in (pa.array(np.flatnonzero(part != number)) for number in range(PARTS))
    ]
    said = f" Estimated on a seeded sample of {len(classes):,} of {records:,} records, in whole classes."
    return {
        key: replace(
            score,
            definition=replace(score.definition, text=score.definition.text + said),
            interval=_interval(score, np.array([each[key].value for each in replicates])),
            groups={},
        )
        for key, score in scores.items()
    }


def _measured(originals: pa.Table, releases: pa.Table, plan: Plan, without: set[str]) -> dict[str, Score]:
    pair = pair_tables(Table.of(originals), Table.of(releases), plan)
    pair = replace(pair, labels=released_classes(Table.of(releases), plan.demand()))
    keys = [key for key, each in MEASURES.items() if key not in without and each.definition.applies(pair)]
    return compute(pair, keys)


def _interval(score: Score, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the interval of a delete-a-group jackknife, inside the range of the measure."""
    error = math.sqrt((PARTS - 1) / PARTS * float(((values - values.mean()) ** 2).sum()))
    low, high = score.value - _STUDENT * error, score.value + _STUDENT * error
    return max(low, score.definition.low), min(high, score.definition.high)


SAMPLE_RECORDS = 1 << 14
"""Records of the sample that is compared record by record, about."""


@dataclass(frozen=True, eq=False)
class Measuring:
    """What a run needs to measure what it does: the table before columns were recoded, and a plan without recodings."""

    before: DataFrame = field(repr=False)
    plan: Plan
    whole: FullTable = field(repr=False)
    records: int

    @classmethod
    def of(cls, table: DataFrame, plan: Plan, records: int) -> Measuring:
        """Learn what must be known of the whole table beforehand."""
        before, bare = before_recoding(table), unrecoded(plan)
        return cls(before, bare, learn_whole(before, table, bare), records)

    @property
    def look(self) -> PairedLook:
        """What looks at records beside their originals."""
        return PairedLook(self.plan, self.whole, SAMPLE_RECORDS / self.records)

    def evidence(self, settled: DataFrame, counted: Mapping[str, Distribution], subjects: int | None) -> Evidence:
        """Measure a masked table that still has its subjects."""
        parts: list[Paired] = collected(settled.where(F.col(LOSS).isNotNull()).select(LOSS))
        # In an order of their own, so that sums do not depend on which task ended first.
        paired = reduce(added, sorted(parts, key=lambda part: (part.records, sorted(part.sums[SUMMED].items()))))
        classes = measure_classes(settled, ClassLook(self.plan, counted, self.whole.confidential, self.records))
        scores = {**self._losses(paired), **self._sizes(classes.subject_sizes), **class_scores(classes)}
        scores |= sampled_measures(paired.originals, paired.releases, self.plan, self.records, scores)
        ordered = {key: scores[key] for key in MEASURES if key in scores}
        return Evidence(self.before, self.plan, paired, classes, ordered, subjects)

    def _losses(self, paired: Paired) -> dict[str, Score]:
        scores = {}
        for key, sums in paired.sums.items():
            records = 1 if key == SUMMED else paired.records
            scores[key] = score_of(key, {name: value / records for name, value in sums.items()})
        errors = scores[SUMMED].attributes
        totals = {name: self.whole.columns[name].total for name in errors}
        shares = {name: percent(errors[name], totals[name]) for name in errors}
        shares[""] = percent(math.fsum(errors.values()), math.fsum(totals.values()))
        for key, times in (("il_percent", 1.0), ("d_x", 0.01)):
            scores[key] = score_of(key, {name: share * times for name, share in shares.items()})
        return scores

    def _sizes(self, sizes: ClassSpread) -> dict[str, Score]:
        mean = float(sizes.values @ sizes.classes) / sizes.count
        values = {"k_min": float(sizes.values.min()), "k_prime": mean}
        return {key: Score(MEASURES[key].definition, value, tuple(self.whole.columns)) for key, value in values.items()}


def unrecoded(plan: Plan) -> Plan:
    """Return the plan of a table whose columns are recoded already."""
    if not plan.recodings():
        return plan
    attributes = plan.to_dict()["attributes"]
    for name, keys in plan.recodings().items():
        bare = {key: value for key, value in attributes[name].items() if key not in RECODINGS}
        attributes[name] = bare | ({"kind": "numeric"} if "relative_to" in keys else {})
    return plan.replace(attributes=attributes)


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


SUMMED = "sse"
"""The measure that adds up over fragments."""
AVERAGED = ("normalised_sse", "mse", "mae", "il1s", "id_sd")
"""Measures that are means over records, so that those of fragments average by their sizes."""


@dataclass(eq=False)
class Paired(Addable):
    """What was found of some records beside their originals."""

    records: int  # how many there are
    sums: dict[str, dict[str, float]]  # by measure, what it adds up of each column; under the empty name, of all
    changed: dict[str, int]  # records that have another value than before, by column
    originals: pa.Table = field(repr=False)  # a sample, in whole classes: records before,
    releases: pa.Table = field(repr=False)  # and the same records after


@dataclass(frozen=True, eq=False)
class PairedLook:
    """Looks at records of fragments beside their originals, in units of the whole table; samples a share of classes."""

    plan: Plan
    whole: FullTable
    share: float

    def __call__(self, original: Table, released: Table) -> Paired:
        """Return what is found of records as they came, and as they leave."""
        pair = pair_tables(original, released, self.plan, full=self.whole)
        records = len(original)
        keys = [key for key in (SUMMED, *AVERAGED) if MEASURES[key].definition.applies(pair)]
        sums = {}
        for key, score in compute(pair, keys).items():
            times = 1 if key == SUMMED else records
            sums[key] = {name: value * times for name, value in {"": score.value, **score.attributes}.items()}
        pairs = column_pairs(original, released, self.plan)
        changed = {x.name: changed_records(x, y) if x.kind.is_continuous else Codes.of(x, y).changed for x, y in pairs}
        rows = pa.array(self._sampled(released))
        return Paired(records, sums, changed, original.data.take(rows), released.data.take(rows))

    def _sampled(self, released: Table) -> NDArray[np.int64]:
        """Return the rows of the classes that a hash of what they look like chooses, wherever they were masked."""
        if self.share >= 1:
            return np.arange(len(released))
        demand = self.plan.demand()
        classes = released_classes(released, demand)
        first = np.unique(classes, return_index=True)[1]
        looks = released.data.select(list(demand.quasi_identifiers)).take(pa.array(first)).to_pylist()
        taken = [_uniform(str(list(look.values())), self.plan.seed) < self.share for look in looks]
        return np.flatnonzero(np.array(taken, dtype=np.bool_)[classes])


def _uniform(text: str, seed: int) -> float:
    """Return a number from 0 to 1 that a text draws."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=(seed % 2**64).to_bytes(8, "big"))
    return int.from_bytes(digest.digest(), "big") / 2**64
