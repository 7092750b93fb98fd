"""Profile: what can be seen of a column before anybody said what it is. Counts are of the table, shapes of a sample."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import DType, Table
from shoal.frames.exact_names import column_of
from shoal.kinds import Kind

SAMPLE = 100_000
"""Rows that are looked at of a table that has more than twice as many."""

SEED = 0
"""Of the sample: the same table gives the same proposal."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def words_of(name: str) -> frozenset[str]:
    """Return the words in the name of a column, in small letters.

    Examples
    --------
    >>> sorted(words_of("dateOfBirth_1"))
    ['1', 'birth', 'date', 'of']
    """
    return frozenset(word.lower() for word in _WORDS.findall(name))


@dataclass(frozen=True, eq=False)
class Profile:
    """A column as it looks."""

    name: str
    dtype: DType
    rows: int  # of the table
    present: int  # cells that are there
    distinct: int  # different values among them, read as text
    guess: str | None = None  # what a column of text holds by its cells: numeric, date or nominal
    hint: str | None = None  # the level of measurement that a file states: nominal, ordinal or scale
    ordered: bool = False  # its type orders its categories
    labels: tuple[Any, ...] = field(default=(), repr=False)  # the values of the sample in their order, trimmed
    # of each of them
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    holds: str = ""  # what it holds in words, where it has no values that can be masked

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return words_of(self.name)

    @property
    def kind(self) -> str:
        """What the cells look like: ``numeric``, ``date`` or ``nominal``."""
        return self.guess or Kind.of_dtype(self.dtype).value

    @cached_property
    def texts(self) -> list[str]:
        """The different values as text."""
        return [str(label) for label in self.labels]

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The different values as numbers, where it is a column of numbers; else none."""
        if self.kind != "numeric":
            return np.empty(0)
        return np.array([_number(label) for label in self.labels])

    @property
    def whole_numbers(self) -> bool:
        """Whether all values are whole numbers."""
        numbers = self.numbers[~np.isnan(self.numbers)]
        return len(numbers) > 0 and bool((numbers == np.rint(numbers)).all())

    @property
    def uniqueness(self) -> float:
        """Different values as a share of the cells that are there."""
        return self.distinct / self.present if self.present else 0.0

    def share(self, matches: Iterable[bool]) -> float:
        """Return the share of the sample's cells whose values match."""
        matching = np.fromiter(matches, dtype=np.bool_, count=len(self.labels))
        total = int(self.counts.sum())
        return float(self.counts[matching].sum()) / total if total else 0.0


def sample_rows(count: int) -> NDArray[np.int64] | None:
    """Return a seeded sample of the rows of a table, in their order; None where it has few enough to look at all."""
    if count <= 2 * SAMPLE:
        return None
    return np.sort(np.random.default_rng(SEED).choice(count, SAMPLE, replace=False)).astype(np.int64)


def profile_of(table: Table, sample: Table, name: str, *, guess: str | None, hint: str | None = None) -> Profile:
    """Look at a column: its counts in the table, its values in the sample."""
    dtype = table.dtype(name)
    missing = table.missing(name)
    present = len(table) if missing is None else int((~missing).sum())
    if dtype in ("duration", "other"):
        return Profile(name, dtype, len(table), present, 0, holds=table.holds(name))
    distinct = int(column_of(table.frame, name).n_unique()) - (missing is not None)
    categories = sample.categories(name)
    counts = np.bincount(categories.codes[categories.codes >= 0], minlength=len(categories.labels))
    used = np.flatnonzero(counts)
    seen = (categories.labels[i] for i in used)
    labels = tuple(label.strip() if isinstance(label, str) else label for label in seen)
    ordered = dtype == "categorical" and table.has_order(name)
    return Profile(name, dtype, len(table), present, distinct, guess, hint, ordered, labels, counts[used])


def _number(label: Any) -> float:
    """Return a value as a number; a word that means none, and what has marks for thousands, is NaN."""
    try:
        return float(str(label).replace(",", "."))
    except ValueError:
        return math.nan
