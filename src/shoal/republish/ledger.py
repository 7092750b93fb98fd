"""Ledger: who stood with whom in the releases of a growing table, by keyed hashes.

Whoever has all releases, and knows who was in the table when, can take classes of one from classes of another. All that
can be made in this way of classes are unions of *cells*: the subjects whose classes, or absence, agree in every
release. So a growing table gives nobody away by differences if no cell has fewer than k subjects (in the line of Byun
et al. 2006; Xiao and Tao 2007).
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.encode import Subjects, subject_texts
from shoal.errors import DataError
from shoal.frames import Table
from shoal.republish.sums import GAP, ValueHistory

_PERSON = b"shoal ledger"
_DIGEST_BYTES = 16
_VALUE_DIGITS = 16
"""Hexadecimal digits of the mark of a value, which is compared with other values of the same subject alone."""
_NO_VALUE = "0" * _VALUE_DIGITS
"""The mark of a missing cell, whoever has it."""
_MOST_RELEASES = 100_000
_NOWHERE = -1
"""The class of who is not in a release."""


class NumberedHistories(NamedTuple):
    """The number of a history, columns by subjects, and the histories by number; the first never changed."""

    numbers: NDArray[np.int64]
    histories: tuple[ValueHistory, ...]


@dataclass(frozen=True, eq=False)
class Ledger:
    """Every subject that was ever released: its cell, and marks of its quasi-identifiers.

    Notes
    -----
    Marks are BLAKE2b under a key that does not stand in the ledger (Saarinen and Aumasson 2015). Without the key they
    say how large cells are and where cells were missing, and nothing of anybody. With the key, whoever guesses the name
    of a subject finds its cell. All values of a subject are kept, not the last alone: who is back at an earlier one has
    not changed since, and whoever else has is found by taking the class of now from that of then (see `sums`).
    """

    releases: int  # that it has seen
    check: str  # the mark of the key, so that another key is refused
    # What a subject brings into the means of its classes: quasi-identifiers, ``by``, and its weight as the last.
    columns: tuple[str, ...]
    cells: Mapping[str, int] = field(repr=False)  # by the mark of the subject
    # The values that each subject had in these columns, one mark after the other: once for each time that one of them
    # was another than before, with the number of the release.
    values: Mapping[str, Sequence[tuple[int, str]]] = field(repr=False)
    # Of how many values the mean of a class was, at the fewest, in which the subjects of a cell stood: cells by
    # columns, 0 for none. Gaps leave fewer than k.
    shown: NDArray[np.int64] = field(repr=False)

    def require_key(self, key: bytes) -> None:
        """Refuse another key than the one it was written with: everybody would be new."""
        if not hmac.compare_digest(self.check, key_mark(key)):
            raise DataError("the key is not the one by which the previous release remembers its subjects: give that")

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of subjects of each cell."""
        return np.bincount(np.fromiter(self.cells.values(), dtype=np.int64, count=len(self.cells)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, in the order of the marks: that of rows would tell something."""
        marks = sorted(self.cells)
        return {
            "releases": self.releases,
            "check": self.check,
            "columns": list(self.columns),
            "subjects": marks,
            "cells": [self.cells[mark] for mark in marks],
            "values": [[[number, value] for number, value in self.values[mark]] for mark in marks],
            "shown": self.shown.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Ledger:
        """Return the ledger that `to_dict` wrote; ValueError, or another, for what it cannot have written."""
        releases, columns, marks, cells = (given[key] for key in ("releases", "columns", "subjects", "cells"))
        values = {
            mark: tuple((number, value) for number, value in own_values)
            for mark, own_values in zip(marks, given["values"], strict=True)
        }
        _require_marks([given["check"], *marks], 2 * _DIGEST_BYTES)
        _require_marks(
            [value for own_values in values.values() for _, value in own_values], _VALUE_DIGITS * len(columns)
        )
        for own_values in values.values():
            _require_rising([0, *(number for number, _ in own_values), releases + 1])
        if not values or len(values) < len(marks) or not all(type(name) is str for name in columns):
            raise ValueError("no subjects, or one of them twice, or columns without a name")
        if {int} != set(map(type, cells)) or set(cells) != set(range(len(set(cells)))):
            raise ValueError("cells that are not numbered from 0 without gaps")
        if releases > _MOST_RELEASES:
            raise ValueError("more releases than anybody makes")
        if any(type(count) is not int or count < 0 for counts in given["shown"] for count in counts):
            raise ValueError("what is no number of values")
        shown = np.array(given["shown"], dtype=np.int64).reshape(len(set(cells)), len(columns))
        return cls(releases, given["check"], tuple(columns), dict(zip(marks, cells, strict=True)), values, shown)

    def histories(self, marks: Sequence[str], values: Sequence[str | None]) -> NumberedHistories:
        """Return how the values of subjects went up to the next release, of which the marks of values are given.

        Where a subject was not in a release (None in the next), its value is that of the one before, or of its first:
        newcomers have always had what they have.
        """
        histories: dict[ValueHistory, int] = {(0,) * (self.releases + 1): 0}
        numbers = np.zeros((len(self.columns), len(marks)), dtype=np.int64)
        for place, (mark, now) in enumerate(zip(marks, values, strict=True)):
            own_values = self.values.get(mark, ())
            course = own_values if now is None else (*own_values, (self.releases + 1, now))
            if _NO_VALUE in course[0][1] or any(then != course[0][1] for _, then in course):
                begins = [1, *(first for first, _ in course[1:]), self.releases + 2]
                for column, at in enumerate(_places(self.columns)):
                    had = [then[at : at + _VALUE_DIGITS] for _, then in course]
                    numbers[column, place] = histories.setdefault(_history(had, begins), len(histories))
        return NumberedHistories(numbers, tuple(histories))

    @classmethod
    def after(
        cls,
        before: Ledger | None,
        columns: Sequence[str],
        marks: Sequence[str],
        values: Sequence[str],
        classes: NDArray[np.int64],
        key: bytes,
    ) -> Ledger:
        """Write a release into the ledger of those before it: by subject the mark, the marks of values, the class."""
        old = {} if before is None else before.cells
        now = dict(zip(marks, classes.tolist(), strict=True))
        everybody = list(dict.fromkeys([*old, *marks]))
        then = np.array([old.get(mark, _NOWHERE) for mark in everybody], dtype=np.int64)
        here = np.array([now.get(mark, _NOWHERE) for mark in everybody], dtype=np.int64)
        cells = equivalence_classes([then, here])
        observed = [
            [value[place : place + _VALUE_DIGITS] != _NO_VALUE for value in values] for place in _places(columns)
        ]
        shown = np.zeros((int(cells.max()) + 1, len(columns)), dtype=np.int64)
        if before is not None:
            shown[cells[then >= 0]] = before.shown[then[then >= 0]]
        counts = values_of_each(classes, observed)
        shown[cells[here >= 0]] = fewer(shown[cells[here >= 0]], counts[here[here >= 0]])
        number = 1 + (0 if before is None else before.releases)
        all_values = {} if before is None else dict(before.values)
        for mark, value in zip(marks, values, strict=True):
            own_values = all_values.get(mark, ())
            if not own_values or own_values[-1][1] != value:
                all_values[mark] = (*own_values, (number, value))
        return cls(
            number, key_mark(key), tuple(columns), dict(zip(everybody, cells.tolist(), strict=True)), all_values, shown
        )


def fewer(counts: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the smaller of numbers of values, 0 standing for none."""
    return np.where(counts == 0, others, np.where(others == 0, counts, np.minimum(counts, others)))


def values_of_each(classes: NDArray[np.int64], present: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Return of how many values the means of each class are: classes by columns, of which the present ones are told."""
    return np.stack([np.bincount(classes, weights=each).astype(np.int64) for each in present], axis=1)


def key_mark(key: bytes) -> str:
    """Return what tells one key from another and nothing else."""
    return _mark(b"key", key)


def subject_marks(table: Table, subjects: Subjects, key: bytes) -> list[str]:
    """Return the mark of each subject, in the order of their numbers."""
    return [
        _mark(f"subject {text}".encode("utf-8", "surrogatepass"), key) for text in subject_texts(table, subjects.name)
    ]


def value_marks(columns: Sequence[Sequence[str | None]], marks: Sequence[str], key: bytes) -> list[str]:
    """Return the marks of what each subject has in some columns, or None, one after the other.

    The mark of the subject and the place of the column go in, so that equal values have marks that tell nothing of it.
    """
    return [
        "".join(
            _NO_VALUE
            if cell is None
            else _mark(f"{place} {mark} {cell}".encode("utf-8", "surrogatepass"), key)[:_VALUE_DIGITS]
            for place, cell in enumerate(cells)
        )
        for mark, *cells in zip(marks, *columns, strict=True)
    ]


def _mark(text: bytes, key: bytes) -> str:
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES, key=key, person=_PERSON).hexdigest()


def _places(columns: Sequence[str]) -> range:
    """Return where the mark of each column begins."""
    return range(0, _VALUE_DIGITS * len(columns), _VALUE_DIGITS)


def _history(values: Sequence[str], begins: Sequence[int]) -> ValueHistory:
    """Return the number of the value in each release, values being those from one beginning to the next."""
    seen: dict[str, int] = {}
    return tuple(
        GAP if value == _NO_VALUE else seen.setdefault(value, len(seen))
        for value, (first, end) in zip(values, pairwise(begins), strict=True)
        for _ in range(first, end)
    )


def _require_marks(marks: Sequence[Any], digits: int) -> None:
    if not all(type(mark) is str and re.fullmatch(f"[0-9a-f]{{{digits}}}", mark) for mark in marks):
        raise ValueError("what is no mark")


def _require_rising(numbers: Sequence[Any]) -> None:
    if {int} != set(map(type, numbers)) or sorted(set(numbers)) != numbers or len(numbers) < 3:
        raise ValueError("numbers of releases that do not rise")
