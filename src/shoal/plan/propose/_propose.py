"""Propose a plan: for a table in memory, and for a file, whose text is guessed and whose labels are taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.errors import DataError, PlanError, nearest
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.frames.columns import DType
from shoal.kinds import Kind
from shoal.options import UNDECIDED
from shoal.plan.attribute import Role
from shoal.plan.overrides import overridden
from shoal.plan.plan import Plan
from shoal.plan.propose._text import Draft, draft_plan
from shoal.plan.propose.decide import Proposal
from shoal.plan.propose.missing_words import WORDS
from shoal.plan.propose.profile import sample_rows
from shoal.plan.toml import parse_toml

_NUMBERS: tuple[DType, ...] = ("integer", "float", "decimal")
_DATES: tuple[DType, ...] = ("date", "datetime")


def propose(frame: Any, *, roles: Mapping[str, str] | None = None, **options: Any) -> Plan:
    """Propose a plan from the columns of a table: look twice at every role before you release anything.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    roles
        What columns are, by name, where you know it: ``identifier``, ``quasi_identifier``, ``confidential`` or
        ``other``. The others are guessed from their names and cells.
    options
        Fields of the plan by the names that `Plan.with_` takes: ``k=10``, ``t=0.2``, ``subject="person"``.

    Returns
    -------
    Plan
        What ``shoal init`` writes, with the roles and options given.

    Raises
    ------
    PlanError
        The role of a column cannot be guessed, and was not given; the message names all of them.

    Notes
    -----
    Why each column is taken for what it is, `shoal.plan.propose.draft_plan` says: counts and patterns, never values.

    Examples
    --------
    >>> import shoal
    >>> frame = shoal.examples.discharges(300, seed=1)
    >>> plan = shoal.propose(frame, k=10, roles={"ward": "other"})
    >>> plan.k, plan.attributes["patient_id"].role.value, plan.attributes["charge"].role.value
    (10, 'identifier', 'confidential')
    """
    table = Table.of(frame)
    draft = _with_roles(draft_plan(table, {}), table, roles or {})
    if draft.undecided:
        shown = [f'"{name}": "..."' for name in draft.undecided[:2]] + ["..."] * (len(draft.undecided) > 2)
        raise PlanError(
            f"only a person can know the role of {', '.join(map(repr, draft.undecided))}: say it, as in "
            f"propose(frame, roles={{{', '.join(shown)}}}), each identifier, quasi_identifier, confidential or other"
        )
    return Plan.from_mapping(overridden(parse_toml(draft.text(name="", schema="")), options, Plan.known_keys()))


def _with_roles(draft: Draft, table: Table, roles: Mapping[str, str]) -> Draft:
    for name, role in roles.items():
        if name not in table.names:
            raise PlanError(f"roles names {name!r}, which is no column of the table{nearest(name, table.names)}")
        role_names = [each.value for each in Role]
        if role not in role_names:
            raise PlanError(
                f"the role of {name!r} must be one of {', '.join(role_names)}, not {role!r}{nearest(role, role_names)}"
            )
    columns = tuple(
        _with_role(column, table, roles[column.name]) if column.name in roles else column for column in draft.columns
    )
    named = [column.name for column in columns if column.role == Role.IDENTIFIER]
    return replace(draft, columns=columns, subject=draft.subject if draft.subject in named else None)


def _with_role(column: Proposal, table: Table, role: str) -> Proposal:
    """Give a column another role; one that is compared needs a kind."""
    if role == column.role:
        return column
    if role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER):
        column = replace(column, is_weight=False)
    if role == Role.IDENTIFIER:
        return replace(column, role=role, kind=None, order=None, missing_values=())
    if column.kind is None and role != Role.OTHER and column.role != UNDECIDED:
        dtype = table.dtype(column.name)
        return replace(column, role=role, kind=Kind.of_dtype(dtype).value)
    return replace(column, role=role)


def draft_of_file(data: SourceFile) -> Draft:
    """Look at every column of a file, and propose a plan."""
    table = Table.of(data.frame)
    kinds = data.guess_kinds(missing=WORDS, rows=sample_rows(len(table)))
    draft = draft_plan(table, kinds, hints=None if data.labels is None else data.labels.measures)
    return replace(draft, columns=tuple(_with_format(column, data) for column in draft.columns))


def _with_format(column: Proposal, data: SourceFile) -> Proposal:
    """Say beside dates of a file of text that their day and month cannot be told apart, where that is so."""
    if column.kind != "date" or data.text is None:
        return column
    try:
        data.parse({column.name: "date"}, missing={column.name: [str(value) for value in column.missing_values]})
    except DataError:
        return replace(
            column, reason=f'{column.reason}; add format, such as "%d/%m/%Y": it cannot be told from the cells'
        )
    return column
