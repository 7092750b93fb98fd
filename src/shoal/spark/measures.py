"""Every measure of a release on Spark: exact where it adds up, on a sample of whole classes where it does not."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from shoal.frames import Table
from shoal.measures import MEASURES, Score, compute
from shoal.measures.full_table import FullTable
from shoal.measures.squared_error import percent
from shoal.measures.tables import pair_tables
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.protect.guarantee import Distribution
from shoal.recode import RECODINGS
from shoal.report.categorical import Codes
from shoal.report.continuous import changed_records
from shoal.report.group_histograms import ClassSpread
from shoal.report.table_statistics import column_pairs
from shoal.spark.class_measures import class_scores, measure_classes
from shoal.spark.fields import LOSS, before_recoding
from shoal.spark.report_statistics import Evidence
from shoal.spark.shuffle import added
from shoal.spark.whole import learn_whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.spark.judge import Verdict

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
    known = set(without)
    classes = released_classes(Table.of(releases), plan.demand())
    scores = _measured(originals, releases, plan, known)
    if len(classes) >= records:
        return scores
    rng = np.random.default_rng(plan.seed)
    part = rng.permutation(np.arange(int(classes.max()) + 1) % PARTS)[classes]
    replicates = [
        _measured(originals.take(rows), releases.take(rows), plan, known)
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
        paired = collect_paired(settled)
        classes = measure_classes(settled, self.plan, counted, self.whole.confidential, self.records)
        scores = {**self._losses(averages(paired)), **self._sizes(classes.subject_sizes)}
        scores |= class_scores(classes)
        scores |= sampled_measures(paired.originals, paired.releases, self.plan, self.records, scores)
        ordered = {key: scores[key] for key in MEASURES if key in scores}
        return Evidence(self.before, self.plan, paired, classes, ordered, subjects)

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


SUMMED = "sse"
"""The measure that adds up over fragments."""
AVERAGED = ("normalised_sse", "mse", "mae", "il1s", "id_sd")
"""Measures that are means over records, so that those of fragments average by their sizes."""


@dataclass(eq=False)
class Paired:
    """What was found of some records beside their originals.

    ``records``: how many there are. ``sums``: by measure, what it adds up of each column; under the empty name, of all.
    ``changed``: records that have another value than before, by column. ``originals``, ``releases``: a sample, in whole
    classes: records before, and the same records after.
    """

    records: int
    sums: dict[str, dict[str, float]]
    changed: dict[str, int]
    originals: pa.Table = field(repr=False)
    releases: pa.Table = field(repr=False)

    def __add__(self, other: Paired) -> Paired:
        return Paired(
            self.records + other.records,
            added(self.sums, other.sums),
            added(self.changed, other.changed),
            pa.concat_tables([self.originals, other.originals]),
            pa.concat_tables([self.releases, other.releases]),
        )


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
        rows = pa.array(self._sampled(released))
        return Paired(
            records, sums, self._changed(original, released), original.data.take(rows), released.data.take(rows)
        )

    def _changed(self, original: Table, released: Table) -> dict[str, int]:
        return {
            before.name: changed_records(before, after)
            if before.kind.is_continuous
            else Codes.of(before, after).changed
            for before, after in column_pairs(original, released, self.plan)
        }

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


def in_one_row(found: Paired, records: int) -> pa.Array:
    """Return what was found as a column of so many rows, in the first of them."""
    return pa.array([pickle.dumps(found), *[None] * (records - 1)], type=pa.binary())


def collect_paired(settled: DataFrame) -> Paired:
    """Add up what the fragments found."""
    rows = settled.where(F.col(LOSS).isNotNull()).select(LOSS).collect()
    parts: list[Paired] = [pickle.loads(row[LOSS]) for row in rows]
    # In an order of their own, so that sums do not depend on which task ended first.
    return reduce(added, sorted(parts, key=lambda part: (part.records, sorted(part.sums[SUMMED].items()))))


def averages(found: Paired) -> Mapping[str, dict[str, float]]:
    """Return the measures by key, of all columns under the empty name."""
    return {
        key: {name: value if key == SUMMED else value / found.records for name, value in parts.items()}
        for key, parts in found.sums.items()
    }
