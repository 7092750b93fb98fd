"""Confidential: one confidential attribute as released, and how its values spread over the equivalence classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.errors import DataError
from shoal.measure.column_pair import Kind
from shoal.measure.moments import moments, tamed
from shoal.measure.values import missing_cells, numbers, ranks_in


@dataclass(frozen=True, eq=False)
class Confidential:
    """One confidential attribute of every released record.

    Parameters
    ----------
    name, kind
        The column and how its values are compared.
    values
        float64 for numeric and date columns; ranks or codes for ordinal and nominal ones. What stands at a missing cell
        is undefined.
    missing
        True where the cell is missing, or None where no cell is.

    Examples
    --------
    >>> Confidential.of("charge", [30.0, 10.0, np.nan, 30.0]).codes.tolist()
    [1, 0, 2, 1]
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, name: str, values: ArrayLike, *, kind: Kind | Sequence[Any] = "numeric") -> Confidential:
        """Take an array of raw values; the list of its categories, lowest first, makes a column ordinal."""
        column = np.asarray(values)
        if column.ndim != 1:
            raise DataError(f"column {name!r} must be one value per record, not {column.ndim}-dimensional")
        if kind == "numeric" or kind == "date":
            return cls(name, kind, *numbers(name, column))
        absent = missing_cells(column)
        gone = absent if absent.any() else None
        if kind == "nominal":
            return cls(name, "nominal", equivalence_classes([column]), gone)
        if isinstance(kind, str):
            raise DataError(
                f"column {name!r} cannot be of kind {kind!r}: use numeric, date or nominal, or list the categories of "
                "an ordinal column, lowest first"
            )
        return cls(name, "ordinal", ranks_in(name, column, absent, kind), gone)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_continuous(self) -> bool:
        """Whether values are numbers or dates."""
        return self.kind in ("numeric", "date")

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The place of each value among the distinct ones, from 0; missing is a value, after the greatest."""
        if self.missing is None:
            return np.unique(self.values, return_inverse=True)[1].astype(np.int64)
        distinct, places = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), len(distinct), dtype=np.int64)
        codes[~self.missing] = places
        return codes

    @cached_property
    def standardised(self) -> NDArray[np.float64]:
        """Numbers or dates in standard deviations (n − 1) from the mean; missing ones at it, constant ones at 0."""
        (values,) = tamed(self.values)
        observed = values if self.missing is None else values[~self.missing]
        if len(observed) == 0:
            return np.zeros(len(values))
        found = moments([observed])
        mean, deviation = found.mean[0], found.deviation[0]
        result = np.zeros(len(values)) if deviation == 0 else (values - mean) / deviation
        if self.missing is not None:
            result[self.missing] = 0.0
        return result


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each value occurs in each class, for the combinations that occur, sorted by class.

    Parameters
    ----------
    group, value, count
        A class, a value's code, and the number of records with both.
    """

    group: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, labels: NDArray[np.int64], codes: NDArray[np.int64]) -> Counts:
        """Count values in classes.

        Examples
        --------
        >>> counts = Counts.of(np.array([0, 1, 0, 0]), np.array([5, 5, 2, 5]))
        >>> counts.group.tolist(), counts.value.tolist(), counts.count.tolist()
        ([0, 0, 1], [2, 5, 5], [1, 2, 1])
        """
        cells = equivalence_classes([labels, codes])
        count = np.bincount(cells)
        first = np.empty(len(count), dtype=np.int64)
        first[cells[::-1]] = np.arange(len(cells))[::-1]
        order = np.lexsort((codes[first], labels[first]))
        return cls(labels[first][order], codes[first][order], count[order])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each class starts."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The number of distinct values in each class."""
        return np.bincount(self.group)
