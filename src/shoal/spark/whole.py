"""The whole of a Spark table as measures of its fragments must know it: means, deviations, ranges, distributions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frames import Table, Unit
from shoal.kinds import Kind
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import unit_vectors
from shoal.kinds.registry import read_column
from shoal.measures.column_pair import ColumnPair, mean_direction, total_of_categories
from shoal.measures.full_table import FullColumn, FullConfidential, FullTable
from shoal.measures.tables import compared_by, paired_column
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect.guarantee import Distribution
from shoal.spark.fields import quoted, with_longitudes
from shoal.spark.fit import count_values
from shoal.spark.shuffle import folded
from shoal.spark.strata import require_few_values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Vector = NDArray[np.float64]


@dataclass(eq=False)
class Sums:
    """What is added up of a column of numbers, dates or directions, an entry for each coordinate."""

    records: int
    observed: int
    total: Vector
    squares: Vector
    least: Vector
    greatest: Vector
    unit: Unit | None = None

    @classmethod
    def of(cls, column: Column, centre: Vector | None) -> Sums:
        """Add up the cells of some records."""
        values = _coordinates(column)
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

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.records + other.records,
            self.observed + other.observed,
            self.total + other.total,
            self.squares + other.squares,
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            self.unit,
        )


def _add_up(frame: DataFrame, plan: Plan, names: Sequence[str], centres: Mapping[str, Vector]) -> dict[str, Sums]:
    """Add up columns of numbers, dates or directions, around a centre where it is known."""

    def look(records: pa.Table) -> dict[str, Sums]:
        table = Table.of(records)
        return {name: Sums.of(read_column(table, compared_by(plan, name)), centres.get(name)) for name in names}

    sums = folded(frame.select(*map(quoted, with_longitudes(plan, names))), look)
    assert sums is not None, "there are records"
    return sums


def _coordinates(column: Column) -> Vector:
    """Return the observed cells as numbers, (n, 1), dates from 1970; of directions as unit vectors."""
    if column.kind.is_directional:
        return unit_vectors(column.observed, column.spec.period)
    return np.asarray((column.observed + column.origin)[:, None], dtype=np.float64)


def learn_whole(frame: DataFrame, recoded: DataFrame, plan: Plan) -> FullTable:
    """Learn what the measures of fragments must know of the whole table.

    ``frame``, ``recoded``: the table before and after columns were recoded: losses are counted from the one,
    confidential attributes leave as they are in the other. ``plan``: with the orders of its ordinal columns.

    Two passes over numbers, so that nothing large is subtracted from something large: means and bounds, then squares
    around the means. One count for each column of categories, and for each confidential attribute.
    """
    specs = {name: compared_by(plan, name) for name in plan.masked_names()}
    numbers = tuple(name for name, spec in specs.items() if not spec.kind.is_categorical)
    columns = {name: _of_categories(count_values(frame, name), specs[name]) for name in specs if name not in numbers}
    if numbers:
        centres = {name: sums.total / max(sums.observed, 1) for name, sums in _add_up(frame, plan, numbers, {}).items()}
        around = _add_up(frame, plan, numbers, centres)
        columns |= {name: _of_numbers(specs[name].kind, sums, centres[name]) for name, sums in around.items()}
    secret = plan.names(Role.CONFIDENTIAL)
    require_few_values(recoded, secret)
    confidential = {}
    for name in secret:
        counted = count_values(recoded, name, None)
        confidential[name] = FullConfidential.of(read_column(counted.values, compared_by(plan, name)), counted.records)
    return FullTable(columns, confidential)


def _of_numbers(kind: Kind, sums: Sums, centre: Vector) -> FullColumn:
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
