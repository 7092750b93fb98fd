"""Measures of the population: those of a table in which every record stands as often as it has people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from reference import population as slow
from shoal.errors import DataError
from shoal.measures import Pair, compute, measure, population_error, population_il, population_k, population_risk

KINDS = {"grade": [0, 1, 2, 3, 4], "town": "nominal"}


def tables(seed, n=60):
    rng = np.random.default_rng(seed)
    before = {"age": rng.normal(40, 9, n).round(), "grade": rng.integers(0, 5, n), "town": rng.choice(["a", "b"], n)}
    first = np.arange(n) // 4 * 4
    return before, {name: values[first] for name, values in before.items()}, rng.integers(1, 9, n)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("of_subjects", [False, True])
def test_people_are_counted_as_the_twin_counts_them(seed, of_subjects):
    before, after, weights = tables(seed)
    subjects = np.random.default_rng(seed).integers(0, 25, 60) if of_subjects else None
    pair = Pair.of(before, after, kinds=KINDS, subjects=subjects, weights=weights / 3)
    expected = slow.people(pair.classes.tolist(), subjects, (weights / 3).tolist())
    assert population_k(pair).groups["people"].tolist() == pytest.approx(expected)
    assert population_k(pair).value == pytest.approx(min(expected))
    chances = [1 / expected[number] for number in pair.classes]
    assert population_risk(pair).value == pytest.approx(100 * sum(chances) / 60)
    assert population_risk(pair).parts["greatest"] == pytest.approx(100 * max(chances))


@pytest.mark.parametrize("seed", range(4))
def test_estimates_move_as_the_twin_says(seed):
    before, after, weights = tables(seed)
    score = population_error(Pair.of(before, after, kinds=KINDS, weights=weights))
    for name in before:
        expected = slow.moved(before[name].tolist(), after[name].tolist(), weights, categories=name != "age")
        assert score.attributes[name] == pytest.approx(expected)
    assert score.value == pytest.approx(sum(score.attributes.values()) / 3)


@pytest.mark.parametrize("name", ["age", "grade", "town"])
def test_loss_is_that_of_the_people_one_by_one(name):
    before, after, weights = tables(7)
    x, y = ({name: np.array(slow.repeated(side[name].tolist(), weights))} for side in (before, after))
    kinds = {name: KINDS[name]} if name in KINDS else None
    people = compute(Pair.of(x, y, kinds=kinds), ["il_percent"])["il_percent"].value
    weighted = Pair.of({name: before[name]}, {name: after[name]}, kinds=kinds, weights=weights)
    assert population_il(weighted).value == pytest.approx(people)


def test_equal_weights_lose_what_il_percent_says():
    before, after, _ = tables(3)
    pair = Pair.of(before, after, kinds=KINDS, weights=np.full(60, 2.5))
    scores = compute(pair)
    assert scores["population_il"].value == pytest.approx(scores["il_percent"].value)
    assert dict(scores["population_il"].attributes) == pytest.approx(dict(scores["il_percent"].attributes))


def test_codes_of_a_tree_are_counted_by_their_heights_and_weights():
    codes = ["J10", "J11", "K20", "J10", "K21", "J12"]
    frame = pl.DataFrame({"icd": codes, "w": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "age": [40.0] * 6})
    released = frame.with_columns(icd=pl.Series(["J10", "J10", "J10", "K20", "K20", "K20"]))
    icd = {"role": "quasi_identifier", "kind": "nominal", "hierarchy": {"prefix": [1]}}
    age = {"role": "quasi_identifier", "kind": "numeric"}  # the same for all: it counts nothing
    plan = shoal.Plan(k=2, weights="w", attributes={"icd": icd, "age": age, "w": {"role": "other", "kind": "numeric"}})
    # A half of the height below one letter counts 1/4, the whole height 1; all would become J10 and the letter J.
    error = (2 * 0.25 + 3 + 4 + 5 * 0.25 + 6) / (0.25 * (21 - 6) + 0.75 * (21 - 13))
    found = measure(frame, released, plan, keys=["population_il"])["population_il"]
    assert found.value == pytest.approx(100 * error)


def test_constant_columns_and_a_single_record():
    pair = Pair.of([5.0, 5.0], [5.0, 5.0], weights=[1, 3])
    assert (population_il(pair).value, population_error(pair).value, population_k(pair).value) == (0, 0, 4)
    assert population_k(Pair.of([5.0], [5.0], weights=[0.25])).value == 1


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, float("nan")]])
def test_weights_that_cannot_be_are_refused(weights):
    with pytest.raises(DataError, match="weights must be 2 positive numbers"):
        Pair.of([1.0, 2.0], [1.0, 2.0], weights=weights)


def plan_of(**changes):
    attributes = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "town": {"role": "quasi_identifier", "kind": "nominal"},
        "w": {"role": "other"},
        "pay": {"role": "confidential", "kind": "numeric"},
    }
    return shoal.Plan(**{"k": 3, "order": "keep", "attributes": attributes, **changes})


@pytest.fixture
def frame():
    before, _, weights = tables(5)
    return pl.DataFrame({"age": before["age"], "town": before["town"], "w": weights, "pay": before["grade"] * 10})


def test_weights_of_the_plan_bring_the_measures(frame):
    plan = plan_of(weights="w", dominance=1)
    release = shoal.anonymize(frame, plan)
    scores = measure(frame, release.data, plan)
    assert scores["population_error"].attributes["age"] == pytest.approx(0, abs=1e-12)
    assert scores["population_k"].value >= 3
    assert "population_k" not in measure(frame, release.data, plan_of())


def test_the_report_shows_estimates_before_and_after(frame):
    plan = plan_of(weights="w", dominance=1)
    release = shoal.anonymize(frame, plan)
    data = shoal.report.collect(frame, release, plan)
    rows = {(row.column, row.estimate): (row.before, row.after) for row in data.population}
    total = float((frame["age"] * frame["w"]).sum())
    assert rows["", "people"] == (frame["w"].sum(), frame["w"].sum())
    assert rows["age", "total"] == pytest.approx((total, total))
    assert rows["age", "mean"] == pytest.approx((total / frame["w"].sum(),) * 2)
    share = 100 * frame.filter(pl.col("town") == "a")["w"].sum() / frame["w"].sum()
    assert rows["town", "share of a, %"][0] == pytest.approx(share)
    assert "Estimates of the population" in data.to_html()
    assert shoal.report.collect(frame, release, plan, edition="external").population == ()
    assert shoal.report.collect(frame, shoal.anonymize(frame, plan_of()), plan_of()).population == ()


def test_places_that_are_all_one_have_nothing_to_lose():
    """The mean of equal vectors is not always one of them: what is left by rounding is no spread."""
    place = {"lat": [27.3] * 9, "lon": [23.55] * 9, "who": range(9), "mass": [1.0, 2.0, 2.5] * 3}
    plan = shoal.Plan(
        k=3,
        weights="mass",
        attributes={
            "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
            "who": {"role": "identifier"},
            "mass": {"role": "other", "kind": "numeric"},
        },
    )
    frame = pl.DataFrame(place)
    release = shoal.anonymize(frame, plan)
    scores = measure(frame, release.data, plan, keys=["population_il", "population_error"], rows=release.rows)
    assert [score.value for score in scores.values()] == [0.0, 0.0]
