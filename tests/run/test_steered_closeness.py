"""closeness.method = "steered" in the plan: what it guarantees, and what its weight trades."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Plan, PlanError
from shoal.constrain import emd, steered
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.masking.inputs import read_inputs
from shoal.masking.preflight import forecast
from shoal.measures import equivalence_classes
from shoal.steer import position

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "county": {"role": "quasi_identifier", "kind": "nominal"},
    "charge": {"role": "confidential", "kind": "numeric"},
    "cause": {"role": "confidential", "kind": "nominal"},
    "ward": {"role": "other"},
}
T = 0.1


def stays(n=240, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "charge": age * 100 + rng.normal(0, 900, n),
            "cause": rng.choice(["fall", "fever", "other"], n),
            "ward": rng.choice(["A", "B"], n),
        }
    )


def plan(closeness=None, **options):
    section = {"t": T, "method": "steered", "attributes": ["charge"], **(closeness or {})}
    return Plan(**{"k": 4, "attributes": ATTRIBUTES, "closeness": section, **options})


def points():
    made, table = plan(), Table.of(stays())
    columns = [read_column(table, made.spec(name)) for name in ("age", "county")]
    return Encoder.fit(columns).apply(columns)


def charges():
    return stays()["charge"].to_numpy()


def test_the_release_is_within_t_and_its_groups_are_the_functions():
    release = shoal.anonymize(stays(), plan())
    assert release.guarantees["t_closeness"].holds
    assert release.guarantees["t_closeness"].achieved <= T
    assert release.guarantees["k_anonymity"].achieved >= 4
    np.testing.assert_array_equal(release.labels, steered(points(), charges(), k=4, t=T))
    assert emd(charges(), release.labels).max() <= T
    assert release.manifest["plan"]["scale"] == "minmax"


def test_weight_and_the_leading_attribute_change_the_groups():
    found = [
        shoal.anonymize(stays(), plan(closeness)).labels.tolist()
        for closeness in (
            {},
            {"weight": 10.0},
            {"weight": 30.0},
            {"attributes": ["charge", "cause"], "t": 0.2},
            {"attributes": ["cause", "charge"], "t": 0.2},
        )
    ]
    assert len({tuple(labels) for labels in found}) == len(found)


def test_other_artificial_attributes_join_in():
    release = shoal.anonymize(stays(), plan(steer=[{"kind": "position", "weight": 3.0}]))
    expected = steered(position(3.0)(points()), charges(), k=4, t=T)
    np.testing.assert_array_equal(release.labels, expected)
    assert release.guarantees["t_closeness"].holds
    for more in ({"dependence": {"weight": 0.2}}, {"by": "ward", "closeness": {"t": 0.25, "method": "steered"}}):
        made = Plan(**{**plan().to_dict(), **more})
        assert shoal.anonymize(stays(), made).guarantees.holds


def test_scores_that_would_make_the_weight_meaningless_are_refused():
    with pytest.raises(PlanError, match='scale must be "minmax"'):
        plan(scale="zscore")
    with pytest.raises(PlanError, match='weight is only used by method = "steered"'):
        plan({"method": "t_first", "weight": 3.0})
    with pytest.raises(PlanError, match="above 0"):
        plan({"weight": 0})


def test_points_need_not_span_the_unit_range():
    # A column may keep a scale of its own; the weight that separates numbers is told by the spans that are there.
    attributes = {**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "scale": "zscore", "weight": 25.0}}
    release = shoal.anonymize(stays(), plan(attributes=attributes))
    assert release.guarantees["t_closeness"].achieved <= T


def test_a_low_weight_without_the_guarantee_says_which_t_it_reached():
    found = {}
    for weight in (None, 40.0, 10.0):
        made = plan({"weight": weight} if weight else {}, guarantee=False)
        release = shoal.anonymize(stays(), made)
        np.testing.assert_array_equal(
            release.labels, steered(points(), charges(), k=4, t=T, weight=weight, guarantee=False)
        )
        reached = release.guarantees["t_closeness"]
        assert reached.asked == T
        classes = equivalence_classes([release.data["age"], release.data["county"]])  # what a reader tells apart
        assert reached.achieved == pytest.approx(emd(charges(), classes).max())
        assert reached.holds == (reached.achieved <= T)
        assert reached.definition.startswith("t not guaranteed")
        assert release.guarantees["k_anonymity"].holds
        assert release.manifest["plan"]["guarantee"] is False
        assert release.manifest["guarantees"][1]["achieved"] == reached.achieved
        found[weight] = reached.achieved
    assert found[None] <= T < found[40.0] < found[10.0]
    kept = shoal.anonymize(stays(), plan({"weight": 10.0})).guarantees["t_closeness"]
    assert kept.holds
    assert not kept.definition.startswith("t not guaranteed")


def test_other_demands_hold_without_the_guarantee_of_t():
    made = plan({"weight": 10.0}, guarantee=False, diversity={"distinct": 2, "attributes": ["cause"]})
    release = shoal.anonymize(stays(), made)
    assert release.guarantees["distinct_l_diversity"].holds
    assert not release.guarantees["t_closeness"].holds


def test_the_guarantee_is_given_up_only_where_that_changes_something():
    for closeness in ({"method": "t_first"}, {"method": "merge"}):
        with pytest.raises(PlanError, match="guarantee = false changes nothing here"):
            plan(closeness, guarantee=False)


def test_the_forecast_promises_no_t_that_was_given_up():
    made = {flag: plan({"weight": 10.0}, guarantee=flag) for flag in (True, False)}
    kept, given_up = (forecast(read_inputs(Table.of(stays()), made[flag]), made[flag]) for flag in (True, False))
    assert kept.group_size == given_up.group_size == 5
    assert kept.sentences == ("groups of 5 or more records keep charge within t = 0.1, though k = 4 was asked",)
    assert given_up.sentences == ("groups of 5 or more records are steered to spread charge; t is not guaranteed",)
