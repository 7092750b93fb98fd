"""Determination: how far the values of one column follow from those of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes

SHARE = 0.05
"""Exceptions that a column may have and still tell another: of the records without the commonest value of the other."""

FEWEST = 8
"""Records without the commonest value that must be told: fewer may fall together by chance."""

RUN = 5
"""Records of a run of neighbours, where hardly a value of a column repeats: a cut between two values of another column
spoils one run, and by chance no run of five is pure often enough."""


@dataclass(frozen=True)
class Determination:
    """How far one column tells another.

    Parameters
    ----------
    compared
        Records whose value of the determining column others have too: the only ones that can show anything.
    exceptions
        Those of them that differ from most records of that value.
    surprises
        Those of them without the commonest value of all: what somebody who knows nothing would get wrong.
    """

    compared: int
    exceptions: int
    surprises: int

    @property
    def determines(self) -> bool:
        """Whether the exceptions are few against what the column alone can tell.

        Notes
        -----
        It is a bound on lambda (Goodman and Kruskal 1954): 1 − exceptions / surprises is at least 1 − `SHARE`. A column
        that is nearly constant follows from everything with few exceptions, and its lambda is 0.
        """
        return self.surprises >= FEWEST and self.exceptions <= SHARE * self.surprises


def determination(determinant: NDArray[np.int32], dependent: NDArray[np.int32]) -> Determination:
    """Count how far the values of one column, numbered from 0, follow from those of another.

    Examples
    --------
    >>> code, county = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32), np.array([0, 0, 1, 2, 2, 1], dtype=np.int32)
    >>> determination(code, county)
    Determination(compared=5, exceptions=1, surprises=3)
    """
    sizes = np.bincount(determinant)
    repeated = sizes > 1
    pairs = equivalence_classes([determinant, dependent])
    counts = np.bincount(pairs)
    value = np.empty(len(counts), dtype=np.int64)  # of the determining column, for each pair of values
    value[pairs] = determinant
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, value, counts)
    commonest = np.bincount(dependent).argmax()
    compared = repeated[determinant]
    return Determination(
        compared=int(compared.sum()),
        exceptions=int((sizes - most)[repeated].sum()),
        surprises=int((dependent[compared] != commonest).sum()),
    )


def repeats(determinant: NDArray[np.int32]) -> bool:
    """Whether at least half of the records share their value with others."""
    sizes = np.bincount(determinant)
    return bool(2 * sizes[sizes > 1].sum() >= len(determinant))


def runs(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number runs of `RUN` neighbours along an order; equal values stay together, and so do missing ones.

    Examples
    --------
    >>> runs(np.array([9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 9.0])).tolist()
    [1, 0, 0, 0, 0, 0, 1, 1]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    return np.asarray(np.unique(first // RUN, return_inverse=True)[1][place], dtype=np.int32)
