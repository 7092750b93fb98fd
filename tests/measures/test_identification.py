"""Risk in the population: three adversaries, their thresholds, and population uniques."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.measures import identification_risks, match_population, population_uniques

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}
NOMINAL = {"role": "quasi_identifier", "kind": "nominal"}


def plan(**others):
    return shoal.Plan.from_mapping({"k": 3, "attributes": {"age": NUMERIC, "town": NOMINAL}, **others})


@pytest.fixture
def register():
    rng = np.random.default_rng(5)
    return pl.DataFrame({"age": rng.integers(20, 90, 600), "town": rng.choice(["Vic", "Olot", "Ripoll"], 600)})


@pytest.fixture
def sample(register):
    return register[:120]


@pytest.fixture
def released(sample):
    return shoal.anonymize(sample, plan()).data


def sizes_of(frame):
    return frame.group_by(["age", "town"]).len()["len"].to_numpy()


def test_shares_of_a_population_that_nobody_has_are_refused(sample, released):
    with pytest.raises(PlanError, match=r"fraction must be at least 1e-10 and at most 1, .*: not 1e-308"):
        identification_risks(sample, released, plan(), fraction=1e-308)
    weighed = plan(weights="w", attributes={"age": NUMERIC, "town": NOMINAL, "w": {"role": "other"}})
    for weight in (1e308, 1e11):
        heavy = [frame.with_columns(w=pl.lit(weight)) for frame in (sample, released)]
        with pytest.raises(DataError, match="weights must not say that a person stands for more than 10,000,000,000"):
            identification_risks(*heavy, weighed)
    least = identification_risks(sample, released, plan(), fraction=1e-10)
    assert least.people == 120 * 10**10
    assert least.risks["journalist"].risk < 1e-8


def test_the_table_is_all_of_the_population_where_nothing_else_is_said(sample, released):
    found = identification_risks(sample, released, plan())
    sizes = sizes_of(released)
    assert found.source == "sample"
    assert (found.classes, found.persons, found.people) == (len(sizes), 120, 120)
    assert found.risks["prosecutor"].risk == found.risks["journalist"].risk == 1 / sizes.min()
    assert found.risks["marketer"].risk == pytest.approx(len(sizes) / 120)
    assert found.uniques.estimate == (sizes_of(sample) == 1).sum()


def test_a_fraction_makes_the_journalist_less_sure(sample, released):
    found = identification_risks(sample, released, plan(), fraction=0.2)
    sizes = sizes_of(released)
    grid = (np.arange(1_000_000) + 0.5) / 1_000_000
    expected = {f: float((grid ** (f - 1) * 0.2 / (0.2 + 0.8 * grid)).mean()) for f in set(sizes.tolist())}
    assert found.risks["prosecutor"].risk == 1 / sizes.min()
    assert found.risks["journalist"].risk == pytest.approx(max(expected.values()), rel=1e-6)
    assert found.risks["marketer"].risk == pytest.approx(sum(f * expected[f] for f in sizes.tolist()) / 120, rel=1e-6)
    assert found.people == 600
    assert found.uniques == population_uniques(sizes_of(sample), 600)


def test_the_fraction_and_the_thresholds_of_the_plan_count(sample, released):
    asks = plan(risk={"journalist": "public", "prosecutor": 0.25, "fraction": 0.2})
    found = identification_risks(sample, released, asks)
    assert found.source == "fraction"
    assert found.risks["journalist"].asked == pytest.approx(1 / 11)
    assert found.risks["marketer"].asked is found.risks["marketer"].holds is None
    assert [each.adversary for each in found.beyond] == ["prosecutor"]
    other = identification_risks(sample, released, asks, threshold="restricted")
    assert {each.asked for each in other.risks.values()} == {0.2}


def test_a_class_just_at_a_threshold_is_within(sample, released):
    exact = shoal.Plan.from_mapping({"k": 11, "attributes": {"age": NUMERIC, "town": NOMINAL}})
    found = identification_risks(sample, shoal.anonymize(sample, exact).data, exact, threshold="public")
    assert found.risks["prosecutor"].risk == pytest.approx(1 / 11)
    assert found.beyond == ()
    assert found.to_dict()["risks"]["prosecutor"]["profiles"] == {"public": True, "restricted": True}


def test_weights_say_whom_records_stand_for(sample, released):
    weighted = plan(weights="w", attributes={"age": NUMERIC, "town": NOMINAL, "w": {"role": "other"}})
    weights = pl.Series("w", np.full(120, 5.0))
    found = identification_risks(sample.with_columns(weights), released.with_columns(weights), weighted)
    same = identification_risks(sample, released, plan(), fraction=0.2)
    assert found.source == "weights"
    assert found.people == 600
    for name, risk in same.risks.items():
        assert found.risks[name].risk == pytest.approx(risk.risk)
    with pytest.raises(PlanError, match="weights both say how large"):
        identification_risks(sample.with_columns(weights), released.with_columns(weights), weighted, fraction=0.1)


def test_a_register_is_counted(sample, released, register):
    found = identification_risks(sample, released, plan(), population=register)
    match = match_population(released, register, plan())
    assert found.risks["journalist"].risk == match.journalist
    assert found.risks["marketer"].risk == match.marketer
    assert found.counted_uniques == (sizes_of(register) == 1).sum()
    assert found.to_dict()["k_map"] == match.k_map
    assert found.to_dict()["presence"] == list(match.presence)


def test_persons_count_once_though_the_release_does_not_name_them(register):
    register = register.with_columns(who=pl.int_range(pl.len()))
    visits = pl.concat([register[:60], register[:60]])
    asks = plan(subject="who", attributes={"age": NUMERIC, "town": NOMINAL, "who": {"role": "identifier"}})
    release = shoal.anonymize(visits, asks)
    found = identification_risks(visits, release.data, asks, rows=release.rows, population=register[:60])
    assert found.persons == 60
    assert found.uniques is None
    assert found.match is not None
    assert (found.match.sampled <= 60).all()
    assert found.risks["prosecutor"].risk <= 1 / 3
    with pytest.raises(DataError, match="the population has 59 people and the release 60"):
        identification_risks(visits, release.data, asks, rows=release.rows, population=register[:59])


def test_what_makes_no_sense_is_refused(sample, released, register):
    for fraction in (0.0, 1.5, -1.0, float("nan")):
        with pytest.raises(PlanError, match="fraction must be at least 1e-10 and at most 1"):
            identification_risks(sample, released, plan(), fraction=fraction)
    with pytest.raises(PlanError, match="both say how large"):
        identification_risks(sample, released, plan(), fraction=0.1, population=register)
    for threshold in ("publik", 0.0, 2.0):
        with pytest.raises(PlanError, match="a threshold is above 0 and at most 1, or 'public' or 'restricted'"):
            identification_risks(sample, released, plan(), threshold=threshold)
    with pytest.raises(DataError, match="the population table does not have 'town'"):
        identification_risks(sample, released, plan(), population=register.drop("town"))
    with pytest.raises(DataError, match="the released table does not have 'town'"):
        identification_risks(sample, released.drop("town"), plan())
    with pytest.raises(DataError, match="the population has 100 people"):
        identification_risks(sample, released, plan(), population=register[:100])
    secret = {"role": "confidential", "kind": "numeric"}
    permuted = shoal.Plan.from_mapping({"k": 2, "release": "permute", "attributes": {"age": NUMERIC, "town": secret}})
    with pytest.raises(PlanError, match="its classes hide nobody"):
        identification_risks(sample, released, permuted)


def test_a_register_need_not_have_the_column_that_parts_the_table(sample, register):
    parted = plan(by="year", attributes={"age": NUMERIC, "town": NOMINAL, "year": {"role": "other"}})
    frame = sample.with_columns(year=pl.Series([2023, 2024] * 60))
    release = shoal.anonymize(frame, parted)
    found = identification_risks(frame, release.data, parted, rows=release.rows, population=register)
    assert found.counted_uniques == (sizes_of(register) == 1).sum()
    assert found.risks["prosecutor"].risk <= 1 / 3
