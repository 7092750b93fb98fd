"""Contributions: what each subject brings into the means of its class, as texts by which releases are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column, Subjects, category_text
from shoal.frames import Table, units_in
from shoal.kinds import Kind
from shoal.masking.inputs import Inputs
from shoal.plan import Plan

_NO_CATEGORY = "\x00"
_DIGITS = 12
"""Of a share of a turn: what is the same after some turns differs in the last ones."""


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
    texts[plan.weights] = [*_numbers(inputs.weights[subjects.first_rows])]
    return texts


def column_texts(table: Table, name: str) -> tuple[str | None, ...]:
    """Return the cells of a column as text; None where they are missing."""
    categories = table.categories(name)
    texts = [*map(category_text, categories.labels), None]
    return tuple(texts[code] for code in categories.codes.tolist())


def _texts(column: Column, subjects: Subjects) -> list[str | None]:
    """Return the value of each subject: the same in all of its records where it is there."""
    there = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    rows = subjects.rows_where(there)
    texts: list[str | None] = [None] * len(rows)
    present = np.flatnonzero(there[rows])
    for place, text in zip(present.tolist(), _present(column, column.values[rows[present]]), strict=True):
        texts[place] = text
    return texts


def _present(column: Column, values: NDArray[Any]) -> list[str]:
    if column.kind in (Kind.NOMINAL, Kind.ORDINAL):
        levels = [_NO_CATEGORY if level is None else category_text(level) for level in column.levels]
        return [levels[code] for code in values.tolist()]
    if column.kind is Kind.DATE:
        ticks = units_in(column.unit, "ns")
        return [str((int(value) + column.origin) * ticks) for value in values.tolist()]
    if column.kind is Kind.PLACE:
        both = zip(_numbers(values.real), _turned(values.imag, 360.0), strict=True)
        return [f"{latitude} {longitude}" for latitude, longitude in both]
    return _turned(values, column.spec.period) if column.kind is Kind.CYCLIC else _numbers(values)


def _numbers(values: NDArray[np.float64]) -> list[str]:
    return [category_text(value) for value in _as_written(values).tolist()]


def _turned(values: NDArray[np.float64], period: float) -> list[str]:
    """Return the shares of a turn: a whole one is none."""
    shares = np.round(_as_written(values) / period % 1.0, _DIGITS) % 1.0
    return [category_text(share) for share in shares.tolist()]


def _as_written(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers with the digits that they are written with: one of single precision, 19.99, has others behind."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    found = values.copy()
    for place in np.flatnonzero((single == values) & (values != np.floor(values))).tolist():
        found[place] = float(str(single[place]))
    return found
