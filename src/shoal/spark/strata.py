"""Strata: the confidential attribute cut by its rank in the whole table, so that fragments are alike in it.

Where each fragment holds equally many records of each stratum, one record of each stratum is a sample of the whole
table, wherever the fragment lies: docs/spark.md has the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shoal.errors import DataError
from shoal.plan import Plan
from shoal.plan.registered_keys import CLOSENESS
from shoal.protect import Confidential, asked
from shoal.protect.confidential_guarantee import ConfidentialGuarantee, protected_names
from shoal.protect.guarantee import Distribution
from shoal.protect.strata import strata_count, subset_sizes
from shoal.spark.fields import aggregates, comparable_cells, quoted, sortable_cells
from shoal.spark.fit import count_values

MOST_VALUES = 50_000_000
"""Different values of a confidential attribute whose counts every worker can hold."""
MOST_STRATA = 64
"""Strata for a guarantee that does not say how many it needs."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Which stratum the value of a record is in.

    A value whose records reach from one stratum into the next is a stratum of its own: they are alike, so that whoever
    draws one of them has drawn from both.
    """

    name: str  # the confidential column
    values: pa.Array  # its different values, in ascending order, a missing one last
    stratum: NDArray[np.int64]  # the stratum of each of them, numbered in the order of their ranks

    @property
    def count(self) -> int:
        """How many strata there are."""
        return int(self.stratum.max(initial=0)) + 1

    @classmethod
    def of(cls, name: str, values: pa.Array, attribute: Confidential, count: int) -> Strata:
        """Cut the values of an attribute, whose codes are given for each of them, into so many strata of its records.

        Examples
        --------
        >>> pay = Confidential.ordered([1.0, 2.0, 3.0, 4.0])
        >>> Strata.of("pay", pa.array([1.0, 2.0, 3.0, 4.0]), pay, 2).stratum.tolist()
        [0, 0, 1, 1]
        """
        ends = np.cumsum(attribute.counts)
        borders = np.cumsum(subset_sizes(int(ends[-1]), count))
        low = np.searchsorted(borders, ends - attribute.counts, side="right")
        high = np.searchsorted(borders, np.maximum(ends - 1, ends - attribute.counts), side="right")
        starts_anew = np.ones(attribute.levels, dtype=np.bool_)
        starts_anew[1:] = (low[1:] != high[:-1]) | (low[1:] != high[1:]) | (low[:-1] != high[:-1])
        return cls(name, values, (np.cumsum(starts_anew) - 1)[attribute.codes])

    def bounds(self) -> Strata:
        """Return the same of an ordered attribute, told by the first value of each stratum alone."""
        first = np.flatnonzero(np.diff(self.stratum, prepend=-1))
        return Strata(self.name, self.values.take(pa.array(first)), self.stratum[first])

    def locate(self, column: pa.ChunkedArray) -> NDArray[np.int64]:
        """Return the stratum of each record by its value."""
        column = comparable_cells(column)
        if not _is_ordered(column.type):
            place = pc.index_in(column, value_set=self.values).to_numpy(zero_copy_only=False)
            return np.asarray(self.stratum[place.astype(np.int64)])
        gone = column.is_null().to_numpy()
        present = _sortable(self.values.drop_null())
        numbers = _sortable(column).fill_null(present[0]).cast(present.type).to_numpy()
        place = np.searchsorted(present.to_numpy(zero_copy_only=False), numbers, side="right") - 1
        return np.asarray(self.stratum[np.where(gone, len(self.values) - 1, place)])


def _is_ordered(kind: pa.DataType) -> bool:
    tests = (pa.types.is_floating, pa.types.is_integer, pa.types.is_temporal, pa.types.is_decimal, pa.types.is_boolean)
    return any(test(kind) for test in tests)


def _sortable(values: Any) -> Any:
    """Return numbers that sort as the values do, for types that NumPy has none of."""
    return values.cast(pa.float64()) if pa.types.is_decimal(values.type) else sortable_cells(values)


def distributions(frame: DataFrame, plan: Plan) -> dict[str, Distribution]:
    """Count the values of every confidential attribute that a guarantee speaks of."""
    demand = plan.demand()
    names = dict.fromkeys(
        name
        for guarantee in asked(demand)
        if isinstance(guarantee, ConfidentialGuarantee)
        for name in protected_names(demand.sections[guarantee.section], demand.confidential)
    )
    require_few_values(frame, tuple(names))
    return {name: count_values(frame, name, None) for name in names}


def require_few_values(frame: DataFrame, names: Sequence[str]) -> None:
    """Refuse confidential attributes with more different values than every worker can hold."""
    about = aggregates(frame, [F.approx_count_distinct(quoted(name)) for name in names])
    for name, values in zip(names, about, strict=True):
        if values > MOST_VALUES:
            raise DataError(
                f"confidential column {name!r} has about {values:,} different values, more than the {MOST_VALUES:,} "
                "that every worker can hold: round it by round_to"
            )


def strata_of(plan: Plan, counted: Mapping[str, Distribution], fragment: int) -> Strata | None:
    """Return the strata of the leading confidential attribute for fragments of so many records.

    None where no guarantee speaks of one.
    """
    if not counted:
        return None
    demand = replace(plan.demand(), distributions=counted)
    guarantees = [g for g in asked(demand) if isinstance(g, ConfidentialGuarantee)]
    leading = min(guarantees, key=lambda guarantee: guarantee.section != CLOSENESS)
    name = protected_names(demand.sections[leading.section], demand.confidential)[0]
    values = counted[name].values
    rule: Any = leading.rules(demand, values)[0]
    attribute = rule.attribute
    count = MOST_STRATA
    if leading.section == CLOSENESS:
        count = strata_count(_resized(attribute, fragment), plan.k, rule.t)
    strata = Strata.of(name, values.data[name].combine_chunks(), attribute, min(count, attribute.table_size))
    return strata.bounds() if demand.confidential[name].kind.is_continuous else strata


def _resized(attribute: Confidential, records: int) -> Confidential:
    """Return as many records of an attribute as a fragment has, distributed as in the table."""
    ends = np.cumsum(attribute.counts)
    places = (np.arange(records) * 2 + 1) * int(ends[-1]) // (2 * records)
    return replace(attribute, codes=np.searchsorted(ends, places, side="right").astype(np.int32))
