"""ConfidentialColumn: one confidential attribute as released, and how often its values occur in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes, first_rows
from shoal.errors import DataError
from shoal.kinds import Kind
from shoal.measures.arrays import declared_kind, missing_cells, numbers, ranks_in
from shoal.measures.whole_table import FullConfidential
from shoal.moments import moments, safely_scaled


@dataclass(frozen=True, eq=False)
class ConfidentialColumn:
    """One confidential attribute of every released record.

    Examples
    --------
    >>> ConfidentialColumn.of("charge", [30.0, 10.0, np.nan, 30.0]).codes.tolist()
    [1, 0, 2, 1]
    """

    # name, kind: the column and how its values are compared
    name: str
    kind: Kind
    # float64 for numeric and date columns; ranks or codes for ordinal and nominal ones. What stands at a missing
    # cell is undefined
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None  # true where the cell is missing, or None where no cell is
    # of the whole table, where the records are a part of it; ``values`` are in its terms then
    full: FullConfidential | None = None

    @classmethod
    def of(cls, name: str, values: ArrayLike, *, kind: Kind | str | Sequence[Any] = Kind.NUMERIC) -> ConfidentialColumn:
        """Take an array of raw values; the list of its categories, lowest first, makes a column ordinal."""
        column = np.asarray(values)
        if column.ndim != 1:
            raise DataError(f"column {name!r} must be one value per record, not {column.ndim}-dimensional")
        kind, order = declared_kind(name, kind)
        if kind.is_continuous:
            return cls(name, kind, *numbers(name, column))
        absent = missing_cells(column)
        gone = absent if absent.any() else None
        values = equivalence_classes([column]) if order is None else ranks_in(name, column, absent, order)
        return cls(name, kind, values, gone)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_continuous(self) -> bool:
        """Whether values are numbers or dates."""
        return self.kind.is_continuous

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The place of each value among the distinct ones, from 0; missing is a value, after the greatest."""
        if self.full is not None:
            return self.full.codes(self.values, self.missing)
        if self.missing is None:
            return np.unique(self.values, return_inverse=True)[1].astype(np.int64)
        distinct, places = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), len(distinct), dtype=np.int64)
        codes[~self.missing] = places
        return codes

    @cached_property
    def overall(self) -> NDArray[np.int64]:
        """How many records of the table have each code."""
        return np.bincount(self.codes) if self.full is None else self.full.counts

    @cached_property
    def standardised(self) -> NDArray[np.float64]:
        """Numbers or dates in standard deviations (n − 1) from the mean; missing ones at it, constant ones at 0."""
        if self.full is None:
            (values,) = safely_scaled(self.values)
            observed = values if self.missing is None else values[~self.missing]
            if len(observed) == 0:
                return np.zeros(len(values))
            both = moments([observed])
            mean, deviation = both.mean[0], both.deviation[0]
        else:
            values, (mean, deviation) = self.values, self.full.mean_and_deviation
        result = np.zeros(len(values)) if deviation == 0 else (values - mean) / deviation
        if self.missing is not None:
            result[self.missing] = 0.0
        return result


@dataclass(frozen=True, eq=False)
class Counts:
    """How many records have a class and the code of a value, for the combinations that occur, sorted by class."""

    group: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, labels: NDArray[np.int64], codes: NDArray[np.int64]) -> Counts:
        """Count values in classes.

        >>> counts = Counts.of(np.array([0, 1, 0, 0]), np.array([5, 5, 2, 5]))
        >>> counts.group.tolist(), counts.value.tolist(), counts.count.tolist()
        ([0, 0, 1], [2, 5, 5], [1, 2, 1])
        """
        cells = equivalence_classes([labels, codes])
        first = first_rows(cells)
        order = np.lexsort((codes[first], labels[first]))
        return cls(labels[first][order], codes[first][order], np.bincount(cells)[order])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each class starts."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The number of distinct values in each class."""
        return np.bincount(self.group)
