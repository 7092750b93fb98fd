"""Prosecutor, journalist and marketer risk: the estimate, the thresholds, and plans that ask for them."""

import numpy as np
import polars as pl
import pytest

import shoal
from grids import every
from reference import uniques as slow
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.protect.identification_risk import PROFILES, expected_risk, fewest_subjects

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
}


def people(n=60):
    rng = np.random.default_rng(5)
    return pl.DataFrame({"age": rng.integers(18, 90, n), "pay": rng.permutation(n) * 10.0})


def plan(k=3, **choices):
    return shoal.Plan(**{"k": k, "attributes": ATTRIBUTES, **choices})


@every(p=[0.05, 0.3, 0.499, 0.5, 0.501, 0.9, 0.999], f=[1, 2, 3, 7, 48, 49, 50, 51, 120])
def test_the_expected_risk_is_the_sum_over_what_the_population_may_be(f, p):
    assert expected_risk(np.array([f]), p)[0] == pytest.approx(slow.expected_risk(f, p), rel=1e-9)


def test_the_expected_risk_of_unique_records_is_the_published_one():
    """Benedetti and Franconi 1998, for f = 1: p / (1 − p)·ln(1 / p); and 1 / f for a whole population."""
    p = np.array([0.001, 0.1, 0.25])
    assert expected_risk(np.ones(3, int), p) == pytest.approx(p / (1 - p) * np.log(1 / p))
    assert expected_risk(np.array([1, 4, 11]), 1.0) == pytest.approx([1, 0.25, 1 / 11])


@pytest.mark.parametrize(("threshold", "fraction"), [(0.09, 1.0), (0.2, 1.0), (1 / 11, 0.4), (0.05, 0.02), (1.0, 0.5)])
def test_the_fewest_subjects_are_the_first_that_pass(threshold, fraction):
    fewest = fewest_subjects(threshold, fraction)
    assert expected_risk(np.array([fewest]), fraction)[0] <= threshold * (1 + 1e-9)
    assert fewest == 1 or expected_risk(np.array([fewest - 1]), fraction)[0] > threshold


def test_profiles_are_the_thresholds_of_the_field():
    assert {name: round(value, 2) for name, value in PROFILES.items()} == {"public": 0.09, "restricted": 0.2}
    assert [fewest_subjects(value, 1.0) for value in PROFILES.values()] == [11, 5]


def test_groups_are_merged_until_everybody_is_safe_enough():
    release = shoal.anonymize(people(), plan(risk={"prosecutor": "public"}))
    verdict = release.guarantees["prosecutor_risk"]
    assert verdict.holds
    assert np.bincount(release.labels).min() >= 11
    assert verdict.achieved == pytest.approx(1 / np.bincount(release.labels).min(), rel=1e-5)
    assert release.guarantees["k_anonymity"].note, "confidential values are still not protected, and it says so"


def test_a_smaller_fraction_asks_for_smaller_groups():
    sizes = [
        np.bincount(shoal.anonymize(people(), plan(risk={"journalist": 0.09, "fraction": fraction})).labels).min()
        for fraction in (1.0, 0.5, 0.05)
    ]
    assert sizes[0] >= 12 > sizes[1] > sizes[2] == 3


def test_weights_say_how_large_the_population_is():
    table = people().with_columns(w=pl.lit(20.0))
    attributes = {**ATTRIBUTES, "w": {"role": "other", "kind": "numeric"}}
    asked = plan(weights="w", attributes=attributes, risk={"journalist": 0.09, "marketer": 0.09})
    verdicts = shoal.anonymize(table, asked).guarantees
    assert verdicts["journalist_risk"].achieved == pytest.approx(expected_risk(np.array([3]), 1 / 20)[0], rel=1e-4)
    assert verdicts["marketer_risk"].achieved <= verdicts["journalist_risk"].achieved
    with pytest.raises(GuaranteeError, match="does not satisfy journalist_risk"):
        shoal.anonymize(table.with_columns(w=pl.lit(1.0)), asked.replace(risk={"journalist": 0.09}))


def test_weights_of_more_people_than_there_are_are_refused():
    attributes = {"age": ATTRIBUTES["age"], "w": {"role": "other"}}
    frame = people().select("age").with_columns(w=pl.lit(1e308))
    with pytest.raises(DataError, match="weights must not say that a person stands for more than 10,000,000,000"):
        shoal.anonymize(frame, plan(weights="w", attributes=attributes, risk={"journalist": 0.1}))


def test_subjects_are_counted_and_not_records():
    table = people().with_columns(who=pl.Series(np.arange(60) // 2).cast(pl.String))
    attributes = {**ATTRIBUTES, "who": {"role": "identifier"}}
    release = shoal.anonymize(table, plan(subject="who", attributes=attributes, risk={"prosecutor": 0.2}))
    who = table["who"].to_numpy()[release.rows]
    assert min(len(set(who[release.labels == label])) for label in set(release.labels.tolist())) >= 5


def test_what_a_table_cannot_keep_is_refused_before_the_work():
    with pytest.raises(GuaranteeError, match="needs classes of at least 100 subjects, and there are 60") as refused:
        shoal.anonymize(people(), plan(risk={"prosecutor": 0.01}))
    assert refused.value.reached == 1 / 60


@pytest.mark.parametrize(
    ("risk", "message"),
    [
        ({}, "asks for nothing"),
        ({"fraction": 0.5}, "asks for nothing"),
        ({"prosecutor": 0.1, "fraction": 0.5}, "fraction changes nothing here"),
        ({"journalist": 0.1}, "needs to know the population"),
        ({"journalist": 0.1, "fraction": 0}, "risk.fraction must be at least 1e-10"),
        ({"journalist": 0.1, "fraction": 1e-320}, "risk.fraction must be at least 1e-10"),
        ({"journalist": 0.1, "fraction": 1.5}, "risk.fraction must be at most 1"),
        ({"prosecutor": "secret"}, "or 'public' or 'restricted', and 'secret' is not"),
        ({"prosecutor": 0}, "a threshold is above 0 and at most 1"),
        ({"prosecutor": 2}, "a threshold is above 0 and at most 1"),
    ],
)
def test_a_section_that_makes_no_sense_is_refused(risk, message):
    with pytest.raises(PlanError) as refused:
        plan(risk=risk)
    assert message in str(refused.value)


def test_fraction_and_weights_or_a_permutation_are_refused():
    attributes = {**ATTRIBUTES, "w": {"role": "other", "kind": "numeric"}}
    with pytest.raises(PlanError, match="both say how large the population is"):
        plan(weights="w", attributes=attributes, risk={"journalist": 0.1, "fraction": 0.5})
    with pytest.raises(PlanError, match="needs masked quasi-identifiers"):
        plan(release="permute", risk={"prosecutor": 0.1})


def test_a_plan_with_it_goes_through_toml():
    asked = plan(risk={"journalist": "restricted", "fraction": 0.25})
    assert shoal.Plan.parse(asked.to_toml()) == asked
    assert 'journalist = "restricted"' in asked.to_toml()
