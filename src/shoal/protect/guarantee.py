"""Guarantee: what one file of this room says about one promise, from its options to its verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.encode import Subjects
from shoal.errors import sentence
from shoal.frames import Table
from shoal.kinds.column import Spec
from shoal.options import Options
from shoal.points import Points
from shoal.progress import Progress
from shoal.protect.rules import Rule, require_possible


@dataclass(frozen=True)
class Judgement:
    """What was asked, what holds, and what the words mean.

    Parameters
    ----------
    name
        For example ``k_anonymity``.
    asked, achieved
        The value in the plan and the value measured on the released table.
    holds
        Whether the released table satisfies what was asked.
    definition
        What the guarantee says, in a sentence.
    note
        What is not guaranteed and why, where that matters.
    detail
        More that was measured on the released table, by name.
    """

    name: str
    asked: float | int | None
    achieved: float | int
    holds: bool
    definition: str
    note: str = ""
    detail: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**vars(self), "detail": dict(self.detail)}


@dataclass(frozen=True)
class Forecast:
    """What a guarantee will come to, said before the work.

    Parameters
    ----------
    group_size
        Records in a group before repairs.
    sentences
        For a person: what the guarantee asks of the groups, and what would be enough.
    """

    group_size: int
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Distribution:
    """How often each value of a confidential attribute occurs: a table of values, a missing one among them."""

    values: Table = field(repr=False)  # those of records
    records: NDArray[np.int64] = field(repr=False)  # that have each value


@dataclass(frozen=True)
class Spread:
    """How groups are spread over confidential attributes by construction: their size, and over how many attributes."""

    group_size: int
    attributes: int = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Demand:
    """What is asked of a table, in the terms of the guarantees.

    Parameters
    ----------
    k
        Smallest group.
    quasi_identifiers
        The masked columns.
    confidential
        Every confidential attribute, by name.
    sections
        The tables of the plan in which guarantees have their options, by name, where the plan has them.
    by
        The column inside whose values records are grouped.
    subject
        The column that says whom a record is about; None where every record is a subject of its own.
    pseudonym
        The same, where it leaves with pseudonyms in place of subjects.
    averaged
        The masked columns in which a mean stands for a group.
    places
        Pairs of masked columns, latitude and longitude, that are one attribute.
    weights
        The column of sampling weights for these means.
    dominance
        The largest share of a mean that one record or subject may make; None where that is not limited.
    permuted
        Quasi-identifiers stay, confidential records are permuted inside their group.
    masks_values
        The method masks values, not records: k counts values.
    why_not_k
        Why k cannot be promised, in a clause; None where it can.
    given_up
        The name of the guarantee that is measured but not required.
    spread
        How the chosen way to closeness forms its groups, if it spreads them; otherwise they start at k.
    intruder, seed
        Sets of quasi-identifiers that an intruder may know, or None to sample some by the seed.
    distributions
        How confidential attributes are distributed in the whole table, by name, where the tables that are asked for
        are parts of it. Groups of a part are compared with the whole.
    """

    k: int
    quasi_identifiers: tuple[str, ...]
    confidential: Mapping[str, Spec] = field(default_factory=dict)
    sections: Mapping[str, Options] = field(default_factory=dict)
    by: str | None = None
    subject: str | None = None
    pseudonym: str | None = None
    averaged: tuple[str, ...] = ()
    places: tuple[tuple[str, str], ...] = ()
    weights: str | None = None
    dominance: float | None = None
    permuted: bool = False
    masks_values: bool = False
    why_not_k: str | None = None
    given_up: str | None = None
    spread: Callable[[Sequence[Any]], Spread] | None = None
    intruder: tuple[tuple[str, ...], ...] | None = None
    seed: int = 0
    distributions: Mapping[str, Distribution] = field(default_factory=dict, repr=False)

    @property
    def protects_confidential(self) -> bool:
        """Whether a table of the plan asks for something of the confidential values: it says of which attributes."""
        return any("attributes" in type(section).model_fields for section in self.sections.values())


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a released table is judged by. How it was made is not asked, except for a permutation, which hides it.

    Parameters
    ----------
    original, released
        The table that came in and the one that would leave, row by row the same records.
    classes
        The equivalence class of each released record; of a permutation, its groups.
    points
        The original records as they were grouped, for guarantees that ask where a class stands among the others (those
        that keep points).
    domains
        A number per record that is the same where ``by`` is, if the plan names one.
    subjects
        Whom each record is about, read from the original; None where every record is a subject of its own.
    blocks
        The quasi-identifiers that were masked together, where that was not all of them at once.
    """

    original: Table = field(repr=False)  # records are not shown
    released: Table = field(repr=False)
    classes: NDArray[np.int64]
    points: Callable[[], Points | None]
    domains: NDArray[np.int64] | None = None
    subjects: Subjects | None = None
    blocks: tuple[tuple[str, ...], ...] = ()

    @property
    def subject_numbers(self) -> NDArray[np.int32] | None:
        """The number of the subject of each record; None where every record is a subject of its own."""
        return None if self.subjects is None else self.subjects.numbers

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """The number of different subjects of each class."""
        return subjects_of_each(self.classes, self.subject_numbers)


class Guarantee(ABC):
    """One promise: a subclass in a file of its own, and one line in the registry."""

    name: ClassVar[str]
    """What it is called in releases, manifests and messages."""
    section: ClassVar[str]
    """The table of the plan that holds its options; empty for the plan itself."""
    options: ClassVar[type[Options]]
    """Its keys in that table."""
    key: ClassVar[str]
    """The one of them that asks for it."""
    other_keys: ClassVar[tuple[str, ...]] = ()
    """Other names of that key."""
    example: ClassVar[str]
    """Lines of a plan that ask for it, of people with a name, age, town, pay and illness: its contract is tested so."""
    summary: ClassVar[str]
    """What it promises, in a sentence for people who choose."""
    not_promised: ClassVar[str]
    """What it does not promise, in a sentence."""
    keeps_points: ClassVar[bool] = False
    """It asks for the points once more when the release is judged."""
    merges_by_itself: ClassVar[bool] = False
    """What its rules ask of a group depends on the other groups, so that it merges them in a way of its own."""
    largest_is_worst: ClassVar[bool] = False
    """Of several classes, the one with the largest value is the furthest from what is asked; else the smallest."""
    in_streams: ClassVar[bool] = False
    """A stream keeps it too: groups are formed by it one by one, before the whole table is known."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that asks for it."""
        return (self.key, *self.other_keys)

    def is_asked(self, demand: Demand) -> bool:
        """Whether a plan asks for it: its table sets one of the keys."""
        section = demand.sections.get(self.section)
        return section is not None and any(getattr(section, key) is not None for key in self.keys)

    def caveat(self) -> str:
        """Return what it does not promise, as a sentence."""
        return f"{sentence(self.not_promised)}."

    def check_options(self, demand: Demand) -> None:  # noqa: B027  many have nothing to refuse
        """Refuse options that do not fit the columns, before a table is read."""

    def rules(self, demand: Demand, table: Table) -> tuple[Rule, ...]:
        """Return what the groups of a table must keep, for merging and swaps; nothing where k alone is enough."""
        return ()

    def merged(
        self,
        demand: Demand,
        points: Points,
        labels: NDArray[np.int64],
        rules: Sequence[Rule],
        progress: Progress | None = None,
    ) -> NDArray[np.int64]:
        """Merge groups until they keep its rules, for a guarantee that merges by itself."""
        raise TypeError(f"{self.name} leaves its rules to the merging of all")

    def require_feasible(
        self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None, subjects: Subjects | None = None
    ) -> None:
        """Refuse what not even the coarsest partition keeps: all records in one group, or all of each domain."""
        require_possible(rules, domains)

    def forecast(self, demand: Demand, rules: Sequence[Rule]) -> Forecast:
        """Say which groups it comes to: they start at k, and are merged where they fall short."""
        return Forecast(demand.k)

    @abstractmethod
    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Measure it on a released table."""
