"""Moments of a column, added up as whole numbers: the same however the records are spread and in whichever order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from shoal.kinds import Scale
from shoal.scaling import Scaling
from shoal.spark.fields import aggregates

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BITS = 30
"""Values are told on [0, 1] in steps of 2⁻³⁰: sums of a few thousand million of them fit 64 bits."""
_STEPS = 1 << _BITS


@dataclass(frozen=True)
class Bounds:
    """How many cells of a column are there, and what they lie between."""

    observed: int
    missing: int
    infinite: int
    least: float | int | None
    greatest: float | int | None

    @property
    def is_constant(self) -> bool:
        """Whether there is nothing between them."""
        return self.least == self.greatest


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
    asked: list[Column] = [F.count(F.lit(1))]
    for column in columns.values():
        beyond = F.abs(column.cast("double")) == F.lit(float("inf"))
        asked += [F.count(column), F.sum(beyond.cast("long")), F.min(column), F.max(column)]
    rows, *found = aggregates(frame, asked)
    bounds = {"": Bounds(rows, 0, 0, None, None)}
    for name in columns:
        observed, infinite, least, greatest, *found = found
        bounds[name] = Bounds(observed, rows - observed, infinite or 0, least, greatest)
    return bounds


def find_moments(
    frame: DataFrame, columns: Mapping[str, Column], bounds: Mapping[str, Bounds]
) -> dict[str, Moments | None]:
    """Return the moments of columns; None of those that are constant.

    Notes
    -----
    Sums of doubles depend on their order, and Spark adds up as its tasks end. Whole numbers do not: so the same table
    has the same encoder, whatever its partitions. The square of a step is added up in two halves.
    """
    varying = [name for name in columns if not bounds[name].is_constant]
    asked: list[Column] = []
    for name in varying:
        least, greatest = bounds[name].least, bounds[name].greatest
        assert least is not None
        assert greatest is not None
        near = (columns[name] - F.lit(least)).cast("double") / F.lit(float(greatest) - float(least))
        steps = F.rint(near * F.lit(float(_STEPS))).cast("long")  # round goes through decimal numbers, and is slow
        square = steps * steps
        asked += [F.sum(steps), F.sum(F.shiftright(square, _BITS)), F.sum(square.bitwiseAND(F.lit(_STEPS - 1)))]
    found = aggregates(frame, asked) if asked else []
    moments: dict[str, Moments | None] = dict.fromkeys(columns)
    for name in varying:
        total, high, low, *found = found
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
