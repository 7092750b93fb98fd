"""Averaged: what each subject brings into the means of its class, as texts by which releases are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.encode import Column, Subjects, category_text
from shoal.frames import Table, units_in
from shoal.kinds import Kind
from shoal.plan import Plan
from shoal.run.inputs import Inputs
from shoal.run.model.model import texts_of

_MISSING = "\x00"


def averaged_texts(table: Table, inputs: Inputs, plan: Plan) -> dict[str, list[str]]:
    """Return the values of each subject by column, the columns by name, and its weight as the last.

    Notes
    -----
    A value has one text, whatever the type of its column: were all said to have changed, nobody would see who has.
    """
    subjects = inputs.subjects
    assert subjects is not None, "check_previous asked for them"
    texts = {column.name: _texts(column, subjects) for column in inputs.quasi_identifiers}
    if plan.by is not None and plan.by not in texts:
        domains = texts_of(table, plan.by)
        texts[plan.by] = [domains[row] or _MISSING for row in subjects.first_rows.tolist()]
    texts = dict(sorted(texts.items()))
    if inputs.weights is None or plan.weights is None:
        return texts
    texts.pop(plan.weights, None)  # the weight says more than a value that it may be, too
    weights = inputs.weights[subjects.first_rows].tolist()
    return {**texts, plan.weights: [category_text(weight) for weight in weights]}


def _texts(column: Column, subjects: Subjects) -> list[str]:
    """Return the value of each subject: the same in all of its records where it is there."""
    there = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    rows, text = subjects.rows_where(there), _text_of(column)
    values = zip(column.values[rows].tolist(), there[rows].tolist(), strict=True)
    return [text(value) if present else _MISSING for value, present in values]


def _text_of(column: Column) -> Callable[[Any], str]:
    if column.kind in (Kind.NOMINAL, Kind.ORDINAL):
        levels = [_MISSING if level is None else category_text(level) for level in column.levels]
        return lambda code: levels[code]
    if column.kind is Kind.DATE:
        ticks = units_in(column.unit, "ns")
        return lambda value: str((int(value) + column.origin) * ticks)
    if column.kind is Kind.PLACE:
        return lambda value: f"{category_text(value.real)} {category_text(value.imag)}"
    return category_text
