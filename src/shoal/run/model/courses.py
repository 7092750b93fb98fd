"""Courses: how what subjects bring into the means of their classes went from release to release of a growing table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.run.model.ledger import Ledger
from shoal.run.model.sums import History, fewest_in_a_sum


@dataclass(frozen=True, eq=False)
class Courses:
    """The histories of subjects, up to the table that is to be released.

    Parameters
    ----------
    numbers
        Of their histories, columns by subjects: those of the table, then those who left.
    histories
        By their numbers; the first never changed.
    gone
        The cell of each subject who left.
    has_weights
        Whether the last column is the weight.
    """

    numbers: NDArray[np.int64]
    histories: tuple[History, ...]
    gone: NDArray[np.int64]
    has_weights: bool

    @classmethod
    def of(cls, ledger: Ledger, marks: Sequence[str], values: Sequence[str], *, has_weights: bool) -> Courses:
        """Follow the subjects of a table, and those who left, through a ledger."""
        gone = sorted(ledger.cells.keys() - set(marks))
        numbers, histories = ledger.histories([*marks, *gone], [*values, *[None] * len(gone)])
        return cls(numbers, histories, np.array([ledger.cells[mark] for mark in gone], dtype=np.int64), has_weights)

    @property
    def _here(self) -> NDArray[np.int64]:
        return self.numbers[:, : self.numbers.shape[1] - len(self.gone)]

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Which subjects of the table had another value, or weight, in the last release."""
        other = np.array([history[-1] != history[-2] for history in self.histories])
        return np.asarray(other[self._here].any(axis=0))

    @property
    def weighed(self) -> NDArray[np.bool_]:
        """Which subjects had another weight in some release, those of the table first.

        Means of the same values with other weights are other equations of the same unknowns, so that k of them are
        solved, however many have changed.
        """
        return self.numbers[-1] > 0 if self.has_weights else np.zeros(self.numbers.shape[1], dtype=np.bool_)

    def fewest(self, here: NDArray[np.int64], count: int, k: int) -> NDArray[np.int64]:
        """Return the fewest subjects that a sum of values of one column is about, or k, by cell.

        Parameters
        ----------
        here, count
            The cell of each subject of the table, and how many cells there are: those who left a cell are one of their
            own, numbered after these.
        k
            How many are enough.
        """
        cells = np.concatenate([here, count + self.gone])
        found = np.full(max(2 * count, int(cells.max()) + 1), k, dtype=np.int64)
        for numbers in self.numbers[:-1] if self.has_weights else self.numbers:
            moved = np.zeros(len(found), dtype=np.bool_)
            moved[cells[numbers > 0]] = True
            inside = moved[cells]
            codes, counts = np.unique(cells[inside] * len(self.histories) + numbers[inside], return_counts=True)
            own, which = np.divmod(codes, len(self.histories))
            starts = np.flatnonzero(np.diff(own, prepend=-1)).tolist()
            for start, end in zip(starts, [*starts[1:], len(own)], strict=False):
                had = tuple(
                    (self.histories[number], count)
                    for number, count in zip(which[start:end].tolist(), counts[start:end].tolist(), strict=True)
                )
                found[own[start]] = min(found[own[start]], fewest_in_a_sum(had, k))
        return found
