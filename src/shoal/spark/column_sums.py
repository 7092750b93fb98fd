"""Moments and mean directions of columns, added up as whole numbers: the same in whichever order records come."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.frames import Table
from shoal.kinds import Missing, Scale
from shoal.kinds.column import Column as Cells
from shoal.kinds.column import Spec
from shoal.kinds.direction import Directional, unit_vectors
from shoal.kinds.registry import read_column
from shoal.scaling import Scaling
from shoal.spark.exchange import Addable, folded
from shoal.spark.fields import aggregates_of_each, quoted

_BITS = 30
"""Values and coordinates are told in steps of 2⁻³⁰: sums of a few thousand million of them fit 64 bits."""
_STEPS = 1 << _BITS


@dataclass(frozen=True)
class Bounds:
    """How many cells of a column are there, and what they lie between."""

    observed: int
    missing: int
    infinite: int
    least: float | int | None
    greatest: float | int | None


@dataclass(frozen=True)
class Moments:
    """Mean and deviation (n − 1) of a column told on [0, 1] between its bounds."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, count: int, total: int, squares: int) -> Moments:
        """Return them from the sums of whole steps and of their squares."""
        centred = Fraction(squares) - Fraction(total * total, count)
        variance = centred / (count - 1) / (_STEPS * _STEPS)
        return cls(float(Fraction(total, count) / _STEPS), math.sqrt(variance))


def find_bounds(frame: DataFrame, columns: Mapping[str, Column]) -> dict[str, Bounds]:
    """Return the bounds of some columns of numbers, and under the empty name how many records there are."""
    asked = {}
    for name, column in {"": F.lit(1), **columns}.items():
        beyond = F.abs(column.cast("double")) == F.lit(float("inf"))
        asked[name] = [F.count(column), F.sum(beyond.cast("long")), F.min(column), F.max(column)]
    values = aggregates_of_each(frame, asked)
    rows = values[""][0]
    return {name: Bounds(found, rows - found, beyond or 0, *ends) for name, (found, beyond, *ends) in values.items()}


def find_moments(
    frame: DataFrame, columns: Mapping[str, Column], bounds: Mapping[str, Bounds]
) -> dict[str, Moments | None]:
    """Return the moments of columns; None of those that are constant.

    Sums of doubles depend on their order, and Spark adds up as its tasks end. Whole numbers do not: so the same table
    has the same encoder, whatever its partitions. The square of a step is added up in two halves.
    """
    asked = {}
    for name, column in columns.items():
        least, greatest = bounds[name].least, bounds[name].greatest
        if least is None or greatest is None or least == greatest:
            continue
        near = (column - F.lit(least)).cast("double") / F.lit(float(greatest) - float(least))
        steps = F.rint(near * F.lit(float(_STEPS))).cast("long")  # round goes through decimal numbers, and is slow
        square = steps * steps
        asked[name] = [F.sum(steps), F.sum(F.shiftright(square, _BITS)), F.sum(square.bitwiseAND(F.lit(_STEPS - 1)))]
    moments: dict[str, Moments | None] = dict.fromkeys(columns)
    for name, (total, high, low) in aggregates_of_each(frame, asked).items():
        moments[name] = Moments.of(bounds[name].observed, total, (high << _BITS) + low)
    return moments


def scaling_of(bounds: Bounds, moments: Moments | None, scale: Scale, origin: int = 0) -> Scaling:
    """Return the zero and the unit of a column whose values are counted from an origin."""
    if bounds.least is None or bounds.greatest is None:
        return Scaling()
    base, reach = float(bounds.least - origin), float(bounds.greatest - bounds.least)
    if moments is None:
        return Scaling(base=base)
    match scale:
        case Scale.ZSCORE:
            return Scaling(base, reach, moments.mean, moments.deviation, moments.mean)
        case Scale.MINMAX:
            return Scaling(base, reach, 0.0, 1.0, moments.mean)
    return Scaling(0.0, 1.0, 0.0, 1.0, base + reach * moments.mean)


@dataclass(eq=False)
class Heading(Addable):
    """What is added up of a column of directions."""

    observed: int
    missing: int
    steps: NDArray[np.int64]
    least: NDArray[np.float64] = field(metadata={"add": np.minimum})
    greatest: NDArray[np.float64] = field(metadata={"add": np.maximum})

    @classmethod
    def of(cls, column: Cells) -> Self:
        """Add up the cells of some records."""
        vectors = unit_vectors(column.observed, column.spec.period)
        return cls(
            len(vectors),
            len(column) - len(vectors),
            np.rint(vectors * _STEPS).astype(np.int64).sum(axis=0),
            vectors.min(axis=0, initial=np.inf),
            vectors.max(axis=0, initial=-np.inf),
        )

    def encoded(self, spec: Spec, scale: Scale) -> Directional:
        """Return how the column becomes points, as `Directional.fit` learns it from records."""
        width = len(self.steps)
        extent = math.sqrt(float(((self.greatest - self.least) ** 2).sum())) if self.observed else 0.0
        if extent == 0:
            centre = self.least if self.observed else np.zeros(width)
            return Directional.of(spec, centre, 0.0)
        mean = self.steps / (_STEPS * self.observed)
        # The vectors have length 1, so that their squares need not be added up.
        variance = self.observed * (1.0 - float(mean @ mean)) / (self.observed - 1)
        unit = math.sqrt(max(variance, 0.0)) if scale is Scale.ZSCORE else extent if scale is Scale.MINMAX else 1.0
        return Directional.of(spec, mean, unit)


Sums = TypeVar("Sums", bound=Addable)


def sum_columns(frame: DataFrame, specs: Iterable[Spec], add_up: Callable[[Cells], Sums]) -> dict[str, Sums]:
    """Read some columns of all records by one pass, and add up what is found of each; missing cells are no mistake."""
    read = [replace(spec, missing=Missing.IMPUTE) for spec in specs]
    if not read:
        return {}

    def look(records: pa.Table) -> dict[str, Sums]:
        table = Table.of(records)
        return {spec.name: add_up(read_column(table, spec)) for spec in read}

    return folded(frame.select(*(quoted(name) for spec in read for name in spec.names)), look) or {}
