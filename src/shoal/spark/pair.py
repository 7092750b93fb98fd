"""Paired: what is added up in a fragment, where records still stand beside their originals, and a sample of both."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from shoal.frames import Table
from shoal.measures import MEASURES, compute
from shoal.measures.full_table import FullTable
from shoal.measures.tables import pair_tables
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.report.categorical import Codes
from shoal.report.continuous import changed_records
from shoal.report.table_statistics import column_pairs
from shoal.spark.fields import LOSS
from shoal.spark.fold import added

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SUMMED = "sse"
"""The measure that adds up over fragments."""
AVERAGED = ("normalised_sse", "mse", "mae", "il1s", "id_sd")
"""Measures that are means over records, so that those of fragments average by their sizes."""


@dataclass(eq=False)
class Paired:
    """What was found of some records beside their originals.

    Parameters
    ----------
    records
        How many there are.
    sums
        By measure, what it adds up of each column; under the empty name, of all.
    changed
        Records that have another value than before, by column.
    originals, releases
        A sample, in whole classes: records before, and the same records after.
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
