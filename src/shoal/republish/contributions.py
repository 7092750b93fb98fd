"""Contributions: what each subject brings into the means of its class, and how that went from release to release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Subjects
from shoal.frames import Table
from shoal.kinds.column import Column
from shoal.kinds.numeric import number_texts
from shoal.kinds.registry import kind_of
from shoal.kinds.text import category_text
from shoal.masking.inputs import Inputs
from shoal.plan import Plan
from shoal.republish.ledger import Ledger, values_of_each
from shoal.republish.sums import GAP, ValueHistory, fewest_in_a_sum

_NO_CATEGORY = "\x00"


def contributions(table: Table, inputs: Inputs, plan: Plan) -> dict[str, list[str | None]]:
    """Return the values of each subject by column, the columns by name, and its weight as the last; None for gaps.

    A value has one text, whatever the type of its column: were all said to have changed, nobody would see who has.
    """
    subjects = inputs.subjects
    assert subjects is not None, "check_previous asked for them"
    texts = {column.name: _texts(column, subjects) for column in inputs.quasi_identifiers}
    if plan.by is not None and plan.by not in texts:
        domains = column_texts(table, plan.by)
        texts[plan.by] = [domains[row] or _NO_CATEGORY for row in subjects.first_rows.tolist()]
    texts = dict(sorted(texts.items()))
    if plan.weights is None:
        return texts
    assert inputs.weights is not None, "read where the plan names them"
    texts.pop(plan.weights, None)  # the weight says more than a value that it may be, too
    texts[plan.weights] = [*number_texts(inputs.weights[subjects.first_rows])]
    return texts


def column_texts(table: Table, name: str) -> tuple[str | None, ...]:
    """Return the cells of a column as text; None where they are missing."""
    categories = table.categories(name)
    texts = [*map(category_text, categories.labels), None]
    return tuple(texts[code] for code in categories.codes.tolist())


def _texts(column: Column, subjects: Subjects) -> list[str | None]:
    """Return the value of each subject: the same in all of its records where it is there."""
    present_cells = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    rows = subjects.rows_where(present_cells)
    texts: list[str | None] = [None] * len(rows)
    present = np.flatnonzero(present_cells[rows])
    written = kind_of(column.spec).texts(column, column.values[rows[present]])
    for place, text in zip(present.tolist(), written, strict=True):
        texts[place] = text
    return texts


@dataclass(frozen=True, eq=False)
class Courses:
    """The histories of subjects, up to the table that is to be released."""

    numbers: NDArray[np.int64]  # of their histories, columns by subjects: those of the table, then those who left
    histories: tuple[ValueHistory, ...]  # by their numbers; the first never changed
    gone: NDArray[np.int64]  # the cell of each subject who left
    has_weights: bool  # the last column is the weight

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
        return values_of_each(classes, [*present])

    def fewest(
        self, here: NDArray[np.int64], gone: NDArray[np.int64], shown: NDArray[np.int64], k: int
    ) -> NDArray[np.int64]:
        """Return the fewest subjects that a sum of values of one column is about, or k, by cell.

        ``here`` and ``gone`` are the cells of the subjects of the table and of those who left. Where one release by
        itself has ``shown`` the mean of fewer than k values (cells by columns), so few are enough.
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
            starts = np.unique(cell_of, return_index=True)[1].tolist()
            for start, end in zip(starts, [*starts[1:], len(cell_of)], strict=False):
                had = tuple(
                    (self.histories[number], count)
                    for number, count in zip(which[start:end].tolist(), counts[start:end].tolist(), strict=True)
                )
                few = fewest_in_a_sum(had, sufficient[cell_of[start]])
                if few < sufficient[cell_of[start]]:
                    fewest_of_cell[cell_of[start]] = min(fewest_of_cell[cell_of[start]], few)
        return fewest_of_cell
