"""Variable: one column of original, release and held-out records, as statistics and models read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds import Kind, Missing
from shoal.kinds.categories import Categorical
from shoal.kinds.column import Column, Spec
from shoal.kinds.registry import read_column
from shoal.measures.tables import as_released, of_table
from shoal.plan import Plan
from shoal.plan.attribute import Role

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_CATEGORIES = 20
"""Categories that tables and predictions tell apart: the commonest of the original. All others are one."""
ARCS = 12
"""Equal parts that a cycle is cut into: hours of a day by two, days of a year by months."""
BINS = 5
"""Parts of equally many original records that numbers are cut into for two-way tables."""

_NOT_COMPARED = ("duration", "other")
_DAYS = {"D": 1.0, "m": 1 / 1_440, "s": 1 / 86_400, "ms": 1 / 86_400_000, "us": 1 / 86_400e6, "ns": 1 / 86_400e9}


MOST_RECORDS = 50_000
"""Records that a model learns from or is tested on; of larger tables it is a sample."""


def drawn_rows(rows: NDArray[np.intp], generator: np.random.Generator, parts: int = 1) -> NDArray[np.intp]:
    """Return rows of a table, or of one of its parts; as many as a model takes, drawn, where there are more."""
    most = MOST_RECORDS // parts
    return rows if len(rows) <= most else np.sort(generator.choice(rows, most, replace=False))


class Weights(NamedTuple):
    """What every record counts for, before and after."""

    before: Floats
    after: Floats


@dataclass(frozen=True, eq=False)
class Variable:
    """One column of the original, of the release and of held-out records, where there are any."""

    name: str
    kind: Kind
    role: Role
    # Numbers, NaN where missing, dates in days from 1970-01-01; or the place of the category in ``labels``, -1 where
    # missing. What records hold is not shown: a variable may end up in a log.
    before: NDArray[Any] = field(repr=False)
    after: NDArray[Any] = field(repr=False)
    held: NDArray[Any] | None = field(default=None, repr=False)
    # Those of the original in their order, then those that other tables have; empty for numbers.
    labels: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_number(self) -> bool:
        """Whether values are numbers or dates."""
        return self.kind.base in (Kind.NUMERIC, Kind.DATE, Kind.PLACE)

    @property
    def is_ordered(self) -> bool:
        """Whether values can be ranked."""
        return self.is_number or self.kind.is_ordinal

    def ranked(self, side: str) -> Floats:
        """Return numbers, or ranks of categories, NaN where missing."""
        values = getattr(self, side)
        return values if self.is_number else np.where(values < 0, np.nan, values.astype(np.float64))

    def bins(self, side: str) -> Codes:
        """Return few codes, -1 where missing: of the commonest categories, or of bins of numbers."""
        values = getattr(self, side)
        if self.is_number:
            codes = np.searchsorted(self._cuts, values, side="right").astype(np.int64)
            return np.where(np.isnan(values), -1, codes)
        return np.asarray(np.append(self._places, -1)[values])  # a missing cell is at -1, the last

    @property
    def bin_count(self) -> int:
        """How many codes there are."""
        return len(self._cuts) + 1 if self.is_number else int(self._places.max(initial=-1)) + 1

    @cached_property
    def _cuts(self) -> Floats:
        observed = self.before[~np.isnan(self.before)]
        if not len(observed):
            return np.empty(0)
        # Each value is one of the records, so that the cuts of a column with few values lie between them.
        return np.unique(np.quantile(observed, np.arange(1, BINS) / BINS, method="higher"))

    @cached_property
    def _places(self) -> Codes:
        counts = np.bincount(self.before[self.before >= 0], minlength=len(self.labels))
        if len(counts) <= MOST_CATEGORIES:
            return np.arange(len(counts))
        shown = np.sort(np.argsort(-counts, kind="stable")[: MOST_CATEGORIES - 1])
        places = np.full(len(counts), MOST_CATEGORIES - 1)
        places[shown] = np.arange(len(shown))
        return places


def read_variables(original: Table, released: Table, plan: Plan, *, held: Table | None = None) -> Iterator[Variable]:
    """Read every column that is compared, in the plan's order: neither identifiers nor the column of weights."""
    for name, attribute in plan.attributes.items():
        if attribute.role is Role.IDENTIFIER or name == plan.weights:
            continue
        if any(name not in table.names or table.dtype(name) in _NOT_COMPARED for table in (original, released)):
            continue
        kind = attribute.compared or Kind.of_dtype(original.dtype(name))
        sides = {"original": original, "released": released} | ({} if held is None else {"held-out": held})
        spec = Spec(
            name=name,
            kind=kind.in_files,
            order=kind.fixed.get("order", attribute.order),
            missing=Missing.IMPUTE,
            taxonomy=attribute.taxonomy,
        )
        columns = {
            side: of_table(side, read_column, table, as_released(spec) if side == "released" else spec)
            for side, table in sides.items()
        }
        values: list[NDArray[Any]]
        labels: tuple[str, ...] = ()
        if kind.base is Kind.CYCLIC:
            kind, period = Kind.CYCLIC, plan.spec(name).period
            values = [_arcs(column, period) for column in columns.values()]
            labels = tuple(f"part {arc + 1} of {ARCS}" for arc in range(ARCS))
        elif spec.kind.is_continuous:
            values = [_numbers(column) for column in columns.values()]
        else:
            values, labels = _categories(columns)
        held_out = values[2] if held is not None else None
        yield Variable(name, kind, attribute.role, values[0], values[1], held_out, labels)


def _numbers(column: Column) -> Floats:
    values = column.values.astype(np.float64)
    if column.kind.is_date:
        values = (values + column.origin) * _DAYS[column.unit]
    return values if column.missing is None else np.where(column.missing, np.nan, values)


def _arcs(column: Column, period: float) -> Codes:
    values = _numbers(column)
    gone = np.isnan(values)
    arcs = np.floor(np.where(gone, 0.0, values) % period / period * ARCS).astype(np.int64)
    return np.where(gone, -1, np.minimum(arcs, ARCS - 1))


def _categories(columns: dict[str, Column]) -> tuple[list[Codes], tuple[str, ...]]:
    """Return the place of the category of each cell, and what the categories are called."""
    categories = Categorical.fit(columns["original"])
    sides = []
    for side, column in columns.items():
        if not categories.ordered:
            categories = replace(categories, levels=categories.joined(column.levels))
        codes = of_table(side, categories.apply, column).astype(np.int64)
        sides.append(codes if column.missing is None else np.where(column.missing, -1, codes))
    return sides, tuple(str(level) for level in categories.levels)
