"""Contributions: what each subject brings into the means of its class, as texts by which releases are compared."""

from __future__ import annotations

import numpy as np

from shoal.encode import Subjects
from shoal.frames import Table
from shoal.kinds.column import Column
from shoal.kinds.numeric import number_texts
from shoal.kinds.registry import kind_of
from shoal.kinds.text import category_text
from shoal.masking.inputs import Inputs
from shoal.plan import Plan

_NO_CATEGORY = "\x00"


def contributions(table: Table, inputs: Inputs, plan: Plan) -> dict[str, list[str | None]]:
    """Return the values of each subject by column, the columns by name, and its weight as the last; None for gaps.

    Notes
    -----
    A value has one text, whatever the type of its column: were all said to have changed, nobody would see who has.
    """
    subjects = inputs.subjects
    assert subjects is not None, "check_previous asked for them"
    texts = {column.name: _texts(column, subjects) for column in inputs.quasi_identifiers}
    if plan.by is not None and plan.by not in texts:
        domains = column_texts(table, plan.by)
        texts[plan.by] = [domains[row] or _NO_CATEGORY for row in subjects.first_rows.tolist()]
    texts = dict(sorted(texts.items()))
    if inputs.weights is None or plan.weights is None:
        return texts
    texts.pop(plan.weights, None)  # the weight says more than a value that it may be, too
    texts[plan.weights] = [*number_texts(inputs.weights[subjects.first_rows])]
    return texts


def column_texts(table: Table, name: str) -> tuple[str | None, ...]:
    """Return the cells of a column as text; None where they are missing."""
    categories = table.categories(name)
    texts = [*map(category_text, categories.labels), None]
    return tuple(texts[code] for code in categories.codes.tolist())


def _texts(column: Column, subjects: Subjects) -> list[str | None]:
    """Return the value of each subject: the same in all of its records where it is there."""
    present_cells = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    rows = subjects.rows_where(present_cells)
    texts: list[str | None] = [None] * len(rows)
    present = np.flatnonzero(present_cells[rows])
    written = kind_of(column.spec).texts(column, column.values[rows[present]])
    for place, text in zip(present.tolist(), written, strict=True):
        texts[place] = text
    return texts
