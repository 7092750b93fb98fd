"""Fit: what the encoder and the guarantees must know of a whole table, learnt by aggregates of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shoal.encode import Encoder
from shoal.errors import DataError, counted, it_or_them
from shoal.frames import Table
from shoal.kinds import Missing, Scale
from shoal.kinds.column import Spec
from shoal.kinds.numeric import WIDEST, Continuous
from shoal.kinds.registry import Encoded, kind_of, read_column
from shoal.masking.inputs import require_at_least_k, require_different
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect.guarantee import Distribution
from shoal.spark.column_sums import Bounds, Heading, Moments, find_bounds, find_moments, scaling_of, sum_columns
from shoal.spark.fields import aggregates, comparable, number_of, quoted, unit_of

MOST_CATEGORIES = 1 << 20
"""Categories of one column that the driver takes in."""


@dataclass(frozen=True)
class Fit:
    """What was learnt of a table."""

    records: int  # how many there are
    encoder: Encoder  # how quasi-identifiers become points
    steering: Encoder  # how the columns that steer become points
    plan: Plan  # with the order of every ordinal column, so that a fragment without a category still knows of it
    gaps: Mapping[str, int]  # how many cells of a column are missing, by name


def fit(frame: DataFrame, plan: Plan) -> Fit:
    """Learn scalings, categories and orders of a table.

    Raises DataError: there are no records, fewer than k, missing or infinite cells where the plan refuses them, or very
    many categories.

    Two passes over the numbers: bounds, then moments inside them; and one count for each column of categories.
    """
    masked = [plan.spec(name) for name in plan.masked_names()]
    unit_range = {table.column for table in plan.steer if table.kind == "column"}
    steering = [plan.spec(name) for name in plan.steering_names()]
    specs = {spec.name: spec for spec in (*steering, *masked)}
    numbers = {name: number_of(frame.schema[name]) for name, spec in specs.items() if spec.kind.is_continuous}
    directions = [spec for spec in specs.values() if spec.kind.is_directional]
    bounds = find_bounds(frame, numbers)
    records = bounds.pop("").observed
    if records == 0:
        raise DataError("the table has no records: there is nothing to anonymize")
    require_at_least_k(records, counted(records, "record"), plan)
    for name, between in bounds.items():
        _check_bounds(specs[name], between)
    moments = find_moments(frame, numbers, bounds)
    headings = sum_columns(frame, directions, Heading.of)
    categories = {name: count_values(frame, name) for name in specs if name not in numbers and name not in headings}
    gaps = {name: each.missing for name, each in (bounds | headings).items()}
    for name, values in categories.items():
        gaps[name] = int(values.records[values.values.data[name].is_null().to_numpy(zero_copy_only=False)].sum())
    for name in (*headings, *categories):
        _refuse_gaps(specs[name], gaps[name])
    orders = {}
    attributes: dict[str, Encoded] = {}
    for name, spec in specs.items():
        scale = Scale.MINMAX if name in unit_range else spec.scale
        if name in numbers:
            attributes[name] = _continuous(spec, scale, frame, bounds[name], moments[name])
        elif name in headings:
            attributes[name] = headings[name].encoded(spec, scale)
        else:
            column = read_column(categories[name].values, spec)
            attributes[name] = kind_of(spec).fit(column, spec.scale, categories[name].records)
            if spec.kind.is_ordinal and spec.order is None:
                orders[name] = [level for level in column.levels if level is not None]
    return Fit(
        records,
        Encoder(tuple(attributes[spec.name] for spec in masked)),
        Encoder(tuple(attributes[spec.name] for spec in steering)),
        _ordered(plan, orders),
        {name: count for name, count in gaps.items() if count and name in plan.masked_names()},
    )


def count_values(frame: DataFrame, name: str, most: int | None = MOST_CATEGORIES) -> Distribution:
    """Return the different values of a column in an order of their own, and how many records have each.

    More than the driver takes in are refused.
    """
    of_values = frame.groupBy(comparable(frame.schema[name]).alias(name)).agg(F.count(F.lit(1)).alias("records"))
    counts = (of_values if most is None else of_values.limit(most + 1)).toArrow()
    if most is not None and counts.num_rows > most:
        raise DataError(
            f"column {name!r} has more than {most:,} different values, too many to be compared as categories: recode "
            "it, or give it another kind"
        )
    counts = counts.sort_by([(name, "ascending")])
    return Distribution(Table.of(counts.select([name])), counts["records"].to_numpy().astype(np.int64))


def require_single_records(frame: DataFrame, plan: Plan) -> None:
    """Refuse identifiers that repeat where the plan does not say whom a record is about."""
    for name in plan.names(Role.IDENTIFIER) if plan.subject is None else ():
        column = F.col(quoted(name))
        records, values = aggregates(frame, [F.count(column), F.count_distinct(F.trim(column.cast("string")))])
        require_different(name, records, values)


def _continuous(spec: Spec, scale: Scale, frame: DataFrame, bounds: Bounds, moments: Moments | None) -> Continuous:
    unit = unit_of(frame.schema[spec.name]) if spec.kind.is_date else None
    origin = 0 if unit is None or bounds.least is None else int(bounds.least)
    return Continuous(spec.name, spec.weight, scaling_of(bounds, moments, scale, origin), origin, unit)


def _check_bounds(spec: Spec, bounds: Bounds) -> None:
    if bounds.infinite:
        raise DataError(
            f"column {spec.name!r} has {counted(bounds.infinite, 'infinite value')}: a numeric column must be finite"
        )
    if bounds.least is not None and bounds.greatest is not None and bounds.greatest - bounds.least > WIDEST:
        raise DataError(f"column {spec.name!r} has numbers further apart than {WIDEST:g}: write it in a larger unit")
    _refuse_gaps(spec, bounds.missing)


def _refuse_gaps(spec: Spec, missing: int) -> None:
    if missing and spec.missing is Missing.ERROR:
        raise DataError(
            f'column {spec.name!r} has {counted(missing, "missing value")}, and missing = "error": '
            f'fill {it_or_them(missing)}, or set missing = "impute" (or "category" for a nominal or ordinal column)'
        )


def _ordered(plan: Plan, orders: Mapping[str, Sequence[Any]]) -> Plan:
    """Return the plan with the order of columns that had none of their own."""
    attributes: dict[str, Any] = plan.to_dict()["attributes"]
    ordered = {name: {**attributes[name], "order": list(order)} for name, order in orders.items()}
    return plan.replace(attributes=attributes | ordered) if orders else plan
