"""Totals of a Spark table: sums that came as sums stay sums, judged on all records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import DataError
from shoal.frames import Table
from shoal.masking.totals import check_released_totals, parts_named, records_apart
from shoal.plan import Plan
from shoal.spark.fields import quoted
from shoal.spark.fold import folded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False)
class _Apart:
    """Counts the records whose parts do not reach a total."""

    plan: Plan

    def __call__(self, part: pa.Table) -> tuple[int, ...]:
        table = Table.of(part)
        apart = (int(records_apart(table, total, total.tolerance).sum()) for total in self.plan.totals)
        return len(table), *apart


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def require_sums_of(frame: DataFrame, plan: Plan) -> None:
    """Refuse a table whose parts do not reach their total.

    Raises
    ------
    DataError
        In how many records they do not.
    """
    if not plan.totals:
        return
    found = folded(frame.select(*map(quoted, _names(plan))), _Apart(plan), _added)
    records, *counts = found or (0, *(0 for _ in plan.totals))
    for total, apart in zip(plan.totals, counts, strict=True):
        if apart:
            slack = f", within {total.tolerance:g}" if total.tolerance else ""
            raise DataError(
                f"totals: {parts_named(total)} do not add up to {total.total!r}{slack} in {apart:,} of {records:,} "
                "rows: mend them, set tolerance where cells were rounded, or leave the total out of the plan"
            )


@dataclass(frozen=True, eq=False)
class _Kept:
    """Checks the totals of some released records."""

    plan: Plan

    def __call__(self, part: pa.Table) -> dict[str, Any]:
        return check_released_totals(Table.of(part), self.plan)


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        "totals": [
            {**mine, "rows": mine["rows"] + theirs["rows"]}
            for mine, theirs in zip(one["totals"], other["totals"], strict=True)
        ]
    }


def check_totals_of(released: DataFrame, plan: Plan) -> dict[str, Any]:
    """Check on a released table that sums are sums; return what a manifest says of them.

    Raises
    ------
    GuaranteeError
        They are not: nothing is released.
    """
    if not plan.totals:
        return {}
    return folded(released.select(*map(quoted, _names(plan))), _Kept(plan), _together) or {}


def _names(plan: Plan) -> list[str]:
    return list(dict.fromkeys(name for total in plan.totals for name in total.columns))
