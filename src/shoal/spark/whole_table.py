"""The whole of a Spark table as measures of its fragments must know it: means, deviations, ranges, distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from shoal.frames import Unit
from shoal.kinds import Kind
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import unit_vectors
from shoal.kinds.registry import read_column
from shoal.measures.column_pair import ColumnPair, mean_direction, total_of_categories
from shoal.measures.tables import compared_by, paired_column
from shoal.measures.whole_table import FullColumn, FullConfidential, FullTable
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect.guarantee import Distribution
from shoal.spark.column_sums import sum_columns
from shoal.spark.exchange import Addable
from shoal.spark.fit import count_values
from shoal.spark.strata import require_few_values

Vector = NDArray[np.float64]


@dataclass(eq=False)
class VectorSums(Addable):
    """What is added up of a column of numbers, dates or directions, an entry for each coordinate."""

    records: int
    observed: int
    total: Vector
    squares: Vector
    least: Vector = field(metadata={"add": np.minimum})
    greatest: Vector = field(metadata={"add": np.maximum})
    unit: Unit | None = field(metadata={"add": lambda unit, _: unit})

    @classmethod
    def of(cls, column: Column, centre: Vector | None = None) -> Self:
        """Add up the cells of some records, around a centre where it is known."""
        if column.kind.is_directional:
            values = unit_vectors(column.observed, column.spec.period)
        else:
            values = np.asarray((column.observed + column.origin)[:, None], dtype=np.float64)  # dates from 1970
        near = values if centre is None else values - centre
        return cls(
            len(column),
            len(values),
            near.sum(axis=0),
            (near**2).sum(axis=0),
            values.min(axis=0, initial=np.inf),
            values.max(axis=0, initial=-np.inf),
            column.unit if column.kind.is_date else None,
        )


def learn_whole(frame: DataFrame, recoded: DataFrame, plan: Plan) -> FullTable:
    """Learn what the measures of fragments must know of the whole table.

    ``frame``, ``recoded``: the table before and after columns were recoded: losses are counted from the one,
    confidential attributes leave as they are in the other. ``plan``: with the orders of its ordinal columns.

    Two passes over numbers, so that nothing large is subtracted from something large: means and bounds, then squares
    around the means. One count for each column of categories, and for each confidential attribute.
    """
    specs = {name: compared_by(plan, name) for name in plan.masked_names()}
    numbers = [spec for spec in specs.values() if not spec.kind.is_categorical]
    columns = {
        name: _of_categories(count_values(frame, name), spec)
        for name, spec in specs.items()
        if spec.kind.is_categorical
    }
    first = sum_columns(frame, numbers, VectorSums.of)
    centres = {name: sums.total / max(sums.observed, 1) for name, sums in first.items()}
    around = sum_columns(frame, numbers, lambda column: VectorSums.of(column, centres[column.name]))
    columns |= {name: _of_numbers(specs[name].kind, sums, centres[name]) for name, sums in around.items()}
    secret = plan.names(Role.CONFIDENTIAL)
    require_few_values(recoded, secret)
    confidential = {}
    for name in secret:
        counted = count_values(recoded, name, None)
        confidential[name] = FullConfidential.of(read_column(counted.values, compared_by(plan, name)), counted.records)
    return FullTable(columns, confidential)


def _of_numbers(kind: Kind, sums: VectorSums, centre: Vector) -> FullColumn:
    """Return a column whose missing cells stand at the mean."""
    if sums.observed == 0:
        return FullColumn(mean=centre if kind.is_directional else 0.0, unit=sums.unit)
    records = sums.records
    mean = centre + sums.total / sums.observed
    squares = float((sums.squares - sums.total**2 / sums.observed).sum())
    reach = sums.greatest - sums.least
    constant = not reach.any()
    deviation = 0.0 if constant or records < 2 else math.sqrt(max(squares, 0.0) / (records - 1))
    if not kind.is_directional:
        total = float(records - 1) if deviation else 0.0
        return FullColumn(float(mean[0]), deviation, float(reach[0]), total=total, unit=sums.unit)
    around = float(((mean - mean_direction(mean)) ** 2).sum()) * records + squares
    return FullColumn(
        mean, deviation, math.sqrt(float((reach**2).sum())), total=around / deviation**2 if deviation else 0.0
    )


def _of_categories(counted: Distribution, spec: Spec) -> FullColumn:
    records = counted.records
    pair: ColumnPair = paired_column(counted.values, counted.values, spec)
    codes: NDArray[Any] = pair.original
    total = (
        total_of_categories(np.bincount(codes, records, pair.levels).astype(np.int64), pair.kind)
        if pair.tree is None
        else pair.tree.total(codes, records.astype(np.float64))
    )
    return FullColumn(levels=pair.levels, total=total)
