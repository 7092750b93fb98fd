"""The rows that lanes are given: their lane, their order and the columns of the plan, by places and not by names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.plan import Plan
from shoal.plan.gaps import missing_values

LANE = "lane"
"""The column of lanes."""

TIE = "tie"
"""The column by which rows are ordered that no other column orders."""

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
    # Maps and variants have no hash.
    types = {field.name: field.dataType.simpleString() for field in came.schema}
    hashed = [name for name, kind in types.items() if not any(word in kind for word in ("map<", "variant"))]
    return came.select(
        (F.lit(0) if lane is None else _lane(came, plan, lane)).alias(LANE),
        *(_cell(name).alias(f"order{place}") for place, name in enumerate(order)),
        F.xxhash64(*map(_cell, hashed)).alias(TIE),
        *(_cell(name).alias(f"column{place}") for place, name in enumerate(plan.attributes)),
    )


def _lane(came: DataFrame, plan: Plan, lane: str) -> Column:
    """Return the lane of each record: null where the engine takes its value for none, so that no id tells it."""
    kind, cell = came.schema[lane].dataType.typeName(), _cell(lane)
    if kind == "string":
        cell = cell.cast("string")  # by its letters, where the column is compared in another way
    means_none: list[Any] = list(missing_values(plan, [lane]).get(lane, ()))
    if kind in (*_FRACTIONS, *_WHOLE):
        means_none = [number for number in map(_number, means_none) if number is not None]
    if kind in _WHOLE:
        means_none = [int(number) for number in means_none if number.is_integer() and abs(number) < 2**63]
    if means_none and kind != "boolean":
        written = cell.cast("string") if kind == "date" else cell
        words = [str(value) for value in means_none] if kind in ("string", "date") else means_none
        cell = F.when(written.isin(words), F.lit(None)).otherwise(cell)
    return F.when(F.isnan(cell), F.lit(None)).otherwise(cell) if kind in _FRACTIONS else cell


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _cell(name: str) -> Column:
    return F.col(f"`{name.replace('`', '``')}`")
