"""Recodings of a Spark table: what they must know of the whole column, and what they did with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.plan.missing_cells import open_table
from shoal.recode import RECODINGS, Clip, Rare, Step
from shoal.recode.rare import KnownRare
from shoal.spark.fields import SUBJECT, comparable, unit_of
from shoal.spark.fold import folded
from shoal.spark.spreads import NumberColumns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Asked = Mapping[str, Mapping[str, Any]]
"""What is asked of columns, by the keys of the recodings."""


def before_clipping(plan: Plan) -> Asked:
    """Return the recodings that come before a column is cut off: its quantiles are those of what they leave."""
    kept = list(RECODINGS)[: list(RECODINGS).index("clip")]
    return {name: {key: keys.get(key) for key in kept} for name, keys in plan.recodings().items()}


def needs_bounds(plan: Plan) -> dict[str, Clip]:
    """Return the columns that are cut off at quantiles."""
    found = {name: keys["clip"] for name, keys in plan.recodings().items() if keys.get("clip") is not None}
    return {name: option for name, option in found.items() if RECODINGS["clip"].needs_table(option)}


def known_bounds(frame: DataFrame, clips: Mapping[str, Clip]) -> dict[str, Clip]:
    """Return where columns are cut off, as values: exact quantiles of a table that is recoded up to there."""
    columns = NumberColumns(frame, tuple(clips))
    made = {}
    for name, option in clips.items():
        spread = columns.spread(name)
        dates = unit_of(frame.schema[name]) is not None
        bounds = {"low": option.low, "high": option.high}
        for side, share in (("low", option.low_quantile), ("high", option.high_quantile)):
            if share is not None and len(spread):
                rank = max(int(np.ceil(share * len(spread))) - 1, 0)
                value = spread.ranked([rank])[rank]
                bounds[side] = _moment(value) if dates else value
        if bounds["low"] is not None and bounds["low"] == bounds["high"]:
            raise DataError(
                f"clip of column {name!r} empties it: its two quantiles are one value, so choose bounds that lie "
                'inside the column, or give it role = "identifier" to drop it'
            )
        given = {side: bound for side, bound in bounds.items() if bound is not None}
        made[name] = Clip.model_validate(given) if given else option
    return made


def _moment(seconds: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None) + timedelta(microseconds=round(seconds * 1e6))


def known_rare(frame: DataFrame, plan: Plan) -> dict[str, KnownRare]:
    """Return which categories are rare, by one count of those who have each.

    Parameters
    ----------
    frame
        The table, with the subject of each record where the plan names it.
    plan
        What is asked.
    """
    made = {}
    for name, keys in plan.recodings().items():
        option: Rare | None = keys.get("rare")
        if option is None:
            continue
        many = F.count_distinct(SUBJECT) if SUBJECT in frame.columns else F.count(F.lit(1))
        value = comparable(frame.schema[name]).alias("value")
        counted = frame.where(value.isNotNull()).groupBy(value).agg(many.alias("n"))
        few = counted.where(F.col("n") < F.lit(option.below)).toArrow()
        labels = Table.of(few).categories("value").labels if few.num_rows else ()
        names = frozenset(category_text(label) for label in labels)
        made[name] = KnownRare(below=option.below, into=option.into, names=names)
    return made


@dataclass(frozen=True, eq=False)
class _StepLook:
    """Counts what recodings do with some records."""

    plan: Plan
    asked: Asked

    def __call__(self, part: pa.Table) -> tuple[list[Step], dict[str, tuple[set[str], set[str]]]]:
        made = recoded(open_table(part, self.plan), self.plan, judge_totals=False, asked=self.asked)
        few = {name: (_few(made.before, name), _few(made.table, name)) for name in self.asked}
        return list(made.steps), few


def _few(table: Table, name: str) -> set[str]:
    """Return two of the values of a column, or fewer."""
    values = pc.unique(table.data[name].combine_chunks().drop_null())
    return {str(value) for value in values[:2].to_pylist()}


def _added(one: Any, other: Any) -> Any:
    steps = [
        Step(step.column, step.key, step.words, step.cells + more.cells, step.of + more.of)
        for step, more in zip(one[0], other[0], strict=True)
    ]
    few = {
        name: tuple(set(sorted(here | there)[:2]) for here, there in zip(one[1][name], other[1][name], strict=True))
        for name in one[1]
    }
    return steps, few


def count_steps(frame: DataFrame, plan: Plan, asked: Asked) -> tuple[Step, ...]:
    """Return what every recoding did, in the words of the plan.

    Raises
    ------
    DataError
        A recoding leaves one value of a column that had several.
    """
    found = folded(frame, _StepLook(plan, asked), _added)
    if found is None:
        return ()
    steps, few = found
    for name, (before, after) in few.items():
        if len(after) == 1 and len(before) > 1:
            key = next(key for key, option in reversed(list(asked[name].items())) if option is not None)
            raise DataError(
                f"{key} of column {name!r} empties it: all its values become the same one, so "
                f'{RECODINGS[key].remedy}, or give it role = "identifier" to drop it'
            )
    options = plan.recodings()
    return tuple(
        step
        if step.key not in RECODINGS
        else Step(step.column, step.key, RECODINGS[step.key].words(options[step.column][step.key]), step.cells, step.of)
        for step in steps
    )
