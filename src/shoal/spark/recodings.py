"""Recodings of a Spark table: what they must know of the whole column, and what they did with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
from shoal.spark.fields import comparable, subject_count, unit_of
from shoal.spark.shuffle import added, folded
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
    """Return which categories are rare, by one count of those who have each."""
    made = {}
    for name, keys in plan.recodings().items():
        option: Rare | None = keys.get("rare")
        if option is None:
            continue
        value = comparable(frame.schema[name]).alias("value")
        counted = frame.where(value.isNotNull()).groupBy(value).agg(subject_count(frame).alias("n"))
        few = counted.where(F.col("n") < F.lit(option.below)).toArrow()
        labels = Table.of(few).categories("value").labels if few.num_rows else ()
        names = frozenset(category_text(label) for label in labels)
        made[name] = KnownRare(below=option.below, into=option.into, names=names)
    return made


@dataclass(frozen=True)
class _FewValues:
    """Two of the values of a column, or fewer."""

    values: frozenset[str]

    @classmethod
    def of(cls, table: Table, name: str) -> _FewValues:
        values = pc.unique(table.data[name].combine_chunks().drop_null())
        return cls(frozenset(str(value) for value in values[:2].to_pylist()))

    def __add__(self, other: _FewValues) -> _FewValues:
        return _FewValues(frozenset(sorted(self.values | other.values)[:2]))


@dataclass(frozen=True, eq=False)
class _Recoded:
    """What recodings did with some records."""

    steps: list[Step]
    before: dict[str, _FewValues]
    after: dict[str, _FewValues]

    def __add__(self, other: _Recoded) -> _Recoded:
        steps = [
            replace(step, cells=step.cells + more.cells, of=step.of + more.of)
            for step, more in zip(self.steps, other.steps, strict=True)
        ]
        return _Recoded(steps, added(self.before, other.before), added(self.after, other.after))


def count_steps(frame: DataFrame, plan: Plan, asked: Asked) -> tuple[Step, ...]:
    """Return what every recoding did, in the words of the plan; refuse one that leaves one value of several."""

    def look(part: pa.Table) -> _Recoded:
        made = recoded(open_table(part, plan), plan, judge_totals=False, asked=asked)
        before, after = ({name: _FewValues.of(table, name) for name in asked} for table in (made.before, made.table))
        return _Recoded(list(made.steps), before, after)

    found = folded(frame, look)
    if found is None:
        return ()
    for name in asked:
        if len(found.after[name].values) == 1 and len(found.before[name].values) > 1:
            key = next(key for key, option in reversed(list(asked[name].items())) if option is not None)
            raise DataError(
                f"{key} of column {name!r} empties it: all its values become the same one, so "
                f'{RECODINGS[key].remedy}, or give it role = "identifier" to drop it'
            )
    options = plan.recodings()
    return tuple(
        step
        if step.key not in RECODINGS
        else replace(step, words=RECODINGS[step.key].words(options[step.column][step.key]))
        for step in found.steps
    )
