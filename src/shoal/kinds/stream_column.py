"""StreamColumn: one attribute of a stream, a record or a frame at a time."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import FrameColumn, Numbers, Table
from shoal.kinds.column import Spec, admit_missing, admit_missing_cell, first_row
from shoal.kinds.precision import UNLIMITED

LARGEST = 1e300
"""Continuous values of a stream beyond this are refused: their differences and sums must not overflow."""

NOT_ROUNDED = UNLIMITED
"""The precision of a group whose values are not rounded."""


class StreamColumn:
    """One attribute that distances, closeness or groups are computed from."""

    def __init__(
        self, spec: Spec, *, text: bool = False, confidential: bool = False, format: str | None = None
    ) -> None:
        self.spec = spec
        self.name = spec.name  # asked for once per cell
        self.text = text  # values are text, as in a CSV file: numbers are written out, and an empty text is missing
        # Groups must be close on it: a missing cell is refused, whatever the plan says.
        self.confidential = confidential
        self.format = format  # how dates are written as text; ISO if None

    def is_missing(self, value: Any) -> bool:
        """Whether a value stands for none: None, NaN, NaT, or an empty text where all is text."""
        return value is None or value != value or (self.text and value == "")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of a record that hold it: two for a place."""
        return self.spec.names

    @property
    def width(self) -> int:
        """How many axes of the engine the column has."""
        return 1

    def axes(self, record: Mapping[str, Any]) -> Sequence[float]:
        """Return the value of a record as a number on each axis."""
        return (self.cell(record[self.name]),)

    def axes_of(self, table: Table) -> Sequence[NDArray[np.float64]]:
        """Return the column of a table as numbers, axis by axis."""
        return (self.cells(table),)

    def cell(self, value: Any) -> float:
        """Return one value as a number, NaN where it is missing and may be; of kinds that have one axis."""
        raise TypeError(f"values of {self.name!r} are several numbers")

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return the column of a table as numbers, NaN where missing; of kinds that have one axis."""
        raise TypeError(f"values of {self.name!r} are several numbers")

    def missing_cell(self) -> float:
        """Return the number of a missing cell, or refuse it."""
        if self.confidential:
            raise DataError(f"confidential column {self.name!r} has a missing value: {_WHY_NONE}")
        admit_missing_cell(self.spec)
        return math.nan

    def _admit_missing(self, absent: NDArray[np.bool_] | None) -> None:
        """Refuse missing cells of a table where there may be none."""
        if self.confidential and absent is not None and absent.any():
            raise DataError(
                f"confidential column {self.name!r} has {counted(int(absent.sum()), 'missing value')}, the first in "
                f"row {first_row(absent)}: {_WHY_NONE}"
            )
        admit_missing(self.spec, absent)

    def _with_gaps(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return codes of categories as numbers; those below 0 are missing, and NaN where they may be."""
        cells, absent = codes.astype(np.float64), codes < 0
        if absent.any():
            self._admit_missing(absent)
            cells[absent] = math.nan
        return cells


_WHY_NONE = "closeness in a stream has no place for missing values, so fill them"


class ContinuousColumn(StreamColumn):
    """Numbers, dates and directions. Group values may be rounded, to a precision that the group's own values decide."""

    rounds = False
    """Whether group values are rounded."""
    possible_precisions: Collection[int] = (NOT_ROUNDED,)
    """What `precisions` may give."""
    bounds: tuple[float, float] | None = None
    """The least and greatest value on each axis, where the kind knows them."""

    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the precision of each group: the finest that one of its values needs."""
        return np.full(len(starts), NOT_ROUNDED, dtype=np.int8)

    def require_precision(self, precision: int) -> None:
        """Raise ValueError for a precision that `precisions` does not give."""
        if precision not in self.possible_precisions:
            raise ValueError("a precision is none of the column's kind")

    def has_room(self, table: Table, precision: int) -> bool:
        """Whether the type of a frame's column holds group values of a precision."""
        return True

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return group values rounded to their precisions."""
        return values

    def fields(self, means: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the columns that group values, one for each axis, belong to, by name."""
        return {self.name: means[:, 0]}

    def to_record(self, value: float, precision: int) -> Any:
        """Return a group value as a record holds it: an int where the group was rounded to whole numbers."""
        if value != value:
            return None
        return int(value) if precision == 0 else value

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return values as a frame takes them: integers if its column has them (``whole``) and values are rounded."""
        absent = np.isnan(values)
        return Numbers(values, absent if absent.any() else None, whole=whole and self.rounds)
