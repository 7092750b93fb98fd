"""A plan proposed from a file: what its text holds is guessed, what it says of its columns is taken."""

from __future__ import annotations

from dataclasses import replace

from shoal.errors import DataError
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.plan.propose._text import Draft, draft_plan
from shoal.plan.propose.decide import Proposal
from shoal.plan.propose.gaps import WORDS
from shoal.plan.propose.profile import sample_rows


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
