"""Column: the values of one attribute in the form that distances and aggregation work on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import Categories, FrameColumn, Instants, Numbers, Table, Text, Unit, finest_unit, units_in
from shoal.frames.calendar import require_released
from shoal.kinds import CONTINUOUS, DIRECTIONAL, Kind, Missing, Operator
from shoal.kinds.missing import admit_missing, first_row
from shoal.kinds.order import in_declared_order
from shoal.kinds.spec import Spec
from shoal.kinds.text import category_text
from shoal.kinds.tree import require_codes

WIDEST = 1e300
"""How far apart the numbers of a column may be; a rounding more than that is not looked at, since means round too."""


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of every record.

    Parameters
    ----------
    name, spec
        The column and what is to be done with it.
    values
        float64 for numeric, date and cyclic columns; complex128 for places, latitude + longitude·i; int32 positions in
        ``levels`` for ordinal and nominal ones. What stands at a missing cell is undefined.
    missing
        True where the cell is missing, or None where no cell is.
    levels
        The categories, in category order; None among them is the category of missing cells.
    origin, unit
        What was subtracted from a date's integer so that float64 holds it exactly, and what the integer counts.
    whole
        The column is one of integers.
    """

    name: str
    spec: Spec
    # What records hold is not shown: a column may end up in a log.
    values: NDArray[Any] = field(repr=False)
    missing: NDArray[np.bool_] | None = field(default=None, repr=False)
    levels: tuple[Any, ...] = field(default=(), repr=False)
    origin: int = field(default=0, repr=False)
    unit: Unit = "D"
    whole: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that hold it: two for a place."""
        return (self.name,) if self.spec.longitude is None else (self.name, self.spec.longitude)

    @property
    def kind(self) -> Kind:
        """How values are compared."""
        return self.spec.kind

    def counted_from(self, origin: int, unit: Unit | None) -> NDArray[np.float64]:
        """Return the values as numbers; dates as what they count in ``unit`` from ``origin``.

        Differences of dates are exact as long as a double holds them, so a date has the same number whichever records
        stand beside it.
        """
        if unit is None or (origin, unit) == (self.origin, self.unit):
            return self.values
        ticks = self.values.astype(np.int64) + self.origin
        if finest_unit(self.unit, unit) == unit:
            return (ticks * units_in(self.unit, unit) - origin).astype(np.float64)
        coarser = units_in(unit, self.unit)
        return np.asarray((ticks - origin * coarser) / coarser)

    def origin_in(self, unit: Unit) -> int:
        """Return the origin of dates, counted in a unit that is as fine as their own or finer."""
        return self.origin * units_in(self.unit, unit)

    @property
    def observed(self) -> NDArray[Any]:
        """The values of the cells that are there."""
        return self.values if self.missing is None else self.values[~self.missing]

    def take(self, rows: NDArray[np.integer[Any]]) -> Column:
        """Return the values at some rows."""
        missing = None if self.missing is None else self.missing[rows]
        return replace(self, values=self.values[rows], missing=missing)


def read_column(table: Table, spec: Spec) -> Column:
    """Read one attribute of a table, checked against what is said of it.

    Raises
    ------
    DataError
        A missing value under ``error``, an infinity, a category outside the declared order, a column that is not
        of the declared kind. The message names the column, the rule and the first row, never the value.
    """
    if spec.kind in DIRECTIONAL:
        return _read_directions(table, spec)
    return _read_continuous(table, spec) if spec.kind in CONTINUOUS else _read_categories(table, spec)


def _read_continuous(table: Table, spec: Spec) -> Column:
    name = spec.name
    if spec.kind is Kind.DATE:
        instants = table.instants(name)
        absent = admit_missing(spec, instants.missing)
        there = instants.values if absent is None else instants.values[~absent]
        lowest, highest = (int(there.min()), int(there.max())) if len(there) else (0, 0)
        # From the earliest, unless 64 bits do not count that far: three centuries in nanoseconds.
        origin = lowest if highest - lowest <= np.iinfo(np.int64).max else 0
        return Column(
            name, spec, (instants.values - origin).astype(np.float64), absent, origin=origin, unit=instants.unit
        )
    numbers = table.numbers(name)
    check_range(name, numbers.values)
    return Column(name, spec, numbers.values, admit_missing(spec, numbers.missing), whole=numbers.whole)


def _read_directions(table: Table, spec: Spec) -> Column:
    numbers = table.numbers(spec.name)
    check_range(spec.name, numbers.values)
    if spec.kind is Kind.CYCLIC:
        return Column(spec.name, spec, numbers.values, admit_missing(spec, numbers.missing), whole=numbers.whole)
    assert spec.longitude is not None, "a place is read by the line of its latitude"
    other = table.numbers(spec.longitude)
    _check_degrees(spec.name, numbers.values, 90.0, "latitude")
    _check_degrees(spec.longitude, other.values, 360.0, "longitude")
    absent = np.isnan(numbers.values) | np.isnan(other.values)
    places = np.empty(len(absent), dtype=np.complex128)
    places.real, places.imag = np.where(absent, 0.0, numbers.values), np.where(absent, 0.0, other.values)
    return Column(spec.name, spec, places, admit_missing(spec, absent), whole=numbers.whole and other.whole)


def _check_degrees(name: str, values: NDArray[np.float64], most: float, what: str) -> None:
    beyond = np.abs(values) > most  # NaN is missing, and not beyond
    count = int(beyond.sum())
    if count:
        raise DataError(
            f"column {name!r} has {count} {what}{'s' if count > 1 else ''} beyond {most:g} degrees, the first in row "
            f"{first_row(beyond)}: give degrees, latitude before longitude"
        )


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


def _read_categories(table: Table, spec: Spec) -> Column:
    name = spec.name
    categories = table.categories(name)
    levels, codes = categories.labels, categories.codes
    if spec.kind is Kind.ORDINAL:
        levels, codes = in_declared_order(table, categories, name, spec.order)
    if spec.taxonomy is not None:
        require_codes(spec, levels, codes)
    absent = categories.missing
    if spec.missing is not Missing.CATEGORY or absent is None:
        return Column(name, spec, codes, admit_missing(spec, absent), levels)
    # Missing is a category of its own: below the lowest of an order, last among names.
    if spec.kind is Kind.ORDINAL:
        return Column(name, spec, codes + np.int32(1), None, (None, *levels))
    return Column(name, spec, np.where(absent, np.int32(len(levels)), codes), None, (*levels, None))


def to_frame_columns(column: Column) -> dict[str, FrameColumn]:
    """Turn values back into what a frame understands, by name: a place is two columns."""
    if column.kind is not Kind.PLACE:
        return {column.name: to_frame_column(column)}
    assert column.spec.longitude is not None, "a place is read by the line of its latitude"
    parts = {column.name: column.values.real, column.spec.longitude: column.values.imag}
    gone, whole = column.missing, column.whole and column.spec.round
    return {
        name: Numbers(part if gone is None else np.where(gone, np.nan, part), gone, whole=whole)
        for name, part in parts.items()
    }


def to_frame_column(column: Column) -> FrameColumn:
    """Turn values back into what a frame understands: numbers, dates, labels."""
    if column.kind in (Kind.NUMERIC, Kind.CYCLIC):
        values = column.values if column.missing is None else np.where(column.missing, np.nan, column.values)
        return Numbers(values, column.missing, whole=column.whole and column.spec.round)
    if column.kind is Kind.DATE:
        require_released(column.name, column.observed + column.origin, column.unit)
        # The last nanosecond that 64 bits count is rounded up to one that they do not.
        latest = np.nextafter(np.float64(np.iinfo(np.int64).max - max(column.origin, 0)), 0)
        counts = np.minimum(column.values, latest).astype(np.int64) + column.origin
        return Instants(counts, column.unit, column.missing)
    codes = column.values
    if column.missing is not None:
        codes = np.where(column.missing, np.int32(-1), codes)
    labels = column.levels
    if None in labels:
        # The category of missing cells leaves as missing.
        absent = labels.index(None)
        codes = np.where(codes == absent, np.int32(-1), np.where(codes > absent, codes - 1, codes)).astype(np.int32)
        labels = tuple(label for label in labels if label is not None)
    if column.spec.operator is Operator.ANCESTOR:
        # Names of nodes are text, whatever the codes are; the last label is that of missing cells.
        return Text(np.where(codes < 0, np.int32(len(labels)), codes), (*map(category_text, labels), None))
    return Categories(codes, labels, scale=column.kind is Kind.ORDINAL)
