"""Survey: a table and its plan as those see them who look for giveaways; with the release, where there is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects
from shoal.frames import Table
from shoal.giveaways.comparable_cells import durations, guessed_kind, order_values
from shoal.kinds import Kind
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role

SAMPLE = 1 << 14
"""Records by which columns are compared first: enough for a rank correlation to the third digit."""

_CACHED_CELLS = 1 << 24
"""Cells of numbered columns that are kept, so that a column that is asked for often is not numbered each time."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What giveaways are looked for in.

    Columns that are released as they are stand for themselves before the work, where no release is there.
    """

    original: Table  # the table that came in, its rows as they would leave
    plan: Plan
    released: Table | None = None  # the table that would leave, row by row the same records
    labels: NDArray[np.int64] | None = None  # the group of each record; None before the work
    # whom each record of the original is about; None where every record is a subject of its own
    subjects: Subjects | None = None
    _numbered: dict[str, NDArray[np.int32]] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.original)

    @property
    def permutes(self) -> bool:
        """Whether it is the confidential values that change."""
        return self.plan.release is ReleaseMode.PERMUTE

    @cached_property
    def leaving(self) -> tuple[str, ...]:
        """The columns that leave, masked or not."""
        if self.released is not None:
            return self.released.names
        dropped = set(self.plan.dropped_names())
        return tuple(name for name in self.original.names if name not in dropped)

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """The columns whose original values nobody should learn: dropped, or masked.

        Not ``by``: groups have one value of it, so that masking changes nothing.
        """
        names = (*self.plan.names(Role.IDENTIFIER), *self.plan.changed_names())
        return tuple(name for name in names if name in self.original.names and name != self.plan.by)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The columns that leave as they are; of a permutation without the quasi-identifiers, which everybody knows."""
        roles = (Role.OTHER,) if self.permutes else (Role.OTHER, Role.CONFIDENTIAL)
        return tuple(
            name
            for name, attribute in self.plan.attributes.items()
            if attribute.role in roles and name != self.plan.by and name in self.leaving and name in self.original.names
        )

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The columns of role ``other`` that leave."""
        return tuple(name for name in self.plan.names(Role.OTHER) if name != self.plan.by and name in self.leaving)

    def table(self, name: str) -> Table:
        """Return the table that a column is looked at in: hidden ones as they came, others as they leave."""
        return self.released if self.released is not None and name in self.kept else self.original

    @cached_property
    def comparable(self) -> frozenset[str]:
        """The columns whose values can be compared: not lists, structures and what else shoal does not know."""
        return frozenset(name for name in self.original.names if self.table(name).dtype(name) != "other")

    @cached_property
    def representatives(self) -> NDArray[np.int64]:
        """One record of each subject: what is alike in records of one person is no relation of columns."""
        return np.arange(len(self)) if self.subjects is None else self.subjects.first_rows

    @cached_property
    def sampled(self) -> NDArray[np.int64]:
        """Which representatives columns are compared by first: all of them where they are not many."""
        count = len(self.representatives)
        if count <= SAMPLE:
            return np.arange(count)
        return np.sort(np.random.default_rng(0).choice(count, SAMPLE, replace=False))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The records of these."""
        return self.representatives[self.sampled]

    def sample(self, name: str) -> Table:
        """Return the table of a column with these records alone."""
        return self._sample_of_release if self.table(name) is self.released else self._sample_of_original

    @cached_property
    def _sample_of_original(self) -> Table:
        return _taken(self.original, self.rows)

    @cached_property
    def _sample_of_release(self) -> Table:
        assert self.released is not None
        return _taken(self.released, self.rows)

    def codes(self, name: str) -> NDArray[np.int32]:
        """Return the values of a column as numbers from 0 in the order of their first record; missing is a value."""
        if name not in self._numbered:
            while self._numbered and (len(self._numbered) + 1) * len(self) > _CACHED_CELLS:
                self._numbered.pop(next(iter(self._numbered)))
            self._numbered[name] = _numbered(self.table(name), name)
        return self._numbered[name]

    def sampled_codes(self, name: str) -> NDArray[np.int32]:
        """Return the values of a column in the sample, numbered by themselves."""
        return self.codes(name) if len(self.rows) == len(self) else _numbered(self.sample(name), name)

    def single(self, classes: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Tell which classes of records, numbered from 0, belong to a single subject."""
        numbers = None if self.subjects is None else self.subjects.numbers
        return np.asarray(subjects_of_each(classes.astype(np.int64, copy=False), numbers) == 1)

    def order(self, name: str, *, sampled: bool) -> NDArray[np.float64] | None:
        """Return numbers in the order of a column's values, NaN where missing; None where they have no order."""
        return order_values(self.sample(name) if sampled else self.table(name), self.plan.attributes[name], name)

    def guessed_kind(self, name: str) -> Kind:
        """Return what a column without a declared kind seems to hold."""
        return guessed_kind(self._sample_of_original, name)


def _taken(table: Table, rows: NDArray[np.int64]) -> Table:
    return table if len(rows) == len(table) else table.take(rows)


def _numbered(table: Table, name: str) -> NDArray[np.int32]:
    cells = durations(table, name) if table.dtype(name) == "duration" else table.class_codes(name)
    return equivalence_classes([cells]).astype(np.int32)
