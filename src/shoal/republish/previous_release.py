"""Previous: the releases of a growing table so far, beside the table that is to be released again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects
from shoal.errors import DataError, GuaranteeError, PlanError, counted, listed
from shoal.frames import Table
from shoal.masking.attribute_blocks import require_groups
from shoal.masking.inputs import Inputs, read_inputs
from shoal.masking.pseudonyms import require_key_bytes
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect import released_classes
from shoal.republish.contributions import Courses, contributions
from shoal.republish.ledger import Ledger, fewer, subject_marks, value_marks

NEW = -1
"""The cell of subjects that no earlier release had."""


class RememberedRelease(Protocol):
    """The last release of a growing table, as its model keeps it."""

    @property
    def plan(self) -> Plan:
        """What was asked of it."""

    @property
    def released(self) -> str:
        """Its fingerprint."""

    @property
    def ledger(self) -> Ledger | None:
        """Who stood with whom in it and in those before it; None where the run was not to remember."""


@dataclass(frozen=True, eq=False)
class Previous:
    """What was released before, for each record of the table to release: plan and fingerprint are the last one's."""

    plan: Plan
    fingerprint: str
    ledger: Ledger
    cells: NDArray[np.int64] = field(repr=False)  # that of each record's subject; `NEW` where it has none
    courses: Courses = field(repr=False)
    subjects: Subjects = field(repr=False)
    # A number per record that is the same where ``by`` is, if the plan names it: newcomers are grouped inside each.
    domains: NDArray[np.int64] | None = field(default=None, repr=False)
    held_back: bool = False  # those who cannot be released are left out already
    name: ClassVar[str] = "the previous release"

    @property
    def releases(self) -> int:
        """How many releases it tells of."""
        return self.ledger.releases

    def classes(self, columns: Iterable[str]) -> NDArray[np.int64]:
        """Return the cell of each record: what its classes were in all earlier releases; newcomers share one."""
        return self.cells

    @property
    def remedy(self) -> str:
        """What helps where too few are left."""
        return (
            "keep in the table who left until k of a group leave together, and release changed values of k of a group "
            f"at once, column by column{'' if self.held_back else ', or hold back who cannot be released (hold_back)'}"
        )

    def require_somebody(self) -> None:
        """Refuse a table that nobody of the earlier releases is in: nothing would be kept apart."""
        if (self.cells == NEW).all():
            raise GuaranteeError(
                f"nobody of the {counted(len(self.ledger.cells), 'subject')} of earlier releases is in the table by "
                f"{self.subjects.name!r}: is it the model of this table, and are subjects written as they were before? "
                "If all are others indeed, accept it (after_anyway)",
                reached=0,
            )

    def groups(self, k: int) -> NDArray[np.int64]:
        """Return the cell that groups of each record are formed in: those of fewer than k subjects are put together.

        There are such only where that was accepted.
        """
        cells = equivalence_classes([self.cells])
        sizes = subjects_of_each(cells, self.subjects.numbers)
        few = sizes < k
        if not few.any():
            return cells
        home = int(np.argmax(sizes)) if sizes[few].sum() < k else int(np.argmax(few))
        return np.where(few[cells], home, cells)

    def parted(self, classes: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        """Return how many subjects sums and differences would part from the others, where they may be fewer than k.

        Those who left a cell, whoever of a cell is left alone in a sum because values changed, and anybody whose weight
        did.
        """
        first = self.subjects.first_rows
        old, new = self.cells[first], equivalence_classes([classes[first]])
        cells = equivalence_classes([old, new])
        count = len(np.unique(cells))
        shown = np.concatenate([np.zeros((count, len(self.ledger.columns)), dtype=np.int64), self.ledger.shown])
        shown[cells[old != NEW]] = self.ledger.shown[old[old != NEW]]
        shown[cells] = fewer(shown[cells], self.courses.observed(new)[new])
        few = self.courses.fewest(cells, count + self.courses.gone, shown, k)
        return np.concatenate(
            [self.departed[self.departed > 0], few[few < k], np.ones(self.courses.weighed.sum(), dtype=np.int64)]
        )

    def releasable(self, k: int) -> NDArray[np.bool_]:
        """Tell which records can be released without parting fewer than k of a cell from its others.

        Not those of a cell that fewer than k left, or have stayed in, or that a sum would leave fewer than k of, or in
        which a weight has changed; nor newcomers, where fewer than k are there.
        """
        present, cells = self.present, self._cells_of_all
        first, count = cells[self.subjects.first_rows], len(present)
        gone = np.append(self.departed, np.zeros(count - len(self.departed), dtype=np.int64))
        few = np.any([(part > 0) & (part < k) for part in (present, gone)], axis=0)
        shown = np.zeros((2 * count, len(self.ledger.columns)), dtype=np.int64)
        shown[: len(self.ledger.shown)] = shown[count : count + len(self.ledger.shown)] = self.ledger.shown
        few |= (self.courses.fewest(first, count + self.courses.gone, shown, k) < k).reshape(2, count).any(axis=0)
        few[first[self.courses.weighed[: len(first)]]] = True
        if self.domains is not None:
            few[self.cells[self.scattered(k)]] = True
        return np.asarray(~few[cells])

    def scattered(self, k: int) -> NDArray[np.int64]:
        """Return records of earlier cells with whom fewer than k subjects of the cell have their value of ``by``."""
        assert self.domains is not None, "asked for where there are values of by"
        inside = equivalence_classes([self.cells, self.domains])
        few = subjects_of_each(inside, self.subjects.numbers)[inside] < k
        return np.flatnonzero(few & (self.cells != NEW))

    @property
    def present(self) -> NDArray[np.int64]:
        """How many subjects of each cell are in the table; after them how many newcomers of each value of ``by``."""
        return np.bincount(self._cells_of_all[self.subjects.first_rows], minlength=len(self.ledger.sizes) + 1)

    @property
    def _cells_of_all(self) -> NDArray[np.int64]:
        """Return the cell of each record, newcomers in cells after all others, one for each value of ``by``."""
        domains = np.zeros(len(self.cells), np.int64) if self.domains is None else equivalence_classes([self.domains])
        return np.where(self.cells == NEW, len(self.ledger.sizes) + domains, self.cells)

    @property
    def departed(self) -> NDArray[np.int64]:
        """How many subjects of each cell are not in the table any more."""
        first = self.cells[self.subjects.first_rows]
        return self.ledger.sizes - np.bincount(first[first != NEW], minlength=len(self.ledger.sizes))

    def to_dict(self) -> dict[str, Any]:
        """Return what the manifest says of it: counts of subjects."""
        first = self.subjects.first_rows
        stayed = self.cells[first] != NEW
        return {
            "sha256": self.fingerprint,
            "releases": self.ledger.releases,
            "stayed": int(stayed.sum()),
            "new": int((~stayed).sum()),
            "not_there": int(self.departed.sum()),
            "changed": int(self.courses.changed.sum()),
        }


def check_previous(plan: Plan, previous: RememberedRelease | None, remember: bytes | None) -> None:
    """Refuse plans of which a ledger cannot say who stood with whom, and previous releases without the key to them."""
    if remember is None:
        if previous is not None:
            raise PlanError(
                "previous needs the key by which its release remembers subjects: give remember (--remember)"
            )
        return
    require_key_bytes(remember, "remember")
    require_groups(plan)
    if plan.subject_column() is None:
        raise PlanError(
            "who stays in a growing table is recognised by subject, and the plan names none: set subject to the column "
            "that says whom a record is about"
        )
    if not plan.guarantee or plan.suppress is not None:
        raise PlanError(
            "a growing table is released again by whole groups of k: leave suppress and guarantee = false out of the "
            "plan"
        )


def match_previous(
    model: RememberedRelease, table: Table, inputs: Inputs, plan: Plan, key: bytes, *, anyway: bool
) -> Previous:
    """Recognise the subjects of earlier releases in a table, and refuse what cannot be kept apart, unless ``anyway``.

    A model that remembers nobody, or by another key, or has other quasi-identifiers is refused in any case.
    """
    ledger = model.ledger
    if ledger is None:
        raise DataError(
            "the model of the previous release remembers nobody: it must be saved of a run with remember (--remember)"
        )
    ledger.require_key(key)
    for option, before, after in (
        ("subject", model.plan.subject_column(), plan.subject_column()),
        ("weights", model.plan.weights, plan.weights),
    ):
        if before != after:
            raise PlanError(
                f"{option} of the previous release is {_named(before)}, and that of the plan {_named(after)}: it must "
                "be the same, or nobody can say who stayed and what has changed since"
            )
    then, now = class_columns(model.plan), class_columns(plan)
    if set(then) != set(now):
        raise PlanError(
            f"the previous release has the quasi-identifiers {listed(then)} and the plan {listed(now)}: they must be "
            "the same, because classes of different columns cannot be taken from each other soundly"
        )
    subjects, columns, marks, values = _marked(table, inputs, plan, key)
    cells = np.array([ledger.cells.get(mark, NEW) for mark in marks], dtype=np.int64)
    if columns != ledger.columns:
        raise PlanError(
            f"the previous release has means of {listed(ledger.columns)} and the plan of {listed(columns)}: "
            "they must be the same, because sums of different columns cannot be taken from each other soundly"
        )
    previous = Previous(
        model.plan,
        model.released,
        ledger,
        cells[subjects.numbers],
        Courses.of(ledger, marks, values, has_weights=inputs.weights is not None),
        subjects,
        inputs.domains,
    )
    if not anyway:
        _require_enough(previous, plan.k)
    return previous


def rows_to_release(original: Table, plan: Plan, model: RememberedRelease, key: bytes) -> NDArray[np.int64]:
    """Return the rows of a table that has grown which can be released now; the others are held back."""
    table = recoded(original, plan).table
    previous = match_previous(model, table, read_inputs(table, plan), plan, key, anyway=True)
    previous.require_somebody()
    rows = np.flatnonzero(previous.releasable(plan.k))
    if not len(rows):
        raise GuaranteeError(
            f"all {counted(len(table), 'record')} would be held back (hold_back), so there is nothing to release: wait "
            f"until k = {plan.k} subjects are new, or have left or changed together",
            reached=0,
        )
    return rows


def require_one_class(inputs: Inputs) -> Subjects:
    """Return the subjects; refuse those whose records could stand in several classes."""
    subjects = inputs.subjects
    assert subjects is not None, "check_previous asked for them"
    varying = [column.name for column in inputs.quasi_identifiers if column.name not in inputs.constant]
    if varying:
        raise DataError(
            f"{listed(varying)} differs between records of one subject, which then stands in several classes, and "
            "releases of a growing table can keep it among the same others in one alone: make it constant per subject"
        )
    if inputs.weights is not None and not subjects.is_constant(inputs.weights):
        raise DataError(
            "weights differ between records of one subject, which counts once in the means of a growing table: make "
            "them constant per subject"
        )
    return subjects


def _require_enough(previous: Previous, k: int) -> None:
    """Refuse cells of the table that no group of k can be made of, and weights of which values can be solved for."""
    weighed = int(previous.courses.weighed[: previous.subjects.count].sum())
    if weighed:
        raise GuaranteeError(
            f"{counted(weighed, 'subject')} {'has' if weighed == 1 else 'have'} another weight than in an earlier "
            "release, and who has means of the same values by several weights solves for each value: keep the weights "
            "of the first release, or hold back who is grouped with them (hold_back)",
            reached=1,
        )
    present, cells = previous.present.tolist(), len(previous.ledger.sizes)
    old, new = present[:cells], [count for count in present[cells:] if count]
    if new and min(new) < k:
        inside = "" if previous.domains is None else " inside a value of by"
        raise GuaranteeError(
            f"{counted(min(new), 'subject')} {_are(min(new))} new since the previous release{inside}, fewer than k = "
            f"{k}: whoever compares the two would find them among themselves; release again when k are new, or hold "
            "them back (hold_back)",
            reached=min(new),
        )
    if previous.domains is not None and len(previous.scattered(k)):
        raise GuaranteeError(
            f"fewer than k = {k} subjects of a group of the previous release have a value of by together: change it "
            "for k of a group at once, or hold back who is grouped with them (hold_back)",
            reached=1,
        )
    few = [count for count in old if 0 < count < k]
    if few:
        raise GuaranteeError(
            f"of {counted(len(few), 'group')} of the previous release fewer than k = {k} subjects are left, "
            f"{min(few)} at worst: keep those in the table that left, or hold back who is left of them, too "
            "(hold_back)",
            reached=min(few),
        )


def remember_release(
    before: Previous | None, table: Table, released: Table, inputs: Inputs, plan: Plan, key: bytes
) -> Ledger:
    """Return the ledger with a new release in it: the classes that the released table shows, row by row the table's."""
    classes = released_classes(released, plan.demand())
    subjects, columns, marks, values = _marked(table, inputs, plan, key)
    ledger = None if before is None else before.ledger
    return Ledger.after(ledger, columns, marks, values, classes[subjects.first_rows], key)


class _Marked(NamedTuple):
    """The subjects of a table, the columns they bring into means, and the marks of subjects and of their values."""

    subjects: Subjects
    columns: tuple[str, ...]
    marks: list[str]
    values: list[str]


def _marked(table: Table, inputs: Inputs, plan: Plan, key: bytes) -> _Marked:
    subjects = require_one_class(inputs)
    marks = subject_marks(table, subjects, key)
    averaged = contributions(table, inputs, plan)
    return _Marked(subjects, tuple(averaged), marks, value_marks(tuple(averaged.values()), marks, key))


def previous_sentence(content: Mapping[str, Any]) -> str:
    """Say what a manifest says of the release before.

    Examples
    --------
    >>> previous_sentence({"stayed": 300, "new": 40, "not_there": 2, "held_back": 0})
    '300 subjects stayed and 40 are new; 2 of earlier releases are not among them'
    """
    new, absent, held_back = (content[key] for key in ("new", "not_there", "held_back"))
    words = (
        f"{content['stayed']:,} subject{'' if content['stayed'] == 1 else 's'} stayed and {new:,} {_are(new)} new; "
        f"{absent:,} of earlier releases {_are(absent)} not among them"
    )
    if not held_back:
        return words
    return f"{words}; {'1 record was' if held_back == 1 else f'{held_back:,} records were'} held back"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _named(column: str | None) -> str:
    return "none" if column is None else repr(column)


def class_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns whose values say in which class a record stands: what an intruder is taken to know."""
    return tuple(dict.fromkeys((*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else []))))
