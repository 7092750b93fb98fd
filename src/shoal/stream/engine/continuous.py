"""Continuous columns of a stream: values to numbers, group values back to what came in."""

from __future__ import annotations

import math
from abc import abstractmethod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import UNLIMITED, decimals_of_runs, rounded
from shoal.errors import DataError, type_in_words
from shoal.frames import FrameColumn, Numbers, Table
from shoal.kinds.precision import MOST_DECIMALS
from shoal.stream.engine.settings import LARGEST
from shoal.stream.engine.stream_column import StreamColumn

NOT_ROUNDED = UNLIMITED
"""The precision of a group whose values are not rounded."""


class ContinuousColumn(StreamColumn):
    """Numbers and dates. Group values may be rounded, to a precision that the group's own values decide."""

    @property
    @abstractmethod
    def rounds(self) -> bool:
        """Whether group values are rounded."""

    @abstractmethod
    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the precision of each group: the finest that one of its values needs."""

    @abstractmethod
    def require_precision(self, precision: int) -> None:
        """Raise ValueError for a precision that `precisions` does not give."""

    @abstractmethod
    def has_room(self, table: Table, precision: int) -> bool:
        """Whether the type of a frame's column holds group values of a precision."""

    @abstractmethod
    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return group values rounded to their precisions."""

    @abstractmethod
    def to_record(self, value: float, precision: int) -> Any:
        """Return a group value as a record holds it."""

    @abstractmethod
    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return values as a frame takes them; ``whole`` where the frame's column is one of integers."""


class NumericColumn(ContinuousColumn):
    """Numbers, as floats; rounded only where the plan says so."""

    @property
    def rounds(self) -> bool:
        """As the plan says."""
        return self.spec.round

    def cell(self, value: Any) -> float:
        """Return a number; text and booleans are none."""
        if type(value) is not float:
            if value is None:
                return self.missing_cell()
            if self.text and isinstance(value, str):
                return self._parse(value)
            if isinstance(value, bool) or not (isinstance(value, int | Real) or hasattr(value, "as_integer_ratio")):
                raise DataError(f"column {self.name!r} must be a number, not {type_in_words(value)}")
            try:
                value = float(value)
            except OverflowError:
                value = math.inf
        if -LARGEST <= value <= LARGEST:
            return float(value)
        if value != value:
            return self.missing_cell()
        raise DataError(f"column {self.name!r} must be finite and within ±{LARGEST:g}")

    def _parse(self, text: str) -> float:
        if text == "":
            return self.missing_cell()
        try:
            # Python reads 1_000 and the digits of every script, tables neither.
            number = float(text.replace("_", "x") if text.strip().isascii() else "x")
        except ValueError:
            raise DataError(f"column {self.name!r} has a text that is no number") from None
        return self.cell(number)

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return a column of numbers."""
        numbers = table.numbers(self.name)
        self._admit_missing(numbers.missing)
        if len(numbers) and np.nanmax(np.abs(numbers.values), initial=0.0) > LARGEST:
            raise DataError(f"column {self.name!r} must be finite and within ±{LARGEST:g}")
        return numbers.values

    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the decimals of each group."""
        return decimals_of_runs(cells, starts)

    def require_precision(self, precision: int) -> None:
        """Decimals, or none to round to."""
        if not (0 <= precision <= MOST_DECIMALS or precision == NOT_ROUNDED):
            raise ValueError("a precision is none of decimals")

    def has_room(self, table: Table, precision: int) -> bool:
        """Integers hold no decimals; group values that are not rounded leave as floats."""
        return precision == 0 or not self.rounds or table.dtype(self.name) != "integer"

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Round to the group's decimals."""
        return rounded(values, precisions)

    def to_record(self, value: float, precision: int) -> Any:
        """Return a float, or an int where the group was rounded to whole numbers."""
        if value != value:
            return None
        return int(value) if precision == 0 else value

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return numbers, in the column's integer type if it has one and values are rounded."""
        absent = np.isnan(values)
        return Numbers(values, absent if absent.any() else None, whole=whole and self.rounds)
