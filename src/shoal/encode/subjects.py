"""Subjects: whom each record is about, as numbers. k counts them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes import first_rows
from shoal.errors import DataError
from shoal.frames import Categories, Table
from shoal.kinds.text import category_text

_WHOLE = re.compile(r"[+-]?\d+\.0+")
"""A whole number as some programs write it."""


def subject_text(value: Any) -> str:
    """Return what makes two cells the same subject: the text, trimmed and in one Unicode form.

    Notes
    -----
    Compatibility forms count as the same (NFKC), characters that nobody sees do not count, and a whole number is one
    however it is written: to take two persons for one counts too few of them, to take one for two would break the
    promise.

    Examples
    --------
    >>> subject_text(" 007 "), subject_text(7.0), subject_text("7.0")
    ('007', '7', '7')
    >>> subject_text("Cafe\\u0301") == subject_text("Café"), subject_text("ann\\u3164") == subject_text("ann")
    (True, True)
    """
    text = category_text(value)
    if not (text.isascii() and text.isprintable()):  # most texts have nothing to look for
        text = unicodedata.normalize("NFKC", visible(text))
    text = text.strip()
    return text.partition(".")[0] if "." in text and _WHOLE.fullmatch(text) else text


@dataclass(frozen=True, eq=False)
class Subjects:
    """The subject of each record."""

    name: str  # the column that names them
    numbers: NDArray[np.int32]  # one per record, from 0 without gaps
    case_variants: int = 0  # subjects that differ from another in letter case alone

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def count(self) -> int:
        """Number of different subjects."""
        return int(self.numbers.max(initial=-1)) + 1

    @cached_property
    def first_rows(self) -> NDArray[np.int64]:
        """The first record of each subject."""
        return first_rows(self.numbers)

    def rows_where(self, present: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the first record of each subject where something is there; the first of all, where it never is."""
        rows = self.first_rows.copy()
        rows_present = np.flatnonzero(present)[::-1]
        rows[self.numbers[rows_present]] = rows_present
        return rows

    def is_constant(self, codes: NDArray[Any]) -> bool:
        """Whether all records of a subject have the same code, whoever the subject is."""
        return bool((codes == codes[self.first_rows][self.numbers]).all())


def read_subjects(table: Table, name: str) -> Subjects:
    """Read the column that says whom a record is about.

    Raises
    ------
    DataError
        A record has no subject: an empty text is none.
    """
    subjects = _numbered(table, name)
    numbers, texts = subjects.codes, subjects.labels
    missing = int((numbers < 0).sum())
    if missing:
        raise DataError(
            f"subject column {name!r} has no value in {missing:,} of {len(numbers):,} records: every record needs its "
            "subject, so fill them in or leave those records out"
        )
    return Subjects(name, numbers, len(texts) - len({str(text).casefold() for text in texts}))


def subject_texts(table: Table, name: str) -> list[str]:
    """Return the text of each subject, in the order of their numbers."""
    return [str(text) for text in _numbered(table, name).labels]


class Repetition(NamedTuple):
    """How many records have a value of a column, and how many different ones there are."""

    records: int
    different: int


def repeats(table: Table, name: str) -> Repetition:
    """Count the values of a column, read as subjects.

    Bytes, as keys often are, are counted as they are. Lists, structures and durations name nobody.
    """
    if table.dtype(name) in ("duration", "other"):
        keys = [cell for cell in table.frame[name].to_list() if isinstance(cell, bytes)]
        return Repetition(len(keys), len(set(keys)))
    subjects = _numbered(table, name)
    return Repetition(int((subjects.codes >= 0).sum()), len(subjects.labels))


def _numbered(table: Table, name: str) -> Categories:
    """Return the subjects as categories: the number of each record's, -1 where there is none, and their texts."""
    categories = table.categories(name)
    number_of: dict[str, int] = {}
    of_label = np.full(len(categories.labels) + 1, -1, dtype=np.int32)  # the last is for a missing cell, at -1
    for label, text in enumerate(map(subject_text, categories.labels)):
        if text:
            of_label[label] = number_of.setdefault(text, len(number_of))
    numbers = of_label[categories.codes]
    present = np.zeros(len(number_of), dtype=np.int32)
    present[numbers[numbers >= 0]] = 1
    if not present.all():  # labels of a category type that no record has
        renumbered = np.append(np.where(present, np.cumsum(present) - 1, -1), -1).astype(np.int32)
        return Categories(renumbered[numbers], tuple(text for text, number in number_of.items() if present[number]))
    return Categories(numbers, tuple(number_of))


_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt of version 14.0): variation
selectors, fillers, joiners, tags. Python's ``unicodedata`` does not have the property."""

_BLANKS = frozenset("\t\n\u2800\U00016fe4\U0001d159")
"""What looks like a space and is none by its category: tab, end of line, an empty Braille cell, a Khitan filler, a note
without a head."""


def visible(text: str) -> str:
    """Return a text without what nobody sees: controls, marks of format, what is ignorable; blanks are spaces.

    >>> visible("ann\\u200b"), visible("a\\x01nn\\ufe0f"), visible("ann\\u2800lee")
    ('ann', 'ann', 'ann lee')
    """
    return "".join(map(_seen, text))


@lru_cache(1 << 14)
def _seen(letter: str) -> str:
    """Return what is seen of a letter: itself, a space or nothing."""
    category = unicodedata.category(letter)
    if category in ("Zs", "Zl", "Zp") or letter in _BLANKS:
        return " "
    return "" if category in ("Cc", "Cf") or _IGNORABLE.match(letter) else letter
