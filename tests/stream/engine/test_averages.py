"""A released group has the values that a table would give its members, for every kind, operator and missing policy."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal import Plan, StreamAnonymizer
from shoal.aggregate import Groups, mask
from shoal.frames import Table
from shoal.kinds import Kind, Missing, Operator
from shoal.kinds.registry import read_column, to_frame_columns

IN_STREAMS = [missing for missing in Missing if missing is not Missing.KEEP]
ORDER = ["low", "mid", "high", "top", "more"]
VALUES: dict[Kind, Any] = {
    Kind.NUMERIC: lambda random: float(random.integers(0, 400)) / 10,
    Kind.DATE: lambda random: dt.date(2000, 1, 1) + dt.timedelta(days=int(random.integers(0, 4000))),
    Kind.ORDINAL: lambda random: ORDER[random.integers(0, 5)],
    Kind.NOMINAL: lambda random: "abc"[random.integers(0, 3)],
}
TYPES = {Kind.NUMERIC: pl.Float64, Kind.DATE: pl.Date, Kind.ORDINAL: pl.String, Kind.NOMINAL: pl.String}
CASES = [
    (kind, operator, missing, rounds)
    for kind, missing, rounds in product(VALUES, IN_STREAMS, (False, True))
    for operator in kind.operators
    if not operator.needs_tree
    and not (kind.is_continuous and missing is Missing.CATEGORY)
    and not (rounds and kind is not Kind.NUMERIC)
]


def make_frame(kind: Kind, *, holes: bool, n: int = 240) -> pl.DataFrame:
    """A column of the kind, another quasi-identifier, and the position of each row."""
    random = np.random.default_rng(5)
    values = [None if holes and random.random() < 0.4 else VALUES[kind](random) for _ in range(n)]
    return pl.DataFrame({"x": values, "near": random.random(n), "place": range(n)}, schema_overrides={"x": TYPES[kind]})


@pytest.mark.parametrize(("kind", "operator", "missing", "rounds"), CASES)
def test_a_stream_averages_as_tables_do(kind, operator, missing, rounds):
    attribute = {"role": "quasi_identifier", "kind": kind, "aggregate": operator, "missing": missing}
    attribute |= {"order": ORDER} if kind is Kind.ORDINAL else {}
    attribute |= {"round": rounds} if kind is Kind.NUMERIC else {}
    plan = Plan(
        k=4,
        attributes={
            "x": attribute,
            "near": {"role": "quasi_identifier", "kind": "numeric"},
            "place": {"role": "other"},
        },
        stream={"max_delay": 25},
    )
    frame = make_frame(kind, holes=missing is not Missing.ERROR)
    stream = StreamAnonymizer(plan)
    left = pl.concat([stream.push_many(frame), stream.flush()])
    # Two groups never share the average of a column of random numbers.
    groups = [part for _, part in left.group_by("near", maintain_order=True)]
    compared = 0
    for released in groups:
        members = frame[np.sort(released["place"].to_numpy())]  # as they came
        if operator is Operator.MEAN and is_halfway(members["x"].drop_nulls().to_list(), rounds=rounds):
            continue  # between two dates or decimals: a table counts from its earliest date, a stream from 1970
        compared += 1
        expected, found = as_table(plan, members), released["x"].to_list()
        assert len(set(found)) == 1
        if operator in (Operator.MODE, Operator.DRAW):  # which of several, lots decide: other ones in a table
            assert found[0] in candidates(members["x"].to_list(), operator, missing)
        elif operator is Operator.MEAN and expected[0] is not None:
            assert found == pytest.approx(expected, rel=1e-14) if kind is Kind.NUMERIC else found == expected
        else:
            assert found == expected
    assert compared > 30


def as_table(plan: Plan, members: pl.DataFrame) -> list[Any]:
    """What stands for the members when they are one group of a table."""
    table = Table.of(members)
    masked = mask(read_column(table, plan.spec("x")), Groups(np.zeros(len(members), dtype=np.int64)))
    return Table.of(table.replace(to_frame_columns(masked))).frame["x"].to_list()


def is_halfway(values: list[Any], *, rounds: bool) -> bool:
    """Whether the mean, in the steps it is rounded to, lies exactly between two."""
    if not values or (isinstance(values[0], float) and not rounds):
        return False
    if isinstance(values[0], dt.date):
        steps = [value.toordinal() for value in values]
    else:
        whole = all(value.is_integer() for value in values)
        steps = [round(value if whole else value * 10) for value in values]
    return Fraction(sum(steps), len(steps)).denominator == 2


def candidates(values: list[Any], operator: Operator, missing: Missing) -> set[Any]:
    """The categories that may stand for a group; missing cells count where they are a category."""
    counts = Counter(value for value in values if value is not None or missing is Missing.CATEGORY)
    most = max(counts.values(), default=0) if operator is Operator.MODE else 1
    return {value for value, count in counts.items() if count >= most} or {None}


@pytest.mark.parametrize("missing", IN_STREAMS)
def test_without_a_tie_the_most_frequent_category_is_that_of_tables(missing):
    plan = Plan(
        k=3,
        attributes={"x": {"role": "quasi_identifier", "kind": "nominal", "missing": missing}},
        stream={"max_delay": 4},
    )
    values = ["b", "a", "b"] if missing is Missing.ERROR else ["b", None, None]
    stream = StreamAnonymizer(plan)
    left = [record for value in values for record in stream.push({"x": value})] + stream.flush()
    assert [record["x"] for record in left] == as_table(plan, pl.DataFrame({"x": values}, schema={"x": pl.String}))
