"""Inputs: the columns of a table that a plan works on, read and checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Encoder, Subjects, read_subjects, read_weights, repeats
from shoal.errors import DataError, counted, listed, nearest
from shoal.frames import Table
from shoal.kinds import Missing, Scale
from shoal.kinds.column import Column
from shoal.kinds.registry import read_column
from shoal.masking.recoding import recoded
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.plan_keys import RECORD
from shoal.protect import Rule, asked
from shoal.protect.guarantee import Distribution

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class WholeTable:
    """What a part of a table must know of the whole of it, so that its records are compared as they are there."""

    encoder: Encoder  # how the quasi-identifiers become points
    steering: Encoder  # how the other columns do that groups should be alike in
    # the quasi-identifiers that are the same in all records of a subject, whoever it is
    constant: frozenset[str] = frozenset()
    # how confidential attributes are distributed, by name
    distributions: Mapping[str, Distribution] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the later stages need of a table."""

    quasi_identifiers: tuple[Column, ...]  # the columns to mask, in the plan's order
    weights: NDArray[np.float64] | None  # sampling weights, one per record, where the plan names them
    # a number per record that is the same where the ``by`` column is, where the plan names one
    domains: NDArray[np.int64] | None
    steering: Mapping[str, Column]  # the other columns that groups should be alike in, by name
    # what the confidential values of a group must keep, by the guarantee that asks for it
    rules: Mapping[str, tuple[Rule, ...]]
    subjects: Subjects | None = None  # whom each record is about, where the plan names the column
    whole: WholeTable | None = None  # what is known of the whole table, where this is a part of it
    # the group of each record, where groups were formed before and are only to be refined
    start: NDArray[np.int64] | None = None
    # a number per record where groups must be made of whole subjects with equal ones, before any are merged: in which
    # groups they stood in earlier releases
    cells: NDArray[np.int64] | None = None
    # each subject counts once in what stands for its group, however many records it has: all quasi-identifiers are
    # constant then, and so are weights
    once: bool = False

    def __len__(self) -> int:
        return len(self.quasi_identifiers[0])

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The columns to mask, by name."""
        return {column.name: column for column in self.quasi_identifiers}

    @cached_property
    def constant(self) -> frozenset[str]:
        """The quasi-identifiers that are the same in all records of a subject, gaps apart, whoever it is."""
        if self.whole is not None:
            return self.whole.constant
        return frozenset(column.name for column in self.quasi_identifiers if self._is_constant(column))

    def _is_constant(self, column: Column) -> bool:
        if self.subjects is None or column.missing is None:
            return self.subjects is not None and self.subjects.is_constant(column.values)
        present = ~column.missing  # a gap is filled, and says nothing of the subject
        first = column.values[self.subjects.rows_where(present)]
        return bool((column.values == first[self.subjects.numbers])[present].all())

    @cached_property
    def encoder(self) -> Encoder:
        """How the quasi-identifiers become points, learnt from the whole table."""
        return Encoder.fit(self.quasi_identifiers) if self.whole is None else self.whole.encoder

    def steering_encoder(self, columns: Sequence[Column], *, scale: Scale | None = None) -> Encoder:
        """Return how some of the columns that steer become points, learnt from the whole table."""
        if self.whole is None:
            return Encoder.fit(columns, scale=scale)
        return self.whole.steering.only([column.name for column in columns])


def read_inputs(table: Table, plan: Plan, whole: WholeTable | None = None) -> Inputs:
    """Check that table and plan name the same columns, and read those the plan works on.

    What is known of the whole table stands in for what this one would tell, where it is a part of it.
    """
    check_columns(table.names, plan)
    check_index(table.index_names, plan)
    if len(table) == 0:
        raise DataError("the table has no records: there is nothing to anonymize")
    subjects = read_subjects_of(table, plan)
    masks_values = METHODS[plan.method].masks_values
    if subjects is not None:
        available, things = subjects.count, f"{counted(subjects.count, 'different subject')} ({subjects.name})"
    else:
        available = len(table) * (len(plan.names(Role.QUASI_IDENTIFIER)) if masks_values else 1)
        things = f"{counted(available, 'value')} to mix" if masks_values else counted(available, "record")
    require_at_least_k(available, things, plan)
    demand = plan.demand()
    if whole is not None:
        demand = replace(demand, distributions=whole.distributions)
    inputs = Inputs(
        quasi_identifiers=tuple(read_column(table, plan.spec(name)) for name in plan.masked_names()),
        weights=None if plan.weights is None else read_weights(table, plan.weights),
        domains=None if plan.by is None else table.class_codes(plan.by),
        steering={name: read_column(table, plan.spec(name)) for name in plan.steering_names()},
        rules={guarantee.name: guarantee.rules(demand, table) for guarantee in asked(demand)},
        subjects=subjects,
        whole=whole,
    )
    for name in plan.judged_names():
        read_unmasked(table, plan, name)
    _refuse_parted_subjects(inputs, plan)
    _refuse_varying_histories(inputs, plan)
    return inputs


def require_at_least_k(available: int, things: str, plan: Plan) -> None:
    """Refuse a table with fewer than k of what is counted, which is named with its number."""
    if available < plan.k:
        raise DataError(f"k is {plan.k} but the table has only {things}: lower k or bring more data")


def read_unmasked(table: Table, plan: Plan, name: str) -> Column:
    """Return a column that is not masked, gaps filled, which is how it is measured: what cannot be read is refused.

    A guarantee on it may ask more of its gaps; a column that no measure could read should be ``other``, of no kind.
    """
    return read_column(table, replace(plan.spec(name), missing=Missing.IMPUTE))


def read_subjects_of(table: Table, plan: Plan) -> Subjects | None:
    """Return the subjects of a table by its plan, or None where every record is one.

    A plan that says nothing of subjects while an identifier repeats is refused: k would count rows where its reader
    means persons.
    """
    name = plan.subject_column()
    if name is not None:
        return read_subjects(table, name)
    for identifier in plan.names(Role.IDENTIFIER) if plan.subject is None else ():
        if identifier in table.names:  # who measures a release may have left it out
            require_different(identifier, *repeats(table, identifier))
    return None


def require_different(identifier: str, records: int, different: int) -> None:
    """Refuse an identifier that repeats."""
    if different < records:
        raise DataError(
            f"identifier {identifier!r} repeats, {records:,} records have {different:,} different values of it, so "
            f"k would count records and not persons: set subject = {identifier!r} if it says whom a record is "
            f'about, or subject = "{RECORD}" if every record is a subject of its own'
        )


def _refuse_parted_subjects(inputs: Inputs, plan: Plan) -> None:
    """Refuse ``by`` that parts a subject whose constant attributes must be masked once."""
    if inputs.subjects is None or inputs.domains is None or plan.release is ReleaseMode.PERMUTE:
        return
    constant = [column.name for column in inputs.quasi_identifiers if column.name in inputs.constant]
    require_whole_subjects(plan, constant, varies=not inputs.subjects.is_constant(inputs.domains))


def require_whole_subjects(plan: Plan, constant: Sequence[str], *, varies: bool) -> None:
    """Refuse ``by`` that varies between records of a subject while some attributes are the same in all of them."""
    if constant and varies:
        raise DataError(
            f"by = {plan.by!r} differs between records of one subject, in whose records {listed(constant)} "
            f"{'is' if len(constant) == 1 else 'are'} always the same and must be masked once: leave by out, or make "
            f"{plan.by!r} a quasi_identifier"
        )


def _refuse_varying_histories(inputs: Inputs, plan: Plan) -> None:
    """Refuse pseudonyms where what an intruder may know changes from row to row of a subject."""
    if plan.pseudonym_column() is None or inputs.subjects is None:
        return
    varying = [column.name for column in inputs.quasi_identifiers if column.name not in inputs.constant]
    if plan.by is not None and inputs.domains is not None and not inputs.subjects.is_constant(inputs.domains):
        varying = list(dict.fromkeys([*varying, plan.by]))
    if varying:
        differ, them = ("differs", "it") if len(varying) == 1 else ("differ", "them")
        raise DataError(
            f'keep_subject = "{plan.keep_subject}" shows which rows are of one subject, and {listed(varying)} {differ} '
            f"between rows of one: leave keep_subject out, make {them} constant per subject (by its first or last "
            f"value, for example), or give {them} another role"
        )


def find_problems(table: Table, plan: Plan) -> list[str]:
    """Say everything that is wrong with a table for a plan, column by column; nothing if it can be anonymized."""
    problems = dict[str, None]()

    def tried(work: Callable[..., Result], *arguments: Any) -> Result | None:
        try:
            return work(*arguments)
        except DataError as error:
            problems[str(error)] = None
            return None

    tried(check_columns, table.names, plan)
    recoding = None if problems else tried(recoded, table, plan)
    if recoding is not None:
        for name in dict.fromkeys((*plan.masked_names(), *plan.steering_names())):
            tried(read_column, recoding.table, plan.spec(name))
        for name in plan.judged_names():
            tried(read_unmasked, recoding.table, plan, name)
        if not problems:
            tried(read_inputs, recoding.table, plan)
    return list(problems)


def check_columns(names: tuple[str, ...], plan: Plan) -> None:
    """Refuse a table with undeclared columns or without declared ones."""
    if not any(name in plan.attributes for name in names):
        # Names are not shown: without a header, they are the first record.
        one = len(names) == 1
        none = "the only column of the table is not" if one else f"none of the {len(names)} columns of the table is"
        raise DataError(
            f"{none} declared in the plan: is it the plan of another table, or does the file lack a header?"
        )
    undeclared = [name for name in names if name not in plan.attributes]
    if undeclared:
        raise DataError(
            f"the plan does not declare {_columns(undeclared)}"
            f"{nearest(undeclared[0], set(plan.attributes) - set(names))}: every column needs a role, because an "
            "undeclared one could give people away"
        )
    absent = [name for name in plan.attributes if name not in names]
    if absent:
        raise DataError(
            f"the table does not have {_columns(absent)}, which the plan declares{nearest(absent[0], names)}"
        )


def check_index(names: tuple[str, ...], plan: Plan) -> None:
    """Refuse an index that would carry a column past its masking: the index leaves as it is."""
    for name in names:
        role = plan.attributes[name].role if name in plan.attributes else Role.OTHER
        if role is not Role.OTHER:
            raise DataError(
                f"the frame's index is named {name!r}, as a column the plan calls {role.value}, and an index leaves "
                "as it is: call reset_index(drop=True) first"
            )


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {listed(names)}"
