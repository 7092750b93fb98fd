"""Recodings of a Spark table: what they must know of the whole column, the table as they leave it, what they did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.masking.inputs import check_columns
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_values import missing_values, open_table
from shoal.recode import RECODINGS, Clip, Rare, Recoded, Step
from shoal.recode.rare import KnownRare
from shoal.spark.exchange import Addable, folded, in_batches
from shoal.spark.fields import BEFORE, comparable, subject_count, unit_of
from shoal.spark.spreads import NumberColumns
from shoal.spark.subjects import with_subjects
from shoal.spark.table_checks import expected_types, read_schema, require_sums_of, schema_of

Asked = Mapping[str, Mapping[str, Any]]
"""What is asked of columns, by the keys of the recodings."""
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table as its plan compares it, and the recodings with what they must know of the whole of it."""

    table: DataFrame
    asked: Asked


def prepare(frame: DataFrame, plan: Plan, *, keep: bool = False) -> Prepared:
    """Check that table and plan name the same columns, and return the table as it is compared.

    What recoded columns held before may be kept beside them.

    Raises DataError: a column is not declared, or cannot be of the kind that the plan says.
    """
    check_columns(tuple(frame.columns), plan)
    if not missing_values(plan, frame.columns) and not plan.recodings():
        read_schema(frame, plan)
        require_sums_of(frame, plan)
        return Prepared(frame, {})
    opened = _recoded_by(frame, plan, {})
    require_sums_of(opened, plan)
    asked = {name: dict(keys) for name, keys in plan.recodings().items()}
    for name, clip in known_bounds(frame, plan).items():
        asked[name]["clip"] = clip
    for name, rare in known_rare(with_subjects(opened, plan), plan).items():
        asked[name]["rare"] = rare
    measured = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    beside = tuple(name for name in plan.recoded_names() if name in measured) if keep else ()
    table = _recoded_by(frame, plan, asked, beside)
    read_schema(table, plan)
    return Prepared(table, asked)


def _recoded_by(frame: DataFrame, plan: Plan, asked: Asked, beside: tuple[str, ...] = ()) -> DataFrame:
    """Return the table as some recodings leave it, with what some columns held before beside them.

    Cells that mean "no value" are missing.
    """

    def recode(part: pa.Table) -> pa.Table:
        made = _recode(part, plan, asked)
        table: pa.Table = made.table.data
        for name in beside:
            table = table.append_column(BEFORE + name, made.before.data[name])
        return table

    arrow = expected_types(frame)
    schema = recode(arrow.empty_table()).schema
    for name, keys in asked.items():
        if isinstance(keys.get("rare"), KnownRare) and keys["rare"].names:  # what they become is text
            place = schema.get_field_index(name)
            kind = schema.field(name).type
            text = kind if pa.types.is_string(kind) or pa.types.is_large_string(kind) else pa.string()
            schema = schema.set(place, schema.field(name).with_type(text))
    return frame.mapInArrow(in_batches(lambda part: recode(part).cast(schema)), schema_of(schema, arrow, frame.schema))


def _recode(part: pa.Table, plan: Plan, asked: Asked) -> Recoded:
    """Return some records as the plan compares them."""
    return recoded(open_table(part, plan), plan, judge_totals=False, asked=asked)


def known_bounds(frame: DataFrame, plan: Plan) -> dict[str, Clip]:
    """Return where columns are cut off at quantiles, as values: exact ones of the table that is recoded up to there."""
    recodings = plan.recodings()
    clips: dict[str, Clip] = {name: keys["clip"] for name, keys in recodings.items() if keys.get("clip") is not None}
    clips = {name: option for name, option in clips.items() if RECODINGS["clip"].needs_table(option)}
    if not clips:
        return {}
    earlier = list(RECODINGS)[: list(RECODINGS).index("clip")]
    frame = _recoded_by(
        frame, plan, {name: {key: keys.get(key) for key in earlier} for name, keys in recodings.items()}
    )
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
                bounds[side] = _EPOCH + timedelta(microseconds=round(value * 1e6)) if dates else value
        if bounds["low"] is not None and bounds["low"] == bounds["high"]:
            raise DataError(
                f"clip of column {name!r} empties it: its two quantiles are one value, so choose bounds that lie "
                'inside the column, or give it role = "identifier" to drop it'
            )
        given = {side: bound for side, bound in bounds.items() if bound is not None}
        made[name] = Clip.model_validate(given) if given else option
    return made


def known_rare(frame: DataFrame, plan: Plan) -> dict[str, KnownRare]:
    """Return which categories are rare, by one count of those who have each."""
    made = {}
    for name, keys in plan.recodings().items():
        option: Rare | None = keys.get("rare")
        if option is None:
            continue
        value = comparable(frame.schema[name]).alias("value")
        counts = frame.where(value.isNotNull()).groupBy(value).agg(subject_count(frame).alias("n"))
        few = counts.where(F.col("n") < F.lit(option.below)).toArrow()
        labels = Table.of(few).categories("value").labels if few.num_rows else ()
        names = frozenset(category_text(label) for label in labels)
        made[name] = KnownRare(below=option.below, into=option.into, names=names)
    return made


FewValues = dict[str, set[str]]
"""Two of the values of each column, or fewer."""


def _few_values(table: Table, names: Iterable[str]) -> FewValues:
    columns = ((name, table.data[name].combine_chunks().drop_null()) for name in names)
    return {name: set(map(str, pc.unique(cells)[:2].to_pylist())) for name, cells in columns}


def _few_of_both(one: FewValues, other: FewValues) -> FewValues:
    return {name: set(sorted(values | other[name])[:2]) for name, values in one.items()}


def _steps_of_both(one: list[Step], other: list[Step]) -> list[Step]:
    pairs = zip(one, other, strict=True)
    return [replace(step, cells=step.cells + more.cells, of=step.of + more.of) for step, more in pairs]


@dataclass(frozen=True, eq=False)
class _Counts(Addable):
    """What recodings did with some records."""

    steps: list[Step] = field(metadata={"add": _steps_of_both})
    before: FewValues = field(metadata={"add": _few_of_both})
    after: FewValues = field(metadata={"add": _few_of_both})


def count_steps(frame: DataFrame, plan: Plan, asked: Asked) -> tuple[Step, ...]:
    """Return what every recoding did, in the words of the plan; refuse one that leaves one value of several."""

    def look(part: pa.Table) -> _Counts:
        made = _recode(part, plan, asked)
        return _Counts(list(made.steps), _few_values(made.before, asked), _few_values(made.table, asked))

    counts = folded(frame, look)
    if counts is None:
        return ()
    for name in asked:
        if len(counts.after[name]) == 1 and len(counts.before[name]) > 1:
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
        for step in counts.steps
    )
