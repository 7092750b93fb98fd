"""Dominance: the rule is its definition, and the judgement counts what stands behind each mean of a released table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from constrain import inputs
from reference import constraints as rules
from reference import merge as reference
from shoal.constrain import repair
from shoal.errors import GuaranteeError, PlanError
from shoal.frames import Table
from shoal.protect import GUARANTEES, BoundedShares, Evidence
from shoal.protect.dominance import largest_share


@st.composite
def shares(draw):
    """Records in groups, with weights and contributors that make algorithms stumble: ties, zeros, extremes, few."""
    n = draw(st.integers(2, 20))
    groups = draw(st.integers(1, n))
    labels = [*range(groups), *draw(st.lists(st.integers(0, groups - 1), min_size=n - groups, max_size=n - groups))]
    weight = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 0.8, 1.0, 1.0, 1.0, 5.0, 1e-300, 1e300])
    weights = draw(st.lists(weight, min_size=n, max_size=n))
    whose = draw(st.lists(st.integers(0, draw(st.integers(0, n))), min_size=n, max_size=n))
    return draw(st.permutations(labels)), weights, whose, draw(st.sampled_from([0.2, 0.34, 0.5, 0.75, 1.0]))


def rule_and_twin(weights, whose, share):
    contributors = None if whose is None else np.array(whose, dtype=np.int32)
    rule = BoundedShares.of("the mean", np.array(weights), contributors, share)
    return rule, rules.dominance(share, weights, range(len(weights)) if whose is None else whose)


@given(shares(), st.booleans())
def test_the_kernel_is_the_twin(drawn, own):
    labels, weights, whose, share = drawn
    rule, twin = rule_and_twin(weights, None if own else whose, share)
    shortfalls, kept = rule.kernel.judge(np.array(labels), max(labels) + 1)
    for group in range(max(labels) + 1):
        shortfall, met = twin([row for row, label in enumerate(labels) if label == group], None)
        assert kept[group] == met
        assert shortfalls[group] == pytest.approx(shortfall, rel=1e-9)


@given(shares(), st.data())
def test_repair_is_the_twin(drawn, data):
    labels, weights, whose, share = drawn
    points = data.draw(inputs.points(len(labels)))
    rule, twin = rule_and_twin(weights, whose, share)
    records = list(range(len(labels)))
    if not twin(records, records)[1]:
        with pytest.raises(GuaranteeError, match="records in one group reach only"):
            repair(points, labels, [rule])
        return
    assert repair(points, labels, [rule]).tolist() == reference.merge(points, labels, [(twin, records)]).tolist()


@given(shares(), st.data())
def test_a_union_has_no_larger_share_than_its_worse_part(drawn, data):
    _, weights, whose, share = drawn
    records = list(range(len(weights)))
    cut = data.draw(st.integers(1, len(records) - 1))
    _, twin = rule_and_twin(weights, whose, share)
    parts = [twin(part, records)[0] for part in (records[:cut], records[cut:])]
    assert twin(records, records)[0] <= max(parts) * (1 + 1e-12)


@given(shares())
def test_the_judgement_measures_what_the_rule_bounds(drawn):
    labels, weights, whose, share = drawn
    present = np.array(weights) > 0
    rule, _ = rule_and_twin(weights, whose, share)
    worst = rule.reached(float(rule.kernel.judge(np.array(labels), max(labels) + 1)[0].max()))
    found = largest_share(np.array(labels), np.array(weights), np.array(whose, dtype=np.int32), ~present)
    assert found == pytest.approx(worst, rel=1e-9)


def test_a_share_that_is_just_reached_is_kept_however_sums_round():
    # As doubles, 0.7 + 0.1 is a little less than 0.8.
    rule = BoundedShares.of("the mean", np.array([0.8, 0.7, 0.1]), None, 0.5)
    assert rule.kernel.judge(np.zeros(3, dtype=np.int64), 1)[1].all()


def test_records_of_a_contributor_stand_side_by_side_in_their_order():
    contributors = np.arange(1000, dtype=np.int32) % 3
    rule = BoundedShares.of("the mean", np.arange(1000.0), contributors, 0.5)
    rows = [row for first in range(3) for row in range(first, 1000, 3)]
    assert rule.weights.tolist() == rows
    assert rule.contributors.tolist() == sorted(contributors.tolist())
    assert np.array(rows)[rule.attribute.codes].tolist() == list(range(1000))


ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "town": {"role": "quasi_identifier", "kind": "nominal"},
    "weight": {"role": "other"},
}
PAY = {"role": "confidential", "kind": "numeric"}


def judged(frame, classes, **keys):
    plan = shoal.Plan(k=2, attributes={name: ATTRIBUTES[name] for name in frame.columns}, **keys)
    table = Table.of(frame)
    evidence = Evidence(table, table, np.array(classes), lambda: None)
    return GUARANTEES["dominance"].judge(plan.demand(), evidence)


def test_it_is_judged_on_the_weights_of_the_original():
    frame = pl.DataFrame({"age": [30, 31, 60, 61], "weight": [3.0, 1.0, 2.0, 2.0]})
    verdict = judged(frame, [0, 0, 1, 1], weights="weight")
    assert (verdict.asked, verdict.achieved, verdict.holds) == (0.5, 0.75, False)
    assert judged(frame, [0, 0, 1, 1], weights="weight", dominance=0.75).holds
    assert judged(frame, [0, 0, 0, 0], weights="weight").achieved == 0.375
    assert judged(frame, [0, 0, 1, 1], dominance=0.5).achieved == 0.5  # without weights, all records count alike


def test_only_records_with_a_value_stand_behind_a_mean():
    frame = pl.DataFrame({"age": [30, None, None, 31, 32, None], "weight": [1.0] * 6})
    verdict = judged(frame, [0, 0, 0, 1, 1, 1], weights="weight", missing="impute")
    assert (verdict.achieved, verdict.holds) == (1.0, False)
    assert judged(frame, [0, 0, 0, 0, 0, 0], weights="weight", missing="impute").achieved == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dominance": 0}, ["dominance", "above 0"]),
        ({"dominance": 1.1}, ["dominance", "at most 1"]),
        ({"attributes": {"town": ATTRIBUTES["town"]}}, ["dominance changes nothing", "mean"]),
        ({"release": "permute", "attributes": {**ATTRIBUTES, "pay": PAY}}, ["dominance changes nothing", "permute"]),
        (
            {"method": "mic1d", "guarantee": False, "attributes": {"age": ATTRIBUTES["age"]}},
            ["dominance has no say in method mic1d"],
        ),
    ],
)
def test_it_is_refused_where_it_would_change_nothing(changes, words):
    with pytest.raises(PlanError) as error:
        shoal.Plan(**{"k": 2, "dominance": 0.5, "attributes": ATTRIBUTES, **changes})
    assert all(word in str(error.value) for word in words), str(error.value)
