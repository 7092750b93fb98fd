"""Joined fragments: where one cannot keep what is asked by itself, it goes together with its neighbour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.protect import asked
from shoal.spark.fields import FRAGMENT, SUBJECT, on_tables, quoted
from shoal.spark.mask import Known

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ABLE = "__shoal_able"


@dataclass(frozen=True, eq=False)
class FragmentCheck:
    """Says whether the records of a fragment, all in one group or all of a domain, keep every rule."""

    plan: Plan
    known: Known

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Return the number of the fragment, and the verdict."""
        number = fragment[FRAGMENT][0].as_py()
        table = Table.of(fragment.drop_columns([name for name in (FRAGMENT, SUBJECT) if name in fragment.column_names]))
        whole = self.known.whole()
        demand = self.plan.demand()
        domains = None if self.plan.by is None else np.unique(table.class_codes(self.plan.by), return_inverse=True)[1]
        demand = replace(demand, distributions=whole.distributions)
        able = True
        for guarantee in asked(demand):
            if not any(name in whole.distributions for name in demand.confidential) or not guarantee.section:
                continue
            try:
                guarantee.require_feasible(demand, guarantee.rules(demand, table), domains)
            except GuaranteeError:
                able = False
        return pa.table({FRAGMENT: [number], ABLE: [able]})


def unable_fragments(assigned: DataFrame, plan: Plan, known: Known) -> NDArray[np.int64]:
    """Return the fragments that cannot keep what is asked of confidential attributes, by one job of Spark."""
    names = [*known.counted, *([] if plan.by is None or plan.by in known.counted else [plan.by])]
    schema = T.StructType([T.StructField(FRAGMENT, T.LongType()), T.StructField(ABLE, T.BooleanType())])
    checked = (
        assigned.select(*map(quoted, names), FRAGMENT)
        .groupBy(FRAGMENT)
        .applyInArrow(on_tables(FragmentCheck(plan, known)), schema)
        .where(~F.col(ABLE))
    )
    return np.array(sorted(row[FRAGMENT] for row in checked.collect()), dtype=np.int64)


def join(numbers: NDArray[np.int64], unable: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of every fragment with each unable one joined to the next, or the last to the one before.

    Examples
    --------
    >>> join(np.arange(4), np.array([1, 3])).tolist()
    [0, 1, 1, 1]
    """
    present = np.unique(numbers)
    joined = numbers.copy()
    for fragment in unable:
        place = int(np.searchsorted(present, fragment))
        other = present[place + 1] if place + 1 < len(present) else present[place - 1]
        joined[joined == joined[np.flatnonzero(numbers == other)[0]]] = joined[np.flatnonzero(numbers == fragment)[0]]
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def renumbered(assigned: DataFrame, numbers: NDArray[np.int64]) -> DataFrame:
    """Return the table with other numbers of fragments."""
    if (numbers == np.arange(len(numbers))).all():
        return assigned
    lookup = F.array(*(F.lit(int(number)) for number in numbers))
    return assigned.withColumn(FRAGMENT, F.element_at(lookup, (F.col(FRAGMENT) + 1).cast("int")).cast("long"))
