"""Records, frames and tables read the same values alike: categories, missing cells, precision, dates."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, Plan, StreamAnonymizer
from shoal.frames import Instants, microseconds, moment_at


def make_plan(*, k: int = 2, **attribute: Any) -> Plan:
    return Plan(k=k, attributes={"x": {"role": "quasi_identifier", **attribute}}, stream={"max_delay": k - 1})


def pushed(plan: Plan, values: list[Any]) -> list[Any]:
    stream = StreamAnonymizer(plan)
    return [record["x"] for value in values for record in stream.push({"x": value})]


@pytest.mark.parametrize("order", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"]])
@pytest.mark.parametrize("values", [[1, 3], [1.0, 3.0]])
def test_numbers_are_categories_by_value_in_records_as_in_frames(order, values):
    plan = make_plan(kind="ordinal", order=order, aggregate="convex_median")
    table = shoal.anonymize(pl.DataFrame({"x": values}), plan).data["x"].to_list()
    assert pushed(plan, values) == StreamAnonymizer(plan).push_many(pl.DataFrame({"x": values}))["x"].to_list() == table
    assert [type(value) for value in pushed(plan, values)] == [type(value) for value in table]


def test_text_decimals_and_booleans_keep_to_their_order():
    assert pushed(make_plan(kind="ordinal", order=[1, 2]), ["1", "1"]) == ["1", "1"]
    assert pushed(make_plan(kind="ordinal", order=[1, 2]), [Decimal("1.0"), Decimal(1)]) == [1, 1]
    assert pushed(make_plan(kind="ordinal", order=[False, True]), [True, True]) == [True, True]
    for value in ("1.0", True, 1.5):
        with pytest.raises(DataError, match="'x' has a value outside its declared order"):
            pushed(make_plan(kind="ordinal", order=[1, 2]), [value])


def test_levels_between_whole_numbers_and_words_among_numbers_leave_as_themselves():
    assert pushed(make_plan(kind="ordinal", order=[1, 1.5, 2], aggregate="mode"), [1.5, 1.5]) == [1.5, 1.5]
    between = make_plan(k=3, kind="ordinal", order=[1, 1.5, 2])
    assert pushed(between, [1, 1.5, 2]) == [1.5] * 3, "and not 1, whichever of them stands first"
    words = make_plan(k=3, kind="ordinal", order=[1, "some", 2])
    assert pushed(words, [1, "some", 2]) == ["some"] * 3


def test_a_level_has_the_type_of_the_members_that_have_one():
    plan = make_plan(k=4, kind="ordinal", order=["1", "2"], missing="impute")
    assert pushed(plan, [None, None, None, 1]) == [1] * 4, "and not '1', as the plan writes it"


@pytest.mark.parametrize(
    ("attribute", "dtype"),
    [
        ({"kind": "numeric"}, pl.Float64),
        ({"kind": "date"}, pl.Date),
        ({"kind": "ordinal", "order": ["a", "b"]}, pl.String),
        ({"kind": "nominal"}, pl.String),
    ],
)
def test_a_missing_cell_is_refused_in_the_words_of_tables(attribute, dtype):
    plan, frame = make_plan(**attribute), pl.DataFrame({"x": [None, None]}, schema={"x": dtype})
    with pytest.raises(DataError) as of_table:
        shoal.anonymize(frame, plan)
    with pytest.raises(DataError) as of_frame:
        StreamAnonymizer(plan).push_many(frame)
    with pytest.raises(DataError, match='has a missing value, and missing = "error": fill it, or set') as of_record:
        pushed(plan, [None])
    assert str(of_frame.value) == str(of_table.value)
    assert ("category" in str(of_record.value)) == (attribute["kind"] in ("ordinal", "nominal"))


@pytest.mark.parametrize("missing", ["error", "impute"])
def test_a_missing_confidential_value_is_refused_without_a_hint_that_would_not_help(missing):
    plan = Plan(
        k=2,
        missing=missing,
        attributes={
            "x": {"role": "quasi_identifier", "kind": "numeric"},
            "c": {"role": "confidential", "kind": "numeric"},
        },
        closeness={"t": 0.5},
    )
    with pytest.raises(DataError, match="confidential column 'c' has a missing value: closeness in a stream") as said:
        StreamAnonymizer(plan).push({"x": 1.0, "c": None})
    assert "impute" not in str(said.value)
    with pytest.raises(DataError, match="confidential column 'c' has 1 missing value, the first in row 2: "):
        StreamAnonymizer(plan).push_many(pl.DataFrame({"x": [1.0, 2.0], "c": [1.0, None]}))


def test_a_huge_number_beside_a_fine_one_is_not_rounded_away():
    values = [1e299, 0.123456789012]
    plan = make_plan(kind="numeric", round=True)
    table = shoal.anonymize(pl.DataFrame({"x": values}), plan).data["x"].to_list()
    assert pushed(plan, values) == StreamAnonymizer(plan).push_many(pl.DataFrame({"x": values}))["x"].to_list() == table
    assert np.isfinite(table).all()


@pytest.mark.parametrize("unit", ["D", "m", "s", "ms", "us", "ns"])
def test_a_column_of_dates_counts_as_its_single_dates_do(unit):
    stamps = np.array(["2024-02-29", "NaT", "1931-07-01"], dtype=f"datetime64[{unit}]")
    counts = Instants.of(stamps).in_microseconds()
    assert counts[0] == microseconds(dt.date(2024, 2, 29))
    assert counts[2] == microseconds(dt.datetime(1931, 7, 1))
    assert np.isnan(counts[1])
    back = Instants.of_microseconds(counts)
    assert back.in_unit("us").view("datetime64[us]").tolist()[0] == dt.datetime(2024, 2, 29)
    assert back.missing is not None
    assert back.missing.tolist() == [False, True, False]


def test_moments_come_back_to_the_last_microsecond_of_the_calendar():
    for moment in (dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.UTC)):
        assert moment_at(microseconds(moment)) == moment
    last = dt.datetime.max.replace(tzinfo=dt.UTC)
    assert moment_at(float(microseconds(last))) == last
