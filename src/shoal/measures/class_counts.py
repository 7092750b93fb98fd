"""Counts: how often each confidential value occurs in each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.pair import Pair


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


def counts_of(pair: Pair, column: ConfidentialColumn) -> Counts:
    """Count the values of a confidential attribute in each class, once per pair."""
    return pair.once(("counts", column.name), lambda: Counts.of(pair.classes, column.codes))
