"""Whom the tuples of a stream are about: their subjects as numbers, and the repetition that shows one was forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import is_missing
from shoal.encode import subject_text
from shoal.errors import DataError, PlanError, type_in_words
from shoal.frames import Table
from shoal.kinds.nominal import NESTED, text_code, text_codes
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.plan_keys import RECORD

NOBODY = -1
"""The number of a missing cell; texts have numbers from 0 on."""


def subject_number(value: Any, name: str) -> int:
    """Return the number of a cell read as a subject; `NOBODY` where it is missing or blank."""
    if isinstance(value, NESTED):
        raise DataError(f"column {name!r} must be one value, not {type_in_words(value)}")
    text = "" if is_missing(value) else subject_text(value)
    return text_code(text, name) if text else NOBODY


def subject_numbers(table: Table, name: str) -> NDArray[np.int64]:
    """Return the numbers of a column read as subjects."""
    table.categories(name)  # says why it cannot be, if it cannot
    texts = [None if is_missing(value) else subject_text(value) or None for value in table.frame[name].to_list()]
    return text_codes(texts, name)


class StreamSubjects:
    """The subjects of a stream by the column that its plan names.

    Without one, each tuple is a subject of its own, and an identifier that comes back while the last tuples with it may
    still be in the buffer (``max_delay`` tuples back) is refused: the plan forgot to say whom tuples are about, and
    groups of k tuples might be about one person.
    """

    def __init__(self, plan: Plan, max_delay: int) -> None:
        self.column = plan.subject_column()
        self._watched = plan.names(Role.IDENTIFIER) if plan.subject is None else ()
        self._max_delay = max_delay
        self._arrived = 0
        self._last_seen: dict[str, dict[int, int]] = {name: {} for name in self._watched}
        self._coming: dict[str, dict[int, int]] = {}  # of tuples that were looked at, and not taken yet

    def of_record(self, record: Mapping[str, Any]) -> int:
        """Return the number of a tuple's subject; 0 where each is its own."""
        self._coming = {}
        if self.column is None:
            for name in self._watched:
                if not isinstance(record[name], NESTED):
                    self._watch(name, [subject_number(record[name], name)])
            return 0
        number = subject_number(record[self.column], self.column)
        if number == NOBODY:
            raise self._missing()
        return number

    def of_table(self, table: Table) -> NDArray[np.int64] | None:
        """Return the numbers of the subjects of a table; None where each tuple is its own."""
        self._coming = {}
        if self.column is None:
            for name in self._watched:
                if table.dtype(name) not in ("duration", "other"):
                    self._watch(name, subject_numbers(table, name).tolist())
            return None
        numbers = subject_numbers(table, self.column)
        if (numbers == NOBODY).any():
            raise self._missing()
        return numbers

    def keep(self, count: int) -> None:
        """Remember the tuples that were looked at last, so many: they were taken."""
        self._arrived += count
        for name, coming in self._coming.items():
            seen = self._last_seen[name]
            seen.update(coming)
            if len(seen) > 4 * self._max_delay + 1024:
                oldest = self._arrived - self._max_delay
                self._last_seen[name] = {number: at for number, at in seen.items() if at >= oldest}
        self._coming = {}

    def dump(self) -> dict[str, list[tuple[int, int]]]:
        """Return where each value of the identifiers that are watched was last seen, as far as that still counts."""
        since = self._arrived - self._max_delay
        return {name: [pair for pair in seen.items() if pair[1] >= since] for name, seen in self._last_seen.items()}

    def load(self, plain: Mapping[str, Any], arrived: int) -> None:
        """Take back what `dump` gave when so many tuples had arrived; raise ValueError for anything else."""
        if plain.keys() != self._last_seen.keys():
            raise ValueError("other identifiers are watched")
        since = arrived - self._max_delay
        for name, pairs in plain.items():
            for number, position in pairs:
                if not (type(number) is type(position) is int and number >= 0 and since <= position < arrived):
                    raise ValueError("an identifier was seen where none can be")
                self._last_seen[name][number] = position
        self._arrived = arrived

    def _missing(self) -> DataError:
        return DataError(f"column {self.column!r} has a missing value: every tuple of the stream needs its subject")

    def _watch(self, name: str, numbers: list[int]) -> None:
        """Refuse a value that was there at most ``max_delay`` tuples ago."""
        seen, coming = self._last_seen[name], self._coming.setdefault(name, {})
        for position, number in enumerate(numbers, start=self._arrived):
            if number == NOBODY:
                continue
            last = coming.get(number, seen.get(number, -self._max_delay - 1))
            if position - last <= self._max_delay:
                raise PlanError(
                    f"identifier {name!r} came twice within {self._max_delay} tuples, so k would count tuples and not "
                    f"persons: set subject = {name!r} if it says whom a tuple is about, or subject = "
                    f'"{RECORD}" if every tuple is a subject of its own'
                )
            coming[number] = position
