"""Places and cycles of a stream: unit vectors are compared by the bounds of the circle, and averaged by the engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Spec, admit_missing, read_column
from shoal.errors import DataError, PlanError
from shoal.frames import FrameColumn, Numbers, Table
from shoal.kinds import Kind, Missing
from shoal.kinds.direction import from_vectors, unit_vectors
from shoal.stream.engine.continuous import NOT_ROUNDED, ContinuousColumn, NumericColumn

BOUNDS = (-1.0, 1.0)
"""Of every coordinate, whatever comes: squared distances are at most 1, as those of other columns."""


class DirectionColumn(ContinuousColumn):
    """The unit vector of a place, from two columns, or of a value that wraps around."""

    def __init__(self, spec: Spec, *, text: bool = False, confidential: bool = False) -> None:
        super().__init__(spec, text=text, confidential=confidential)
        if spec.round:
            raise PlanError(
                f"round of {spec.name!r} is a choice for tables: a stream does not know how finely places and cycles "
                "are written, so leave it out"
            )
        self.names = (spec.name,) if spec.longitude is None else (spec.name, spec.longitude)
        self._numbers = [NumericColumn(replace(spec, name=name), text=text) for name in self.names]

    @property
    def width(self) -> int:
        """Three axes for a place, two for a cycle."""
        return 3 if self.spec.kind is Kind.PLACE else 2

    @property
    def rounds(self) -> bool:
        """Never."""
        return False

    def axes(self, record: Mapping[str, Any]) -> Sequence[float]:
        """Return the unit vector of a record; a place without one of its columns is missing."""
        cells = [number.cell(record[name]) for name, number in zip(self.names, self._numbers, strict=True)]
        if any(math.isnan(cell) for cell in cells):
            return [math.nan] * self.width
        if self.spec.kind is Kind.CYCLIC:
            value = np.array([cells[0]])
        else:
            for name, cell, most in zip(self.names, cells, (90.0, 360.0), strict=True):
                if abs(cell) > most:
                    raise DataError(f"column {name!r} has a value beyond {most:g} degrees")
            value = np.array([complex(*cells)])
        vector: list[float] = unit_vectors(value, self.spec.kind, self.spec.period)[0].tolist()
        return vector

    def axes_of(self, table: Table) -> Sequence[NDArray[np.float64]]:
        """Return the unit vectors of a table, axis by axis."""
        column = read_column(table, replace(self.spec, missing=Missing.IMPUTE))
        admit_missing(self.spec, column.missing)
        vectors = unit_vectors(column.values, self.spec.kind, self.spec.period)
        if column.missing is not None:
            vectors[column.missing] = math.nan
        return list(vectors.T)

    def cell(self, value: Any) -> float:
        """Refuse: a direction is several numbers."""
        raise TypeError("a direction is several numbers")

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Refuse: a direction is several numbers."""
        raise TypeError("a direction is several numbers")

    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Nothing is rounded."""
        return np.full(len(starts), NOT_ROUNDED, dtype=np.int8)

    def require_precision(self, precision: int) -> None:
        """None to round to."""
        if precision != NOT_ROUNDED:
            raise ValueError("a direction is not rounded")

    def has_room(self, table: Table, precision: int) -> bool:
        """Always: they leave as floats."""
        return True

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Nothing is rounded."""
        return values

    def fields(self, vectors: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns of mean vectors by name, NaN where no member has the cell."""
        absent = np.isnan(vectors[:, 0])
        values = from_vectors(np.nan_to_num(vectors), self.spec.kind, self.spec.period)
        parts = (values.real, values.imag) if self.spec.kind is Kind.PLACE else (values,)
        return {name: np.where(absent, math.nan, part) for name, part in zip(self.names, parts, strict=True)}

    def to_record(self, value: float, precision: int) -> Any:
        """Return a number of a record, None where it is missing."""
        return None if math.isnan(value) else value

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return numbers."""
        absent = np.isnan(values)
        return Numbers(values, absent if absent.any() else None)
