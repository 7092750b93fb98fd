"""Weights of dependence in a comparison: rows are those of each release, on the page, given up only where asked."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal import Plan, anonymize, measure
from shoal.comparison import Comparison, compare
from shoal.comparison.grid import chosen_plan
from shoal.comparison.tradeoff import KEYS, WEIGHT, weight_trade_offs

PLAN = Plan(
    k=4,
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "height": {"role": "quasi_identifier", "kind": "numeric"},
        "pay": {"role": "confidential", "kind": "numeric"},
    },
)


def people(n=90):
    rng = np.random.default_rng(0)
    return pl.DataFrame({"age": rng.random(n), "height": rng.random(n), "pay": rng.random(n)})


@pytest.fixture(scope="module")
def runs():
    grid = {"k": [3, 6], "method": ["mdav", "vmdav"], WEIGHT: ["none", 0.5, 1]}
    return compare(people(), PLAN, grid, keys=[*KEYS, "dld", "il_percent"])


def test_rows_are_those_of_each_release_apart_for_everything_else(runs):
    found = weight_trade_offs(runs, PLAN.k)
    assert list(found) == ["method = mdav", "method = vmdav"]
    for method in ("mdav", "vmdav"):
        rows = found[f"method = {method}"]
        assert [(row.k, row.weight) for row in rows] == [(k, weight) for k in (3, 6) for weight in (0, 0.5, 1)]
        for row in rows:
            plan = PLAN.replace(method=method, k=row.k, dependence={"weight": row.weight})
            scores = measure(people(), anonymize(people(), plan).data, plan, keys=KEYS)
            assert (row.d_x, row.d_y, row.l_avg) == tuple(scores[key].value for key in KEYS)


def test_the_attributes_of_the_plan_stay_those_of_every_weight():
    frame = people().with_columns(cause=pl.Series(np.random.default_rng(1).choice(list("abc"), len(people()))))
    causes = PLAN.replace(
        attributes={**PLAN.to_dict()["attributes"], "cause": {"role": "confidential", "kind": "nominal"}}
    )
    both, pay = (
        weight_trade_offs(compare(frame, plan, {WEIGHT: [0, 0.5]}, keys=KEYS), PLAN.k)[""]
        for plan in (causes, causes.replace(dependence={"weight": 0, "attributes": ["pay"]}))
    )
    assert both[1] != pay[1]


def test_the_plans_k_stands_where_none_was_tried():
    runs = compare(people(), PLAN, {WEIGHT: [0, 0.5]}, keys=KEYS)
    assert {row.k for row in weight_trade_offs(runs, PLAN.k)[""]} == {4}


def test_without_the_plain_release_or_its_measures_there_is_nothing_to_tell():
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0.2, 0.5]}, keys=KEYS), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0, 0.5]}, keys=["d_x"]), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {"k": [3]}, keys=KEYS), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0, "none"]}, keys=KEYS), 4) == {}


def test_the_page_shows_weights_where_some_were_tried(runs):
    from shoal.report.html import comparison_page

    def page(some):
        return comparison_page(Comparison(tuple(some), PLAN), picked=None, name="people")

    assert page(runs).count("Every dot is a weight") == 2
    assert "Weights of dependence" not in page([run for run in runs if run.choices[WEIGHT] == "none"])


def test_a_steered_t_that_the_plan_gives_up_stays_given_up():
    steered = {"t": 0.1, "method": "steered", "weight": 5.0}
    given_up = PLAN.replace(closeness=steered, guarantee=False)
    assert chosen_plan(given_up, {"k": 5}).guarantee is False
    assert chosen_plan(given_up, {"closeness.t": "none"}).guarantee is True
    assert chosen_plan(PLAN.replace(closeness=steered), {"k": 5}).guarantee is True
