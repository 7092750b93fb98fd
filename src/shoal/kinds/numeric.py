"""Numbers: compared on a line, averaged (`group_values`), rounded to the precision that they were recorded with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted, type_in_words
from shoal.frames import FrameColumn, Numbers, Table, Unit
from shoal.kinds.attribute_kind import AttributeKind
from shoal.kinds.column import Column, Spec, admit_missing, first_row
from shoal.kinds.precision import MOST_DECIMALS, decimals_of_runs, round_like, rounded
from shoal.kinds.stream_column import LARGEST, NOT_ROUNDED, ContinuousColumn, StreamColumn
from shoal.kinds.text import category_text
from shoal.kinds.vocabulary import Form, Kind, Scale
from shoal.points import FARTHEST
from shoal.scaling import Scaling, minmax, unscaled, zscore

WIDEST = 1e300
"""How far apart the numbers of a column may be; a rounding more than that is not looked at, since means round too."""

_SCALINGS = {Scale.ZSCORE: zscore, Scale.MINMAX: minmax, Scale.NONE: unscaled}


@dataclass(frozen=True)
class Continuous:
    """A numeric or date column: where its zero and its unit lie."""

    # name, weight: the column, and what multiplies squared differences
    name: str
    weight: float
    scaling: Scaling = field(repr=False)  # from values to coordinates; a missing cell stands at the mean
    # origin, unit: what is subtracted from a date's integer, and what the integer counts; 0 and None for numbers
    origin: int = field(default=0, repr=False)
    unit: Unit | None = None

    form = Form.LINE
    width = 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what was learnt, of the plain values of its fields."""
        return cls(**{**values, "scaling": Scaling(**values["scaling"])})

    def apply(self, column: Column) -> NDArray[np.float64]:
        """Return the coordinates of a column."""
        coordinates = self.scaling(column.counted_from(self.origin, self.unit))
        if column.missing is not None:
            coordinates[column.missing] = self.scaling.centre
        coordinates *= math.sqrt(self.weight)
        if not max(coordinates.max(initial=0.0), -coordinates.min(initial=0.0)) <= FARTHEST:
            raise DataError(
                f"column {self.name!r}, as the plan scales and weighs it, reaches beyond ±{FARTHEST:g}: scale it by "
                "zscore or minmax, or lower its weight"
            )
        return coordinates


class NumericColumn(ContinuousColumn):
    """Numbers of a stream, as floats; rounded only where the plan says so."""

    possible_precisions = (*range(MOST_DECIMALS + 1), NOT_ROUNDED)

    def __init__(self, spec: Spec, **how: Any) -> None:
        super().__init__(spec, **how)
        self.rounds = spec.round

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

    def has_room(self, table: Table, precision: int) -> bool:
        """Integers hold no decimals; group values that are not rounded leave as floats."""
        return precision == 0 or not self.rounds or table.dtype(self.name) != "integer"

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Round to the group's decimals."""
        return rounded(values, precisions)


class NumericKind(AttributeKind):
    """Numbers."""

    name = Kind.NUMERIC
    streamed: ClassVar[type[StreamColumn]] = NumericColumn
    encoded = Continuous
    dtype = np.float64

    def read(self, table: Table, spec: Spec) -> Column:
        """Read numbers that are finite, or missing."""
        numbers = table.numbers(spec.name)
        check_range(spec.name, numbers.values)
        return Column(spec.name, spec, numbers.values, admit_missing(spec, numbers.missing), whole=numbers.whole)

    def to_frame(self, column: Column) -> dict[str, FrameColumn]:
        """Return numbers, whole ones where they were and are rounded."""
        return {column.name: to_numbers(column, column.values)}

    def fit(self, column: Column, scale: Scale, records: NDArray[np.int64] | None = None) -> Continuous:
        """Learn zero and unit from the observed cells."""
        return Continuous(column.name, column.spec.weight, _SCALINGS[scale](column.observed))

    def rounded(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Round to the decimals of the column."""
        return round_like(values, column.observed) if column.spec.round else values

    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write numbers with the digits that they came with."""
        return number_texts(values)


KIND = NumericKind()


def check_range(name: str, values: NDArray[np.float64]) -> None:
    """Refuse infinities, and numbers so far apart that sums of their differences overflow; NaN is missing, and fine."""
    lowest, highest = (float(bound(values, initial=0.0, where=~np.isnan(values))) for bound in (np.min, np.max))
    if np.isfinite(lowest) and np.isfinite(highest):
        if highest - lowest <= WIDEST * (1 + 1e-12):
            return
        raise DataError(f"column {name!r} has numbers further apart than {WIDEST:g}: write it in a larger unit")
    infinite = np.isinf(values)
    raise DataError(
        f"column {name!r} has {counted(int(infinite.sum()), 'infinite value')}, the first in row "
        f"{first_row(infinite)}: a numeric column must be finite"
    )


def to_numbers(column: Column, values: NDArray[np.float64]) -> Numbers:
    """Return numbers of a column as a frame takes them: NaN where missing, whole where they were and are rounded."""
    present = values if column.missing is None else np.where(column.missing, np.nan, values)
    return Numbers(present, column.missing, whole=column.whole and column.spec.round)


def number_texts(values: NDArray[np.float64]) -> list[str]:
    """Write numbers with the digits that they came with."""
    return [category_text(value) for value in as_written(values).tolist()]


def as_written(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers with the digits that they are written with: one of single precision, 19.99, has others behind."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    result = values.copy()
    for place in np.flatnonzero((single == values) & (values != np.floor(values))).tolist():
        result[place] = float(str(single[place]))
    return result
