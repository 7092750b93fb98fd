"""Directions: places on the globe and values that wrap around, as unit vectors, and the way back.

A place is a complex number of degrees, latitude + longitude·i, so that a column of places is one array like any other.
`shoal.kinds.place` and `shoal.kinds.cyclic` say what is different between the two.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.frames import FrameColumn, Table
from shoal.kinds.attribute_kind import AttributeKind, Members
from shoal.kinds.column import Column, Spec, admit_missing
from shoal.kinds.group_values import in_group_units
from shoal.kinds.numeric import NumericColumn, to_numbers
from shoal.kinds.stream_column import ContinuousColumn, StreamColumn
from shoal.kinds.vocabulary import Form, Kind, Missing, Scale

NOWHERE = 1e-9
"""A mean of unit vectors that is shorter than this points nowhere: members cancel each other out."""

_DIGITS = 12  # of a turn: what sines and cosines of different machines agree on


def unit_vectors(values: NDArray[Any], period: float) -> NDArray[np.float64]:
    """Return values as points of the unit circle or sphere: (n, 2) or, of places, (n, 3), column-major.

    >>> unit_vectors(np.array([0.0, 6.0]), 24.0).round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> unit_vectors(np.array([90 + 0j, 0 + 90j]), 0.0).round(9).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    if not np.iscomplexobj(values):
        turns = np.remainder(values, period) * (2 * math.pi / period)
        return np.asfortranarray(np.column_stack([np.cos(turns), np.sin(turns)]))
    latitude, longitude = np.radians(values.real), np.radians(values.imag)
    flat = np.cos(latitude)
    return np.asfortranarray(np.column_stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)]))


def from_vectors(vectors: NDArray[np.float64], period: float) -> NDArray[Any]:
    """Return the values that vectors point at, whatever their length; one that points nowhere is 0.

    Vectors of three coordinates point at places. Latitudes are from -90 to 90, longitudes from -180 to 180, cycles from
    0 to the period.

    Where a mean of unit vectors is 0, every direction is as far from the members as any other, by the sum of squared
    distances: Σ‖x − vᵢ‖² = 2n − 2n x·v̄. So a fixed one loses nothing, and tells nothing of a member.

    >>> from_vectors(np.array([[0.0, 2.0], [0.0, 0.0]]), 24.0).tolist()
    [6.0, 0.0]
    """
    vectors = np.where(np.abs(vectors).max(axis=1, keepdims=True, initial=0.0) < NOWHERE, 0.0, vectors)
    turned = np.arctan2(vectors[:, 1], vectors[:, 0])
    if vectors.shape[1] == 2:
        digits = _DIGITS - math.ceil(math.log10(period))
        return np.asarray(np.remainder(np.round(turned * (period / (2 * math.pi)), digits), period))
    raised = np.arctan2(vectors[:, 2], np.hypot(vectors[:, 0], vectors[:, 1]))
    places: NDArray[Any] = np.round(np.degrees(raised), _DIGITS - 3) + 1j * np.round(np.degrees(turned), _DIGITS - 3)
    return places


@dataclass(frozen=True)
class Directional:
    """A column of places or of values that wrap around, as points: several coordinates of one unit.

    Distances are chords, 2·sin(θ/2) for an angle θ: near values differ as along the circle, and the farthest by 2. The
    unit of ``zscore`` is the root of the summed variances (n − 1) of the coordinates, that of ``minmax`` the diagonal
    of the box around them, and ``none`` leaves chords of a circle of radius 1.
    """

    # name, weight: the column, and what multiplies squared differences
    name: str
    weight: float
    # kind, period: places, or a cycle and its length
    kind: Kind
    period: float
    # the mean vector, from which coordinates are counted and at which a missing cell stands
    centre: tuple[float, ...] = field(repr=False)
    # what makes a distance of 1: the column as a whole weighs like one column of numbers. 0 where all are equal
    unit: float = field(repr=False)

    form = Form.VECTOR

    @classmethod
    def of(cls, spec: Spec, centre: NDArray[np.float64], unit: float) -> Self:
        """Return how a column with a mean vector and a unit becomes points."""
        return cls(spec.name, spec.weight, spec.kind, spec.period, tuple(centre.tolist()), unit)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what was learnt, of the plain values of its fields."""
        return cls(**{**values, "kind": Kind(values["kind"]), "centre": tuple(values["centre"])})

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.centre)

    def apply(self, column: Column) -> NDArray[np.float64]:
        """Return the coordinates of a column."""
        if self.unit == 0.0:
            return np.zeros((len(column), self.width), order="F")
        coordinates = unit_vectors(column.values, self.period)
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


class DirectionKind(AttributeKind):
    """What places and cycles have in common: unit vectors are compared, and a mean direction stands for a group."""

    encoded = Directional
    width: ClassVar[int]
    """How many coordinates a unit vector has."""

    @abstractmethod
    def parts(self, values: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
        """Return the numbers that values are written by, column by column."""

    @abstractmethod
    def value(self, cells: Sequence[float], names: Sequence[str]) -> Any:
        """Return the value of a record from its numbers, in columns of these names."""

    @abstractmethod
    def in_window(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Write values as the column does: its cycles may begin elsewhere than at 0."""

    def to_frame(self, column: Column) -> dict[str, FrameColumn]:
        """Return numbers, by name."""
        parts = zip(column.names, self.parts(column.values), strict=True)
        return {name: to_numbers(column, part) for name, part in parts}

    def fit(self, column: Column, scale: Scale, records: NDArray[np.int64] | None = None) -> Directional:
        """Learn centre and unit from the observed cells."""
        vectors = unit_vectors(column.observed, column.spec.period)
        if len(vectors) == 0 or (column.observed == column.observed[0]).all():
            return Directional.of(column.spec, vectors[0] if len(vectors) else np.zeros(self.width), 0.0)
        unit = spread_of(vectors) if scale is Scale.ZSCORE else extent_of(vectors) if scale is Scale.MINMAX else 1.0
        return Directional.of(column.spec, vectors.mean(axis=0), unit)

    def average(self, column: Column, members: Members) -> Column:
        """Return the (weighted) mean direction of each group, rounded where the column says so.

        The direction of the mean of unit vectors (Mardia and Jupp 2000, sections 2.2 and 9.2), which is the nearest to
        all members by the sum of squared chords. A group of equal values keeps them to the last bit; members that
        cancel out leave as 0, from which they are as far as from any other value.

        >>> from shoal.kinds.cyclic import KIND
        >>> hours = Column("hour", Spec(name="hour", kind=Kind.CYCLIC, period=24.0), np.array([23.0, 1.0, 5.0, 5.0]))
        >>> KIND.average(hours, Members(np.array([0, 0, 1, 1]), 2)).values.tolist()
        [0.0, 5.0]
        """
        labels, count, weights = members.labels, members.count, members.weights
        values, period = column.observed, column.spec.period
        vectors = unit_vectors(values, period)
        weights = None if weights is None else in_group_units(weights, labels, count)
        total = np.maximum(np.bincount(labels, weights, minlength=count), np.finfo(np.float64).tiny)
        means = np.empty((count, vectors.shape[1]))
        for j in range(vectors.shape[1]):
            part = vectors[:, j] if weights is None else vectors[:, j] * weights
            means[:, j] = np.bincount(labels, part, minlength=count) / total
        centres = self.rounded(from_vectors(means, period), column)
        first = np.zeros(count, dtype=values.dtype)
        first[labels] = values
        alike = np.ones(count, dtype=np.bool_)
        alike[labels[values != first[labels]]] = False
        centres = np.where(alike, first, self.in_window(centres, column)).astype(self.dtype)
        return replace(column, values=centres, missing=None)

    def stream_column(self, spec: Spec, **how: Any) -> StreamColumn:
        """Return a column of unit vectors."""
        return DirectionColumn(spec, self, **how)


class DirectionColumn(ContinuousColumn):
    """The unit vector of a place, from two columns, or of a value that wraps around, in a stream."""

    bounds = (-1.0, 1.0)  # whatever comes: squared distances are at most 1, as those of other columns

    def __init__(self, spec: Spec, kind: DirectionKind, **how: Any) -> None:
        super().__init__(spec, **how)
        if spec.round:
            raise PlanError(
                f"round of {spec.name!r} is a choice for tables: a stream does not know how finely places and cycles "
                "are written, so leave it out"
            )
        self._kind = kind
        self._numbers = [NumericColumn(replace(spec, name=name), text=self.text) for name in self.names]

    @property
    def width(self) -> int:
        """Three axes for a place, two for a cycle."""
        return self._kind.width

    def axes(self, record: Mapping[str, Any]) -> Sequence[float]:
        """Return the unit vector of a record; a place without one of its columns is missing."""
        cells = [number.cell(record[number.name]) for number in self._numbers]
        if any(math.isnan(cell) for cell in cells):
            return [math.nan] * self.width
        value = np.array([self._kind.value(cells, self.names)])
        vector: list[float] = unit_vectors(value, self.spec.period)[0].tolist()
        return vector

    def axes_of(self, table: Table) -> Sequence[NDArray[np.float64]]:
        """Return the unit vectors of a table, axis by axis."""
        column = self._kind.read(table, replace(self.spec, missing=Missing.IMPUTE))
        admit_missing(self.spec, column.missing)
        vectors = unit_vectors(column.values, self.spec.period)
        if column.missing is not None:
            vectors[column.missing] = math.nan
        return list(vectors.T)

    def fields(self, means: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of mean vectors by name, NaN where no member has the cell."""
        absent = np.isnan(means[:, 0])
        parts = self._kind.parts(from_vectors(np.nan_to_num(means), self.spec.period))
        return {name: np.where(absent, math.nan, part) for name, part in zip(self.names, parts, strict=True)}
