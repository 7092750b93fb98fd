"""The rows that lanes are given: their lane, their order and the columns of the plan, by places and not by names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.plan import Plan
from shoal.plan.missing_cells import missing_values

LANE = "lane"
"""The column of lanes."""

TIE = "tie"
"""The column by which rows are ordered that no other column orders."""

BEYOND = "beyond"
"""The column that names the first column of the plan whose date Python cannot hold; it is null where none is."""

_FIRST, _LAST = -62_135_510_400_000_000, 253_402_300_799_999_999
"""The moments that Python holds in any zone at their beginning, and in UTC at their end, in microseconds since 1970."""
_FRACTIONS = ("float", "double")
_WHOLE = ("byte", "short", "integer", "long")


def lane_rows(came: DataFrame, plan: Plan, *, lane: str | None, order: Sequence[str]) -> DataFrame:
    """Return the rows that a processor of lanes takes, with the column of lanes first.

    Parameters
    ----------
    came
        The records: the columns of the plan and those of ``order``.
    plan
        What the stream is anonymized by.
    lane
        The column whose values are lanes; None makes all records one.
    order
        The columns that say in which order records came.
    """
    types = {field.name: field.dataType.typeName() for field in came.schema}
    outside = {name: where for name, kind in types.items() if (where := _outside(name, kind)) is not None}

    def held(name: str) -> Column:
        return F.when(outside[name], F.lit(None)).otherwise(_cell(name)) if name in outside else _cell(name)

    beyond = [F.when(outside[name], F.lit(name)) for name in plan.attributes if name in outside]
    return came.select(
        (F.lit(0) if lane is None else _lane(held(lane), types[lane], _means_none(plan, lane))).alias(LANE),
        *(held(name).alias(f"order{place}") for place, name in enumerate(order)),
        _tie(came).alias(TIE),
        F.coalesce(*beyond, F.lit(None).cast("string")).alias(BEYOND),
        *(held(name).alias(f"column{place}") for place, name in enumerate(plan.attributes)),
    )


def _tie(came: DataFrame) -> Column:
    """Return a hash of the content, as far as it has one; a hash by itself skips what is null."""
    kinds = {field.name: field.dataType.simpleString() for field in came.schema}
    cells = [_cell(name) for name, kind in kinds.items() if not any(word in kind for word in ("map<", "variant"))]
    return F.xxhash64(*cells, *(_cell(name).isNull() for name in kinds))


def _outside(name: str, kind: str) -> Column | None:
    """Return whether a date is outside the years that Python has; None for columns without dates of their own."""
    cell = _cell(name)
    years = F.year(cell).between(1, 9999)
    match kind:
        case "date" | "timestamp_ntz":
            return ~years
        case "timestamp":  # which Python gets in the zone of the session
            return ~(years & F.unix_micros(cell).between(_FIRST, _LAST))
        case _:
            return None


def _lane(cell: Column, kind: str, means_none: Sequence[Any]) -> Column:
    """Return the lane of each record: null where the engine takes its value for none, so that no id tells it."""
    if kind == "string":
        cell = cell.cast("string")  # by its letters, where the column is compared in another way
    if kind in (*_FRACTIONS, *_WHOLE):
        means_none = [number for number in map(_number, means_none) if number is not None]
    if kind in _WHOLE:
        means_none = [int(number) for number in means_none if number.is_integer() and abs(number) < 2**63]
    if means_none and kind != "boolean":
        written = cell.cast("string") if kind == "date" else cell
        words = [str(value) for value in means_none] if kind in ("string", "date") else means_none
        cell = F.when(written.isin(words), F.lit(None)).otherwise(cell)
    return F.when(F.isnan(cell), F.lit(None)).otherwise(cell) if kind in _FRACTIONS else cell


def _means_none(plan: Plan, name: str) -> Sequence[Any]:
    return missing_values(plan, [name]).get(name, ())


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _cell(name: str) -> Column:
    return F.col(f"`{name.replace('`', '``')}`")
