"""Ledger: who stood with whom in the releases of a growing table, by keyed hashes.

Whoever has all releases, and knows who was in the table when, can take classes of one from classes of another. All that
can be made in this way of classes are unions of *cells*: the subjects whose classes, or absence, agree in every
release. So a growing table gives nobody away by differences if no cell has fewer than k subjects (in the line of Byun
et al. 2006; Xiao and Tao 2007).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.encode import Subjects, category_text, subject_texts
from shoal.errors import DataError
from shoal.frames import Table

_PERSON = b"shoal ledger"
_DIGEST_BYTES = 16


@dataclass(frozen=True, eq=False)
class Ledger:
    """Every subject that was ever released: its cell, and a mark of its quasi-identifiers.

    Parameters
    ----------
    releases
        How many releases it has seen.
    check
        The mark of the key, so that another key is refused.
    cells
        The cell of each subject, by the mark of the subject.
    values
        Marks of what each subject brought into the means of its classes, its quasi-identifiers and its weight: one for
        each time that it was another than before, with the number of the release.

    Notes
    -----
    Marks are BLAKE2b under a key that does not stand in the ledger (Saarinen and Aumasson 2015). Without the key they
    say how large cells are, and nothing of anybody. With the key, whoever guesses the name of a subject finds its cell.
    All values of a subject are kept, not the last alone: who is back at an earlier one has not changed since, and
    whoever else has is found by taking the class of now from that of then.
    """

    releases: int
    check: str
    cells: Mapping[str, int] = field(repr=False)
    values: Mapping[str, Sequence[tuple[int, str]]] = field(repr=False)

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
            "subjects": marks,
            "cells": [self.cells[mark] for mark in marks],
            "values": [[[number, value] for number, value in self.values[mark]] for mark in marks],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Ledger:
        """Return the ledger that `to_dict` wrote."""
        marks = given["subjects"]
        return cls(
            int(given["releases"]),
            str(given["check"]),
            dict(zip(marks, given["cells"], strict=True)),
            {
                mark: tuple((int(number), str(value)) for number, value in own)
                for mark, own in zip(marks, given["values"], strict=True)
            },
        )

    def differing(self, marks: Sequence[str], values: Sequence[str]) -> NDArray[np.bool_]:
        """Say of every release and subject whether the subject's value was another than it is now.

        Parameters
        ----------
        marks, values
            Of each subject of the table to release; those whom no release had differ from none.

        Returns
        -------
        Releases by subjects. Where a subject was not in a release, its value is that of the release before.
        """
        found = np.zeros((self.releases, len(marks)), dtype=np.bool_)
        for place, (mark, value) in enumerate(zip(marks, values, strict=True)):
            own = self.values.get(mark, ())
            for number, (first, then) in enumerate(own):
                last = self.releases if number + 1 == len(own) else own[number + 1][0] - 1
                found[first - 1 : last, place] = then != value
        return found

    @classmethod
    def after(
        cls,
        before: Ledger | None,
        marks: Sequence[str],
        values: Sequence[str],
        classes: NDArray[np.int64],
        key: bytes,
    ) -> Ledger:
        """Write a release into the ledger.

        Parameters
        ----------
        before
            The ledger of the releases before it; None where it is the first.
        marks, values, classes
            Of each subject of the release: its mark, the mark of its quasi-identifiers, and its class.
        key
            What the marks were made by.
        """
        old = {} if before is None else before.cells
        now = dict(zip(marks, classes.tolist(), strict=True))
        everybody = list(dict.fromkeys([*old, *marks]))
        then = np.array([old.get(mark, -1) for mark in everybody], dtype=np.int64)
        here = np.array([now.get(mark, -1) for mark in everybody], dtype=np.int64)
        cells = equivalence_classes([then, here])
        number = 1 + (0 if before is None else before.releases)
        known = {} if before is None else dict(before.values)
        for mark, value in zip(marks, values, strict=True):
            own = known.get(mark, ())
            if not own or own[-1][1] != value:
                known[mark] = (*own, (number, value))
        return cls(number, key_mark(key), dict(zip(everybody, cells.tolist(), strict=True)), known)


def key_mark(key: bytes) -> str:
    """Return what tells one key from another and nothing else."""
    return _mark(b"key", key)


def subject_marks(table: Table, subjects: Subjects, key: bytes) -> list[str]:
    """Return the mark of each subject, in the order of their numbers."""
    return [
        _mark(f"subject {text}".encode("utf-8", "surrogatepass"), key) for text in subject_texts(table, subjects.name)
    ]


def value_marks(table: Table, subjects: Subjects, names: Sequence[str], marks: Sequence[str], key: bytes) -> list[str]:
    """Return a mark of what some columns hold in the records of each subject: the same in all where it is there.

    The mark of the subject goes in, so that equal values of two subjects have marks that tell nothing of it.
    """
    cells = []
    for name in names:
        categories = table.categories(name)
        texts = [*map(category_text, categories.labels), "\x00"]  # the last is for a missing cell, at -1
        codes = categories.codes[subjects.rows_where(categories.codes >= 0)]
        cells.append([texts[code] for code in codes.tolist()])
    return [
        _mark("\x1f".join((mark, *parts)).encode("utf-8", "surrogatepass"), key)
        for mark, *parts in zip(marks, *cells, strict=True)
    ]


def _mark(text: bytes, key: bytes) -> str:
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES, key=key, person=_PERSON).hexdigest()
