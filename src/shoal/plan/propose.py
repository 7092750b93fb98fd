"""Propose a plan from the columns of a table, for a person to finish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from shoal.encode import repeats
from shoal.frames import DTYPE_WORDS, Table
from shoal.options import UNDECIDED
from shoal.plan.toml import key, value

_HEADER = """\
#:schema {schema}
# A plan for shoal, proposed from the columns of {name}. Decide every role that is "{undecided}":
#   identifier        names a person; it never leaves
#   quasi_identifier  an intruder may know it from elsewhere; it is masked
#   confidential      what must not be learnt about a person; released as it is
#   other             harmless; released as it is
# Kinds are guesses: numeric, ordinal (add order = ["lowest", ..., "highest"]), nominal, date.

version = 1
k = 5                # fewest subjects whose records look alike
{subject}
method = "mdav"
refine = "good"      # loses less with the same promises; "none" leaves the groups as the method formed them
seed = 0
# missing = "error"  # or "category" (nominal, ordinal) or "impute"
# round = true       # masked numbers keep the column's own precision
# by = "column"      # never mix records of different values of a column

[attributes]
"""


_NO_SUBJECT = '# subject = "column"  # whom a record is about, if anybody has several: k then counts these'

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_NAMES_SOMEBODY = {
    *("id", "ids", "pid", "hid", "uid", "nr", "number", "ssn", "person", "patient", "subject", "household", "case"),
    *("customer", "client", "member", "user", "account", "respondent", "participant", "employee", "student", "insured"),
}
"""Words in the name of a column that says whom a record is about."""


def propose_plan(table: Table, kinds: Mapping[str, str], *, name: str, schema: str) -> str:
    """Return the text of a commented plan.

    Parameters
    ----------
    table
        The data.
    kinds
        What text columns hold (``numeric``, ``date`` or ``nominal``), where that is known.
    name, schema
        Of the data file and of the JSON Schema, for the comments.

    Notes
    -----
    Roles are for a person to decide; only a text column whose values all differ is proposed as an identifier, and a
    column that is named like an identifier and repeats as the subject. Comments tell counts, never values.
    """
    subject = _subject(table)
    rows = [
        (
            key(column),
            *(_entry(table, column, kinds.get(column)) if column != subject else _subject_entry(table, column)),
        )
        for column in table.names
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    line = f"subject = {value(subject)}  # whom a record is about: k counts these" if subject else _NO_SUBJECT
    return _HEADER.format(schema=schema, name=name, undecided=UNDECIDED, subject=line) + "".join(
        f"{column:<{widths[0]}} = {entry:<{widths[1]}}  # {comment}\n" for column, entry, comment in rows
    )


def _subject(table: Table) -> str | None:
    """Return the column that seems to say whom records are about: named like an identifier, and repeating.

    Of several, the one with the most different values: a patient rather than a hospital.
    """
    different = {}
    for column in table.names:
        words = {word.lower() for word in _WORDS.findall(column)}
        if words & _NAMES_SOMEBODY and table.dtype(column) in ("string", "categorical", "integer"):
            present, distinct = repeats(table, column)
            if 1 < distinct < present:
                different[column] = distinct
    return max(different, key=lambda column: different[column], default=None)


def _subject_entry(table: Table, column: str) -> tuple[str, str]:
    present, distinct = repeats(table, column)
    return value({"role": "identifier"}), f"{distinct:,} distinct in {present:,} records: the subject?"


def _entry(table: Table, column: str, guess: str | None) -> tuple[str, str]:
    """Return what to declare of a column, and what was seen."""
    kind = table.dtype(column)
    if kind in ("duration", "other"):
        return value({"role": UNDECIDED}), f"{DTYPE_WORDS[kind]}: it cannot be masked, only dropped or kept"
    categories = table.categories(column)
    present = int((categories.codes >= 0).sum())
    distinct = len(np.unique(categories.codes[categories.codes >= 0]))
    comment = f"{distinct:,} distinct"
    if present < len(table):
        comment += f", {len(table) - present:,} missing"
    is_text = kind in ("string", "categorical") and guess in (None, "nominal")
    all_differ = distinct == present > 1
    if is_text and all_differ:
        return value({"role": "identifier"}), f"{comment}: every value differs"
    if all_differ and _are_whole_numbers(kind, guess, categories.labels):
        comment += ": every value differs, an identifier?"
    if guess is None:
        guess = {
            "integer": "numeric",
            "float": "numeric",
            "decimal": "numeric",
            "date": "date",
            "datetime": "date",
        }.get(kind, "nominal")
    return value({"role": UNDECIDED, "kind": guess}), comment


def _are_whole_numbers(kind: str, guess: str | None, labels: Iterable[object]) -> bool:
    return kind == "integer" or (guess == "numeric" and all(str(label).strip().isdigit() for label in labels))
