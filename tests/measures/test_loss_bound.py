"""The bound on the scales of the measures: no release in groups of k has a smaller sse or il_percent."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.measures import Pair, measure
from shoal.measures.loss_bound import bound_loss, points_as_measured
from shoal.refinement._lower_bound import total_loss

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, 120),
            "pay": [None if i % 17 == 0 else float(v) for i, v in enumerate(rng.lognormal(7, 1, 120))],
            "grade": rng.choice(["low", "mid", "high"], 120),
            "county": rng.choice(["a", "b", "c"], 120),
            "constant": np.ones(120),
        }
    )


@pytest.fixture
def plan():
    return shoal.Plan(
        k=4,
        missing="impute",
        attributes={
            "age": NUMERIC,
            "pay": NUMERIC,
            "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
            "county": {"role": "quasi_identifier", "kind": "nominal"},
            "constant": NUMERIC,
        },
    )


@pytest.mark.parametrize("method", ["mdav", "vmdav"])
def test_a_release_loses_no_less_than_the_bound(table, plan, method):
    released = shoal.anonymize(table, plan.replace(method=method)).data
    found = bound_loss(table, plan, released=released, method="ascent")
    scores = measure(table, released, plan, keys=["sse", "il_percent"])
    assert found.released == scores["sse"].value
    assert found.released_percent == scores["il_percent"].value
    assert 0 < found.bound.sse <= scores["sse"].value
    assert 0 < found.bound.percent <= scores["il_percent"].value
    assert found.gap == pytest.approx(100 * (found.released / found.bound.sse - 1))
    assert found.sentence.startswith("at most ")
    assert found.bound.percent == pytest.approx(100 * found.bound.sse / found.released * found.released_percent / 100)


def test_without_a_release_there_is_the_bound_alone(table, plan):
    found = bound_loss(table, plan, method="ascent")
    assert found.bound.k == 4
    assert (found.released, found.gap, found.sentence) == (None, None, None)


def test_records_are_matched_by_a_key(table, plan):
    named = table.with_columns(name=pl.arange(120, eager=True).cast(pl.String))
    with_name = shoal.Plan.from_mapping(
        {**plan.to_dict(), "attributes": {**plan.to_dict()["attributes"], "name": {"role": "other"}}}
    )
    released = shoal.anonymize(named, with_name).data
    by_row = bound_loss(named, with_name, released=released, method="ascent")
    by_key = bound_loss(named, with_name, released=released.reverse(), key_column="name", method="ascent")
    assert by_key.released == pytest.approx(by_row.released)


def test_rows_in_another_order_are_matched_by_their_places_or_refused(table, plan):
    kept = shoal.Plan.from_mapping(
        {**plan.to_dict(), "attributes": {**plan.to_dict()["attributes"], "ward": {"role": "other"}}}
    )
    table = table.with_columns(ward=np.random.default_rng(3).integers(0, 30, 120))
    released = shoal.anonymize(table, kept).in_original_order().data
    wanted = bound_loss(table, kept, released=released, method="stars")
    rows = np.random.default_rng(4).permutation(120)
    found = bound_loss(table, kept, released=released[rows], rows=rows, method="stars")
    assert (found.released, found.released_percent) == (wanted.released, wanted.released_percent)
    with pytest.raises(DataError, match="not those of the original in its order"):
        bound_loss(table, kept, released=released[rows], method="stars")
    for how in ({"rows": rows}, {"key_column": "ward"}):
        with pytest.raises(PlanError, match="key_column and rows say which records of a release are which"):
            bound_loss(table, kept, method="stars", **how)


def test_what_the_plan_calls_missing_is_no_value_of_the_bound(table, plan):
    coded = table.with_columns(pl.col("pay").fill_null(99999.0))
    wanted = bound_loss(table, plan, method="stars").bound.sse
    assert bound_loss(coded, plan.replace(missing_values=[99999]), method="stars").bound.sse == wanted


@pytest.mark.parametrize("chosen", [("age", "pay"), ("county",)])
def test_one_column_in_an_order_has_the_least_loss_itself_and_others_are_named(table, plan, chosen):
    some = plan.replace(attributes={name: plan.attributes[name] for name in chosen})
    with pytest.raises(PlanError, match=", ".join(rf"'{name}' \(\w+\)" for name in chosen)):
        bound_loss(table.select(chosen), some, method="univariate")
    ages = plan.replace(attributes={"age": plan.attributes["age"]})
    assert bound_loss(table.select("age"), ages, method="univariate").bound.method == "univariate"


def test_classes_below_k_are_refused(table, plan):
    with pytest.raises(DataError, match="equivalence classes of 1 record, so a bound for groups of at least 4"):
        bound_loss(table, plan, released=table)


def test_the_loss_of_one_group_is_that_of_the_measure():
    rng = np.random.default_rng(1)
    values = {"x": rng.lognormal(size=50), "y": rng.choice(["a", "b", "c"], 50), "z": rng.choice(["1", "2", "3"], 50)}
    kinds = {"y": "nominal", "z": ["1", "2", "3"]}
    pair = Pair.of(values, values, kinds=kinds)
    assert total_loss(points_as_measured(pair)) == pytest.approx(sum(column.total for column in pair.columns))


@pytest.fixture
def visits():
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "lat": rng.normal(41.1, 0.1, 90),
            "lon": rng.normal(1.2, 0.1, 90),
            "hour": rng.normal(23, 4, 90) % 24,
            "code": rng.choice(["J10", "J11", "J20", "K35", "K36", "L40"], 90),
        }
    )


@pytest.mark.parametrize("chosen", [("lat",), ("hour",), ("code",), ("lat", "hour", "code")])
@pytest.mark.parametrize("method", ["ascent", "stars"])
def test_places_cycles_and_hierarchies_have_a_bound(visits, chosen, method):
    attributes = {
        "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
        "hour": {"role": "quasi_identifier", "kind": "cyclic", "period": 24},
        "code": {"role": "quasi_identifier", "kind": "nominal", "hierarchy": {"prefix": [1, 2]}},
    }
    columns = [*chosen, "lon"] if "lat" in chosen else list(chosen)
    table = visits.select(columns)
    plan = shoal.Plan(k=3, attributes={name: attributes[name] for name in chosen})
    released = shoal.anonymize(table, plan.replace(refine="good")).data
    found = bound_loss(table, plan, released=released, method=method)
    assert found.bound.sse <= found.released
    assert found.bound.percent <= found.released_percent
    assert found.bound.percent * found.released == pytest.approx(found.bound.sse * found.released_percent)
    assert found.bound.sse >= (0 if chosen == ("code",) else 0.2 * found.released)


def test_a_hierarchy_is_bounded_level_by_level():
    table = pl.DataFrame({"code": ["J1", "J2", "K1", "K2"]})
    plan = shoal.Plan(
        k=2, attributes={"code": {"role": "quasi_identifier", "kind": "nominal", "hierarchy": {"prefix": [1]}}}
    )
    # Two pairs that share a letter: the lower level of one record in each is lost, which weighs a quarter.
    assert bound_loss(table, plan, method="ascent").bound.sse == pytest.approx(0.5)
