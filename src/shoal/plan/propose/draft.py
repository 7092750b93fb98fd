"""A proposed plan: as commented TOML, for a person to finish, or as it runs where every role was decided.

For a table in memory, and for a file, whose text is guessed and whose labels are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.encode import repeats
from shoal.errors import DataError, PlanError, nearest, printable
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.options import UNDECIDED
from shoal.plan.attribute import Role
from shoal.plan.overrides import overridden
from shoal.plan.plan import Plan
from shoal.plan.propose.column_words import CODES, CONFIDENTIAL, COUNTS, QUASI_IDENTIFIERS, SOMEBODY
from shoal.plan.propose.decide import Proposal, decide
from shoal.plan.propose.patterns import WORDS, looks_like_codes
from shoal.plan.propose.profile import profile_of, sample_rows, words_of
from shoal.plan.toml import key, parse_toml, value

_HEADER = """\
#:schema {schema}
# A plan for shoal, proposed from the columns of {name}. {todo}
#   identifier        names a person; it never leaves
#   quasi_identifier  an intruder may know it from elsewhere; it is masked
#   confidential      what must not be learnt about a person; released as it is
#   other             harmless; released as it is
# Roles and kinds are guesses: numeric, ordinal (add order = ["lowest", ..., "highest"]), nominal, date.

version = 1
k = {k:<16} # fewest subjects whose records look alike
{subject}
method = "mdav"
refine = "good"      # loses less with the same promises; "none" leaves the groups as the method formed them
seed = 0
{missing}
{weights}# round = true       # masked numbers keep the column's own precision
# by = "column"      # never mix records of different values of a column

[attributes]
"""

_OTHERWISE = (QUASI_IDENTIFIERS | CONFIDENTIAL | COUNTS | CODES) - SOMEBODY
"""The size of a household is no household."""

_NO_SUBJECT = '# subject = "column"  # whom a record is about, if anybody has several: k then counts these'
_NO_GAPS = '# missing = "error"  # or "category" (nominal, ordinal), "impute" or "keep"'


@dataclass(frozen=True)
class Draft:
    """A plan that is proposed: what each column seems to be, whom records seem to be about, the smallest group."""

    columns: tuple[Proposal, ...]
    subject: str | None = None
    k: int = 5

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns whose role only a person can know."""
        return tuple(column.name for column in self.columns if column.role == UNDECIDED)

    def text(self, *, name: str, schema: str) -> str:
        """Return the commented plan; ``name`` is that of the data file, ``schema`` of the JSON Schema."""
        rows = [(key(column.name), value(column.declared()), column.reason) for column in self.columns]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        decide_all = f'Decide every role that is "{UNDECIDED}":'
        subject = _NO_SUBJECT
        if self.subject is not None:
            subject = f"subject = {value(self.subject)}  # whom a record is about: k counts these"
        return _HEADER.format(
            schema=schema,
            name=printable(name),
            todo=decide_all if self.undecided else "Every role was decided: look twice.",
            k=self.k,
            subject=subject,
            missing=self._missing(),
            weights=self._weights(),
        ) + "".join(f"{column:<{widths[0]}} = {entry:<{widths[1]}}  # {reason}\n" for column, entry, reason in rows)

    def _missing(self) -> str:
        masked = [column for column in self.columns if column.role in ("quasi_identifier", UNDECIDED)]
        if not any(column.gaps for column in masked):
            return _NO_GAPS
        return 'missing = "keep"     # gaps stay where a group of k shares them; or "impute", "category"'

    def _weights(self) -> str:
        averaged = any(each.role == "quasi_identifier" and each.kind in ("numeric", "date") for each in self.columns)
        named = [column.name for column in self.columns if column.is_weight and column.role == "other"]
        if not named or not averaged:
            return ""
        return f"weights = {value(named[0])}  # how many a record stands for: means are weighted by it\n"


def draft_plan(table: Table, kinds: Mapping[str, str], *, hints: Mapping[str, str] | None = None) -> Draft:
    """Look at every column of a table, and propose a plan.

    What text columns hold is given where it is known; hints are the levels of measurement that a file states.

    Notes
    -----
    Counts are of the whole table, patterns and levels of a seeded sample where it is large. A column that is named like
    an identifier and repeats is proposed as the subject. Reasons tell counts, never values.
    """
    if not table.names:
        raise DataError("the table has no columns, so there is nothing to propose for")
    rows = sample_rows(len(table))
    sample = table if rows is None else table.take(rows)
    profiles = [
        profile_of(table, sample, name, guess=kinds.get(name), hint=(hints or {}).get(name)) for name in table.names
    ]
    subject = _subject(table)
    columns = [
        Proposal(seen.name, "identifier", f"{seen.distinct:,} distinct in {seen.present:,} records: the subject?")
        if seen.name == subject
        else decide(seen)
        for seen in profiles
    ]
    subject = subject or _numbered_subject(table, columns)
    named = [column for column in columns if column.is_weight]
    columns = [replace(column, is_weight=column in named[:1]) for column in columns]
    if hints is None:  # a file with labels has their order itself
        columns = [_with_order(column, table) for column in columns]
    return Draft(tuple(columns), subject)


def _with_order(column: Proposal, table: Table) -> Proposal:
    """Write the order down that the type of a column has: a file of text has none, and the plan is for it, too."""
    ordered = table.dtype(column.name) == "categorical" and table.has_order(column.name)
    if column.kind != "ordinal" or column.order is not None or not ordered:
        return column
    return replace(column, order=tuple(map(str, table.categories(column.name).labels)))


def _subject(table: Table) -> str | None:
    """Return the column that seems to say whom records are about: named like an identifier, and repeating.

    Of several, the one with the most different values: a patient rather than a hospital.
    """
    different = {}
    for column in _named_like_subjects(table):
        present, distinct = repeats(table, column)
        if 1 < distinct < present and not looks_like_codes(column, distinct, present):
            different[column] = distinct
    return max(different, key=lambda column: different[column], default=None)


def _numbered_subject(table: Table, columns: Sequence[Proposal]) -> str | None:
    """Return the column that numbers persons, one for each record, where another identifier repeats.

    Two people may have one name, which then does not say whom a record is about.
    """
    identifiers = [column.name for column in columns if column.role == "identifier"]
    counts = {name: repeats(table, name) for name in identifiers}
    if all(present == distinct for present, distinct in counts.values()):
        return None
    numbered = [name for name in _named_like_subjects(table) if counts.get(name) == (len(table), len(table))]
    return numbered[0] if numbered else None


def _named_like_subjects(table: Table) -> Sequence[str]:
    return [
        column
        for column in table.names
        if words_of(column) & SOMEBODY
        and not words_of(column) & _OTHERWISE
        and table.dtype(column) in ("string", "categorical", "integer")
    ]


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
    columns = tuple(_with_role(column, table, roles.get(column.name, column.role)) for column in draft.columns)
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
