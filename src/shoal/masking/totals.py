"""Sums stay sums: what a table's totals are before, and what they become.

A released total is computed from its released parts. Of means that changes nothing but the last bits. Rounding,
medians, a stretched variance or recoded parts would break the sum, and do not. The records of a group share
their parts, so they share the total: no class is parted by it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, GuaranteeError
from shoal.frames import Numbers, Table
from shoal.kinds.column import Column
from shoal.kinds.precision import decimals_of
from shoal.plan import Plan
from shoal.plan.totals import Total, in_order
from shoal.recode import Recoded, Step

SLACK = 1e-9
"""What rounding of doubles may make of a sum, as a share of the sum of all its terms' sizes."""


def require_sums(table: Table, plan: Plan) -> None:
    """Refuse a table whose parts do not reach their total.

    Records in which one of the cells is missing cannot be judged, and are passed over.
    """
    for total in plan.totals:
        apart = records_apart(table, total, total.tolerance)
        if apart.any():
            slack = f", within {total.tolerance:g}" if total.tolerance else ""
            raise DataError(
                f"totals: {parts_named(total)} do not add up to {total.total!r}{slack} in {int(apart.sum()):,} of "
                f"{len(table):,} rows, the first in row {int(np.argmax(apart)) + 1}: mend them, set tolerance where "
                "cells were rounded, or leave the total out of the plan"
            )


def follow_parts(recoding: Recoded, plan: Plan) -> Recoded:
    """Compute the totals of recoded parts anew: with the others, the old one would tell what recoding hides."""
    changed = {step.column for step in recoding.steps}
    table, steps = recoding.table, list(recoding.steps)
    for total in in_order(plan.totals):
        if changed.isdisjoint(total.parts):
            continue
        parts = [table.numbers(name) for name in total.parts]
        missing = _any_missing([part.missing for part in parts])
        new = Numbers(_sum([part.values for part in parts]), missing, whole=all(part.whole for part in parts))
        before = table.numbers(total.total)
        present = ~np.isnan(before.values)
        cells = int((present & ~np.isclose(before.values, new.values, rtol=SLACK, atol=0, equal_nan=True)).sum())
        steps.append(Step(total.total, "totals", f"the sum of {parts_named(total)}", cells, int(present.sum())))
        table = Table.of(table.replace({total.total: new}))
        changed.add(total.total)
    return replace(recoding, table=table, steps=tuple(steps))


def require_followable(constant: Collection[str], plan: Plan) -> None:
    """Refuse a total that is the same in all records of a subject while its parts are not: it would become several."""
    for total in plan.totals:
        if total.total in constant and not set(constant).issuperset(total.parts):
            raise DataError(
                f"totals: {total.total!r} is the same in all records of a subject, and its parts are not, so it cannot "
                "be masked once and stay their sum: leave the total out of the plan"
            )


def with_totals(columns: Sequence[Column], plan: Plan) -> list[Column]:
    """Return masked columns with every total as the sum of its parts."""
    masked = {column.name: column for column in columns}
    for total in in_order(plan.totals):
        if not set(total.columns) <= set(masked):
            continue  # what is not masked leaves as it came, and adds up
        parts = [masked[name] for name in total.parts]
        values = _sum([part.values for part in parts])
        if all(part.spec.round for part in parts):
            decimals = [decimals_of(part.observed) for part in parts]
            values = values if None in decimals else np.round(values, max(each or 0 for each in decimals))
        is_whole = all(part.whole and part.spec.round for part in parts)
        column = masked[total.total]
        masked[total.total] = replace(
            column,
            values=values,
            missing=_any_missing([part.missing for part in parts]),
            whole=is_whole,
            spec=replace(column.spec, round=is_whole),
        )
    return list(masked.values())


def check_released_totals(released: Table, plan: Plan) -> dict[str, Any]:
    """Check on the released table that sums are sums, or refuse it; return what a manifest says of them."""
    entries: list[Mapping[str, Any]] = []
    for total in plan.totals:
        masked = plan.attributes[total.total].role.value == "quasi_identifier" and plan.release != "permute"
        recoded = not {*plan.recodings()}.isdisjoint(total.parts)
        apart = records_apart(released, total, 0.0 if masked or recoded else total.tolerance)
        if apart.any():
            raise GuaranteeError(
                f"the masked table does not keep {total.total!r} the sum of {parts_named(total)} in "
                f"{int(apart.sum()):,} rows, so nothing is released"
            )
        entries.append({"total": total.total, "parts": list(total.parts), "rows": len(released)})
    return {"totals": entries} if entries else {}


def records_apart(table: Table, total: Total, tolerance: float) -> NDArray[np.bool_]:
    """Return the records whose parts miss the total by more than a tolerance and what rounding of doubles makes."""
    sum_ = table.numbers(total.total).values
    parts = [table.numbers(name).values for name in total.parts]
    size = np.abs(sum_) + _sum([np.abs(part) for part in parts])
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(_sum(parts) - sum_) > tolerance + SLACK * size)


def parts_named(total: Total) -> str:
    """Name the parts of a total."""
    return ", ".join(map(repr, total.parts))


def _sum(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(np.add.reduce(list(parts)))


def _any_missing(masks: Sequence[NDArray[np.bool_] | None]) -> NDArray[np.bool_] | None:
    present_masks = [mask for mask in masks if mask is not None]
    return np.logical_or.reduce(present_masks) if present_masks else None
