"""Dependencies: which columns that leave as they are determine which hidden ones, and which subjects attributes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.giveaways.comparable_cells import Cells
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.survey import Survey
from shoal.plan.attribute import Role

SHARE = 0.05
"""Exceptions that a column may have and still tell another: of the records without the commonest value of the other."""

FEWEST = 8
"""Records without the commonest value that must be told: fewer may fall together by chance."""

RUN = 5
"""Records of a run of neighbours, where hardly a value of a column repeats: a cut between two values of another column
spoils one run, and by chance no run of five is pure often enough."""


@dataclass(frozen=True)
class Determination:
    """How far one column tells another."""

    compared: int  # records whose value of the determining column others have too: the only ones that can show anything
    exceptions: int  # those of them that differ from most records of that value
    surprises: int  # those of them without the commonest value of all: what somebody who knows nothing would get wrong

    @property
    def determines(self) -> bool:
        """Whether the exceptions are few against what the column alone can tell.

        It is a bound on lambda (Goodman and Kruskal 1954): 1 − exceptions / surprises is at least 1 − `SHARE`. A column
        that is nearly constant follows from everything with few exceptions, and its lambda is 0.
        """
        return self.surprises >= FEWEST and self.exceptions <= SHARE * self.surprises


def determination(determinant: NDArray[np.int32], dependent: NDArray[np.int32]) -> Determination:
    """Count how far the values of one column, numbered from 0, follow from those of another.

    >>> code, county = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32), np.array([0, 0, 1, 2, 2, 1], dtype=np.int32)
    >>> determination(code, county)
    Determination(compared=5, exceptions=1, surprises=3)
    """
    sizes = np.bincount(determinant)
    repeated = sizes > 1
    pairs = equivalence_classes([determinant, dependent])
    counts = np.bincount(pairs)
    value = np.empty(len(counts), dtype=np.int64)  # of the determining column, for each pair of values
    value[pairs] = determinant
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, value, counts)
    commonest = np.bincount(dependent).argmax()
    compared = repeated[determinant]
    return Determination(
        compared=int(compared.sum()),
        exceptions=int((sizes - most)[repeated].sum()),
        surprises=int((dependent[compared] != commonest).sum()),
    )


def repeats(determinant: NDArray[np.int32]) -> bool:
    """Whether at least half of the records share their value with others."""
    sizes = np.bincount(determinant)
    return bool(2 * sizes[sizes > 1].sum() >= len(determinant))


def runs(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number runs of `RUN` neighbours along an order; equal values stay together, and so do missing ones.

    >>> runs(np.array([9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 9.0])).tolist()
    [1, 0, 0, 0, 0, 0, 1, 1]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    return np.asarray(np.unique(first // RUN, return_inverse=True)[1][place], dtype=np.int32)


_PAIRS = 2048
"""Pairs of records with equal values that are looked at first, to see whether a hidden column differs between them."""

_CELLS = 2048
"""Records by which two columns are compared first, cell by cell."""


def dependencies(survey: Survey) -> Iterator[tuple[str, dict[str, int]]]:
    """Return each column that tells hidden ones, with these and the number of exceptions.

    A column tells another where nearly all records that share its value share the other's; where its values hardly
    repeat, where nearly all neighbours in its order do, or nearly all cells are equal. Most pairs of columns are told
    apart by a few pairs of records. The others are counted, once for all columns that part the records alike.
    """
    hidden = _Hidden.of(survey)
    if not hidden.names:
        return
    by_part: dict[bytes, dict[str, int]] = {}
    by_cells: dict[bytes, dict[str, int]] = {}
    for name in survey.kept:
        if name not in survey.comparable:
            continue
        codes, copied = survey.codes(name), dict[str, int]()
        determinant = _Determinant(codes, codes[survey.representatives])
        if not repeats(determinant.of_subjects):
            cells = Cells.of(survey.table(name), name)
            if cells.digest not in by_cells:
                by_cells[cells.digest] = hidden.copied_by(cells)
            copied = by_cells[cells.digest]
            order = survey.order(name, sampled=False)
            if order is not None:
                determinant = _Determinant(runs(order), runs(order[survey.representatives]))
        if determinant.digest not in by_part:
            by_part[determinant.digest] = hidden.determined_by(determinant)
        determined = by_part[determinant.digest] | copied
        if determined:
            yield name, {other: determined[other] for other in hidden.names if other in determined}


@dataclass(frozen=True, eq=False)
class _Determinant:
    """What a column parts records into, numbered: its values, or runs of neighbours."""

    of_records: NDArray[np.int32]  # all of them
    of_subjects: NDArray[np.int32]  # one record of each subject; they say whether it tells another column

    @cached_property
    def digest(self) -> bytes:
        """Equal where records are parted alike."""
        return _digest(self.of_records) + _digest(self.of_subjects)


@dataclass(frozen=True, eq=False)
class _Hidden:
    """The hidden columns that are not nearly the same for all."""

    survey: Survey
    names: tuple[str, ...]
    sampled: NDArray[np.int32]  # (columns, records of the sample) their values, numbered from 0
    surprising: NDArray[np.float64]  # (columns,) the share of the sample without the commonest value

    @classmethod
    def of(cls, survey: Survey) -> _Hidden:
        codes = {name: survey.sampled_codes(name) for name in survey.hidden if name in survey.comparable}
        varied = {name: int(each.size - np.bincount(each).max()) for name, each in codes.items()}
        names = tuple(name for name in codes if varied[name])
        return cls(
            survey,
            names,
            np.array([codes[name] for name in names], dtype=np.int32).reshape(len(names), len(survey.rows)),
            np.array([varied[name] for name in names]) / len(survey.rows),
        )

    def determined_by(self, determinant: _Determinant) -> dict[str, int]:
        """Return the columns that follow from another, and the number of exceptions."""
        survey, determined = self.survey, {}
        exceptions_of: dict[bytes, int | None] = {}
        for name in self._likely(determinant.of_subjects[survey.sampled]):
            codes = survey.codes(name)
            part = _digest(codes)
            if part not in exceptions_of:
                exceptions_of[part] = self._exceptions(determinant, codes)
            exceptions = exceptions_of[part]
            if exceptions is not None:
                determined[name] = exceptions
        return determined

    def _exceptions(self, determinant: _Determinant, codes: NDArray[np.int32]) -> int | None:
        """Count the records that another column does not tell; None where it tells too few."""
        of_subjects = determination(determinant.of_subjects, codes[self.survey.representatives])
        if not of_subjects.determines or 2 * of_subjects.compared < len(determinant.of_subjects):
            return None
        if self.survey.subjects is None:
            return of_subjects.exceptions
        return determination(determinant.of_records, codes).exceptions

    def _likely(self, determinant: NDArray[np.int32]) -> Iterator[str]:
        """Return the columns that hardly differ between records of one value of another.

        With e exceptions among m records at most 4 e / m of the pairs differ: an exception is in two pairs of
        neighbours at most, and values that repeat make m / 2 pairs at least. The rest is what a sample may be off.
        """
        order = np.argsort(determinant, kind="stable")
        first = np.flatnonzero(determinant[order[1:]] == determinant[order[:-1]])
        if len(first) > _PAIRS:
            first = first[np.linspace(0, len(first) - 1, _PAIRS).astype(np.int64)]
        pairs = max(1, len(first))
        differ = (self.sampled[:, order[first]] != self.sampled[:, order[first + 1]]).sum(axis=1) / pairs
        most = 4 * SHARE * self.surprising
        slack = 4 * np.sqrt(most / pairs) + 4 / pairs
        return (self.names[i] for i in np.flatnonzero(differ <= most + slack))

    @cached_property
    def _few(self) -> Mapping[str, Cells]:
        """The first cells of the sample."""
        return {name: Cells.of(self.survey.sample(name).head(_CELLS), name) for name in self.names}

    def copied_by(self, cells: Cells) -> dict[str, int]:
        """Return the columns whose cells another repeats, but for a few records, and how many these are."""
        survey, copies = self.survey, {}
        few = cells.take(survey.rows[:_CELLS])
        equal_cells: dict[bytes, int] = {}
        for name, others in self._few.items():
            if few.equal(others) < (1 - 2 * SHARE) * few.present:
                continue
            hidden_cells = Cells.of(survey.original, name)
            if hidden_cells.digest not in equal_cells:
                equal_cells[hidden_cells.digest] = cells.equal(hidden_cells)
            equal = equal_cells[hidden_cells.digest]
            if equal >= max(FEWEST, (1 - SHARE) * cells.present):
                copies[name] = len(survey) - equal
        return copies


def _digest(codes: NDArray[np.int32]) -> bytes:
    return hashlib.blake2b(codes.tobytes(), digest_size=16).digest()


_FEW_VARY = 0.05
"""Subjects that may vary where the others do not, of those with several records; one, where they are not many."""

_ENOUGH_SUBJECTS = 10
"""Subjects with several records that are needed to say that an attribute does not vary."""


def nearly_constant(survey: Survey) -> Iterator[Giveaway]:
    """Find masked attributes that vary in a few subjects alone: those of a constant one would be masked once.

    That an attribute hardly varies in subjects says nothing where it hardly varies at all: it must be told by the
    subject, as columns are by others.
    """
    subjects = survey.subjects
    if subjects is None or survey.permutes:
        return
    sizes = np.bincount(subjects.numbers)
    several = int((sizes > 1).sum())
    if several < _ENOUGH_SUBJECTS:
        return
    for name in survey.plan.names(Role.QUASI_IDENTIFIER):
        if name == survey.plan.by or name not in survey.comparable:
            continue
        codes = survey.codes(name)
        varies = np.zeros(subjects.count, dtype=np.bool_)
        varies[subjects.numbers[codes != codes[subjects.first_rows][subjects.numbers]]] = True
        count = int(varies.sum())
        if 0 < count <= max(1, _FEW_VARY * several) and determination(subjects.numbers, codes).determines:
            records = int(sizes[varies].sum())
            yield Giveaway(
                "nearly_constant",
                f"{name!r} is the same in all records of a subject, but for {count:,} of {several:,} subjects with "
                f"several records, so it is masked record by record and not once for each subject: is that an error in "
                "the data?",
                (name,),
                records,
            )
