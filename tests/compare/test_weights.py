"""Weights of dependence in a comparison: rows as the sweep gives them, on the page, and given up only where asked."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal import Plan
from shoal.compare import compare, pareto_front
from shoal.compare.grid import chosen_plan
from shoal.compare.tradeoff import KEYS, sweep_dependence
from shoal.compare.weights import WEIGHT, weight_trade_offs

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


def test_rows_are_those_of_the_sweep_apart_for_everything_else(runs):
    found = weight_trade_offs(runs, PLAN.k)
    assert list(found) == ["method = mdav", "method = vmdav"]
    for method in ("mdav", "vmdav"):
        expected = sweep_dependence(people(), PLAN.replace(method=method), ks=[3, 6], weights=[0.5, 1])
        assert found[f"method = {method}"] == expected


def test_the_plans_k_stands_where_none_was_tried():
    runs = compare(people(), PLAN, {WEIGHT: [0, 0.5]}, keys=KEYS)
    assert {row.k for row in weight_trade_offs(runs, PLAN.k)[""]} == {4}


def test_without_the_plain_release_or_its_measures_there_is_nothing_to_tell():
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0.2, 0.5]}, keys=KEYS), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0, 0.5]}, keys=["d_x"]), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {"k": [3]}, keys=KEYS), 4) == {}
    assert weight_trade_offs(compare(people(), PLAN, {WEIGHT: [0, "none"]}, keys=KEYS), 4) == {}


def test_the_page_shows_weights_where_some_were_tried(runs):
    from shoal.report.comparison import comparison_page

    def page(some):
        axes = ("dld", "il_percent")
        return comparison_page(some, pareto_front(some, axes), axes=axes, picked=None, name="people", k=4)

    assert page(runs).count("Every dot is a weight") == 2
    assert "Weights of dependence" not in page([run for run in runs if run.choices[WEIGHT] == "none"])


def test_a_steered_t_that_the_plan_gives_up_stays_given_up():
    steered = {"t": 0.1, "method": "steered", "weight": 5.0}
    given_up = PLAN.replace(closeness=steered, guarantee=False)
    assert chosen_plan(given_up, {"k": 5}).guarantee is False
    assert chosen_plan(given_up, {"closeness.t": "none"}).guarantee is True
    assert chosen_plan(PLAN.replace(closeness=steered), {"k": 5}).guarantee is True
