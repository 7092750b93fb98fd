"""Courses: how what subjects bring into the means of their classes went from release to release of a growing table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.republish.ledger import Ledger
from shoal.republish.sums import GAP, History, fewest_in_a_sum


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

    def observed(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return of how many values the means of each class would be: classes by columns."""
        present = np.array([history[-1] != GAP for history in self.histories])[self._here]
        return np.stack([np.bincount(classes, weights=each).astype(np.int64) for each in present], axis=1)

    def fewest(
        self, here: NDArray[np.int64], gone: NDArray[np.int64], shown: NDArray[np.int64], k: int
    ) -> NDArray[np.int64]:
        """Return the fewest subjects that a sum of values of one column is about, or k, by cell.

        Parameters
        ----------
        here, gone
            The cell of each subject of the table, and of those who left.
        shown
            How many values one release by itself has shown the mean of, cells by columns: so few are enough.
        k
            How many are enough where no mean was of fewer.
        """
        cells = np.concatenate([here, gone])
        fewest_of_cell = np.full(len(shown), k, dtype=np.int64)
        enough = np.where(shown == 0, k, np.minimum(shown, k)).T.tolist()
        for numbers, sufficient in zip(self.numbers[:-1] if self.has_weights else self.numbers, enough, strict=False):
            moved = np.zeros(len(fewest_of_cell), dtype=np.bool_)
            moved[cells[numbers > 0]] = True
            inside = moved[cells]
            codes, counts = np.unique(cells[inside] * len(self.histories) + numbers[inside], return_counts=True)
            cell_of, which = np.divmod(codes, len(self.histories))
            starts = np.flatnonzero(np.diff(cell_of, prepend=-1)).tolist()
            for start, end in zip(starts, [*starts[1:], len(cell_of)], strict=False):
                had = tuple(
                    (self.histories[number], count)
                    for number, count in zip(which[start:end].tolist(), counts[start:end].tolist(), strict=True)
                )
                few = fewest_in_a_sum(had, sufficient[cell_of[start]])
                if few < sufficient[cell_of[start]]:
                    fewest_of_cell[cell_of[start]] = min(fewest_of_cell[cell_of[start]], few)
        return fewest_of_cell
