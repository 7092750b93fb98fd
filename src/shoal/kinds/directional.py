"""A column of directions as points: several coordinates of one unit, so that angles stay what they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind, Scale
from shoal.kinds.direction import unit_vectors

if TYPE_CHECKING:
    from shoal.kinds.column import Column


@dataclass(frozen=True)
class Directional:
    """A column of places or of values that wrap around.

    Parameters
    ----------
    name, weight
        The column, and what multiplies squared differences.
    kind, period
        Places, or a cycle and its length.
    centre
        The mean vector, from which coordinates are counted and at which a missing cell stands.
    unit
        What makes a distance of 1: the column as a whole weighs like one column of numbers. 0 where all are equal.

    Notes
    -----
    Distances are chords, 2·sin(θ/2) for an angle θ: near values differ as along the circle, and the farthest by 2. The
    unit of ``zscore`` is the root of the summed variances (n − 1) of the coordinates, that of ``minmax`` the diagonal
    of the box around them, and ``none`` leaves chords of a circle of radius 1.
    """

    name: str
    weight: float
    kind: Kind
    period: float
    centre: tuple[float, ...] = field(repr=False)
    unit: float = field(repr=False)

    @classmethod
    def fit(cls, column: Column, scale: Scale) -> Self:
        """Learn centre and unit from the observed cells."""
        period = column.spec.period
        vectors = unit_vectors(column.observed, column.kind, period)
        if len(vectors) == 0 or (column.observed == column.observed[0]).all():
            centre = vectors[0] if len(vectors) else np.zeros(3 if column.kind is Kind.PLACE else 2)
            return cls(column.name, column.spec.weight, column.kind, period, tuple(centre.tolist()), 0.0)
        unit = spread_of(vectors) if scale is Scale.ZSCORE else extent_of(vectors) if scale is Scale.MINMAX else 1.0
        centre = tuple(vectors.mean(axis=0).tolist())
        return cls(column.name, column.spec.weight, column.kind, period, centre, unit)

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.centre)

    def apply(self, column: Column) -> NDArray[np.float64]:
        """Return the coordinates of a column."""
        if self.unit == 0.0:
            return np.zeros((len(column), self.width), order="F")
        coordinates = unit_vectors(column.values, self.kind, self.period)
        coordinates -= np.array(self.centre)
        if column.missing is not None:
            coordinates[column.missing] = 0.0
        coordinates *= math.sqrt(self.weight) / self.unit
        return coordinates


def spread_of(vectors: NDArray[np.float64]) -> float:
    """Return the root of the summed variances (n − 1) of some coordinates; 0, without rounding, where all are equal."""
    if not len(vectors) or (vectors == vectors[0]).all():
        return 0.0
    return math.sqrt(float(vectors.var(axis=0, ddof=1).sum()))


def extent_of(vectors: NDArray[np.float64]) -> float:
    """Return the diagonal of the box around some points."""
    return math.sqrt(float((np.ptp(vectors, axis=0) ** 2).sum())) if len(vectors) else 0.0
