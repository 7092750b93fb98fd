"""Totals of a Spark table: sums that came as sums stay sums, judged on all records."""

from __future__ import annotations

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


def require_sums_of(frame: DataFrame, plan: Plan) -> None:
    """Refuse a table whose parts do not reach their total.

    Raises
    ------
    DataError
        In how many records they do not.
    """
    if not plan.totals:
        return

    def count_apart(part: pa.Table) -> list[int]:
        table = Table.of(part)
        return [len(table), *(int(records_apart(table, total, total.tolerance).sum()) for total in plan.totals)]

    records, *counts = folded(_columns(frame, plan), count_apart) or [0] * (len(plan.totals) + 1)
    for total, apart in zip(plan.totals, counts, strict=True):
        if apart:
            slack = f", within {total.tolerance:g}" if total.tolerance else ""
            raise DataError(
                f"totals: {parts_named(total)} do not add up to {total.total!r}{slack} in {apart:,} of {records:,} "
                "rows: mend them, set tolerance where cells were rounded, or leave the total out of the plan"
            )


def check_totals_of(released: DataFrame, plan: Plan) -> dict[str, Any]:
    """Check on a released table that sums are sums; return what a manifest says of them.

    Raises
    ------
    GuaranteeError
        They are not: nothing is released.
    """
    if not plan.totals:
        return {}
    return folded(_columns(released, plan), lambda part: check_released_totals(Table.of(part), plan), _together) or {}


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    pairs = zip(one["totals"], other["totals"], strict=True)
    return {"totals": [{**mine, "rows": mine["rows"] + theirs["rows"]} for mine, theirs in pairs]}


def _columns(frame: DataFrame, plan: Plan) -> DataFrame:
    return frame.select(*map(quoted, dict.fromkeys(name for total in plan.totals for name in total.columns)))
