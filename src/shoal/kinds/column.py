"""Column: the values of one attribute in the form that distances and averages work on, and what a plan says of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted, it_or_them
from shoal.frames import Unit, finest_unit, units_in
from shoal.kinds.taxonomy import Taxonomy
from shoal.kinds.vocabulary import Kind, Missing, Operator, Scale


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What is to be done with a column whose values are compared.

    >>> Spec(name="age", kind=Kind.NUMERIC).operator
    <Operator.MEAN: 'mean'>
    """

    name: str  # the column
    kind: Kind  # how two values are compared
    # the categories of an ordinal column, lowest first; None where its type has an order of its own
    order: tuple[str | int | float | bool, ...] | None = None
    missing: Missing = Missing.ERROR  # what a missing cell is
    scale: Scale = Scale.ZSCORE  # how a continuous column is made comparable
    weight: float = 1.0  # multiplies squared differences
    aggregate: Operator | None = None  # what stands for a group of values; the default of the kind if None
    round: bool = False  # round masked numbers to the column's own precision
    # the tree of a nominal column's codes; None where two codes are equal or not, and nothing between
    taxonomy: Taxonomy | None = None
    longitude: str | None = None  # the column of longitudes of a place, whose latitudes are in the column itself
    period: float = 0.0  # after how much a cyclic column begins anew
    generalized: bool = False  # the column is one of a release, in which nodes of the tree may stand for codes

    def __post_init__(self) -> None:
        for key, value in self.kind.fixed.items():
            object.__setattr__(self, key, value)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that hold it: two for a place."""
        return (self.name,) if self.longitude is None else (self.name, self.longitude)

    @property
    def operator(self) -> Operator:
        """The operator that stands for a group."""
        return self.aggregate or self.kind.operators[0]


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of every record."""

    # name, spec: the column and what is to be done with it
    name: str
    spec: Spec
    # What records hold is not shown: a column may end up in a log.
    # float64 for numeric, date and cyclic columns; complex128 for places, latitude + longitude·i; int32 positions in
    # ``levels`` for ordinal and nominal ones. What stands at a missing cell is undefined
    values: NDArray[Any] = field(repr=False)
    # True where the cell is missing, or None where no cell is
    missing: NDArray[np.bool_] | None = field(default=None, repr=False)
    # the categories, in category order; None among them is the category of missing cells
    levels: tuple[Any, ...] = field(default=(), repr=False)
    # origin, unit: what was subtracted from a date's integer so that float64 holds it exactly, and what the integer
    # counts
    origin: int = field(default=0, repr=False)
    unit: Unit = "D"
    whole: bool = False  # the column is one of integers

    def __len__(self) -> int:
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that hold it: two for a place."""
        return self.spec.names

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


_CATEGORY = ' (or "category" for a nominal or ordinal column)'


def admit_missing(spec: Spec, absent: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return the missing cells of a column where they may be, None where there are none; else refuse them."""
    if absent is None or not absent.any():
        return None
    if spec.missing.admits:
        return absent
    count = int(absent.sum())
    raise DataError(
        f"column {spec.name!r} has {counted(count, 'missing value')}, the first in row {first_row(absent)}, and "
        f'missing = "error": fill {it_or_them(count)}, or set missing = "impute"{_CATEGORY}'
    )


def admit_missing_cell(spec: Spec) -> None:
    """Do nothing where a cell of one record may be missing, else refuse it."""
    if not spec.missing.admits:
        raise DataError(
            f'column {spec.name!r} has a missing value, and missing = "error": fill it, or set missing = "impute"'
            + (_CATEGORY if spec.kind.is_categorical else "")
        )


def first_row(mask: NDArray[np.bool_]) -> int:
    """Return the first row a mask marks, counted from 1 as people do."""
    return int(np.argmax(mask)) + 1
