"""The whole of a table, as the measures of a part of it must know it: then what they add up is that of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Unit
from shoal.kinds.column import Column
from shoal.moments import MeanDeviation


@dataclass(frozen=True, eq=False)
class FullColumn:
    """A quasi-identifier of a whole table before it was masked.

    Mean, deviation and extent of numbers and dates have missing cells at the mean; of directions they are the mean
    vector, its spread and its box. ``total`` is what the column would lose if every record were released as the average
    one, ``unit`` what a date counts, from 1970.
    """

    mean: Any = field(default=0.0, repr=False)
    deviation: float = 0.0
    extent: float = 0.0
    levels: int = 0
    total: float = 0.0
    unit: Unit | None = None


@dataclass(frozen=True, eq=False)
class FullConfidential:
    """The different values of a confidential attribute of a whole table, ascending, and how many records have each.

    Values are numbers, dates from 1970 in ``unit``, or places among the categories (``levels``); at the end of the
    counts stand the records without a value, where there are any.
    """

    values: NDArray[Any] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    levels: tuple[Any, ...] = field(default=(), repr=False)
    unit: Unit | None = None

    @classmethod
    def of(cls, column: Column, records: NDArray[np.int64]) -> FullConfidential:
        """Take a column of different values, and how many records have each."""
        gone = np.zeros(len(column), dtype=np.bool_) if column.missing is None else column.missing
        numbers = column.values
        if column.kind.is_continuous:
            numbers = numbers + column.origin
        values, place = np.unique(numbers[~gone], return_inverse=True)
        counts = np.bincount(place, records[~gone], len(values)).astype(np.int64)
        absent = int(records[gone].sum())
        unit = column.unit if column.kind.is_continuous and column.kind.is_date else None
        return cls(values, np.append(counts, absent) if absent else counts, column.levels, unit)

    def read(self, column: Column) -> NDArray[Any]:
        """Return the values of a part of the table, in the terms of the whole."""
        if column.kind.is_continuous:
            return column.counted_from(0, self.unit)
        place_of = {level: place for place, level in enumerate(self.levels)}
        places = np.array([*(place_of.get(level, -1) for level in column.levels), -1], dtype=np.int64)
        return np.asarray(places[column.values])

    def codes(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the place of each value among the different ones; missing is the last."""
        codes = np.searchsorted(self.values, values)
        return codes if missing is None else np.where(missing, len(self.values), codes)

    @cached_property
    def mean_and_deviation(self) -> MeanDeviation:
        """Mean and standard deviation (n − 1) of the observed numbers."""
        counts = self.counts[: len(self.values)]
        records = int(counts.sum())
        if records == 0:
            return MeanDeviation(0.0, 0.0)
        first = float(self.values[0])
        near = self.values - first
        mean = float(near @ counts) / records
        squares = float(counts @ (near - mean) ** 2)
        return MeanDeviation(first + mean, float(np.sqrt(squares / (records - 1))) if records > 1 else 0.0)


@dataclass(frozen=True, eq=False)
class FullTable:
    """What the measures of a part of a table know of the whole, by the names of its columns."""

    columns: Mapping[str, FullColumn]
    confidential: Mapping[str, FullConfidential]
