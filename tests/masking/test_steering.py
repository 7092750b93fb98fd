"""Steering in the plan: identities at the ends, composition with everything else, and refusals."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, Plan, PlanError
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.registry import read_column
from shoal.masking.inputs import find_problems
from shoal.partitioners import mdav
from shoal.plan.attribute import Role
from shoal.steer import column, dependence, position

ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
    "county": {"role": "quasi_identifier", "kind": "nominal"},
    "charge": {"role": "confidential", "kind": "numeric"},
    "severity": {"role": "confidential", "kind": "ordinal", "order": ["mild", "grave", "worst"]},
    "cause": {"role": "confidential", "kind": "nominal"},
    "admitted": {"role": "other", "kind": "date"},
    "ward": {"role": "other"},
}
K = 4


def patients(n=160, seed=1):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in np.random.default_rng(seed).permutation(n)],
            "age": rng.integers(0, 90, n),
            "grade": rng.choice(["low", "mid", "high"], n),
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "charge": rng.lognormal(8, 1, n),
            "severity": rng.choice(["mild", "grave", "worst"], n),
            "cause": rng.choice(["fall", "fever", "other"], n),
            "admitted": [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 700, n)],
            "ward": rng.choice(["A", "B"], n),
        }
    )


def plan(**options):
    return Plan(**{"k": K, "attributes": ATTRIBUTES, **options})


def labels(frame=None, **options):
    return shoal.anonymize(patients() if frame is None else frame, plan(**options)).labels


def points_of(names, made, frame=None):
    table = Table.of(patients() if frame is None else frame)
    columns = [read_column(table, replace(made.spec(name), missing=Missing.IMPUTE)) for name in names]
    return Encoder.fit(columns).apply(columns)


QUASI_IDENTIFIERS = plan().names(Role.QUASI_IDENTIFIER)
CONFIDENTIAL = plan().names(Role.CONFIDENTIAL)
POSITION = {"kind": "position", "weight": 2.0}
ADMITTED = {"kind": "column", "column": "admitted", "weight": 2.0}
CHARGES = {"kind": "buckets", "column": "charge", "t": 0.1, "weight": 5.0}


def test_no_weight_is_the_plain_release_and_full_weight_the_partition_on_the_confidential_side():
    np.testing.assert_array_equal(labels(dependence={"weight": 0}), labels())
    np.testing.assert_array_equal(labels(dependence={"weight": 1}), mdav(points_of(CONFIDENTIAL, plan()), K))
    assert not np.array_equal(labels(), labels(dependence={"weight": 1}))


@pytest.mark.parametrize("names", [("charge",), ("severity",), ("cause",), CONFIDENTIAL])
def test_dependence_on_any_kind_of_attribute(names):
    steered = dependence(points_of(names, plan()), 0.4)(points_of(QUASI_IDENTIFIERS, plan()))
    np.testing.assert_array_equal(labels(dependence={"weight": 0.4, "attributes": names}), mdav(steered, K))


def test_every_weight_and_every_table_changes_the_groups():
    ways = [
        {},
        *({"dependence": {"weight": weight}} for weight in (0.1, 0.5, 0.9, 1)),
        {"dependence": {"weight": 0.5, "attributes": ["charge"]}},
        {"scale": "minmax"},
        *({"steer": [table]} for table in (POSITION, ADMITTED, CHARGES)),
        *({"steer": [{**table, "weight": 0.3}]} for table in (POSITION, ADMITTED, CHARGES)),
        {"steer": [{**CHARGES, "t": 0.02}]},
        {"steer": [{**ADMITTED, "column": "charge"}]},
        {"steer": [POSITION, ADMITTED, CHARGES]},
        {"steer": [POSITION], "dependence": {"weight": 0.5}},
        {"steer": [POSITION], "dependence": {"weight": 1}},
    ]
    found = {tuple(labels(**way)) for way in ways}
    assert len(found) == len(ways)


def test_tables_add_up():
    made = plan(scale="minmax")
    days = patients()["admitted"].to_physical().to_numpy()
    steering = position(2.0) + column(days, 2.0)
    expected = mdav(steering(points_of(QUASI_IDENTIFIERS, made)), K)
    np.testing.assert_array_equal(labels(steer=[POSITION, ADMITTED]), expected)


def test_a_nominal_column_steers_by_equality():
    attributes = {**ATTRIBUTES, "ward": {"role": "other", "kind": "nominal"}}
    release = shoal.anonymize(
        patients(), plan(attributes=attributes, steer=[{"kind": "column", "column": "ward", "weight": 50.0}])
    )
    wards = patients()["ward"].to_numpy()
    mixed = [group for group in np.unique(release.labels) if len(set(wards[release.labels == group])) > 1]
    assert len(mixed) <= 1


def test_heavy_buckets_give_every_group_a_record_of_each():
    ranks = patients()["charge"].to_numpy().argsort().argsort()
    heavy = labels(steer=[{**CHARGES, "t": 0.2, "weight": 1000.0}])  # as many buckets as a group has records
    quarters = [sorted(ranks[heavy == group] // 40) for group in np.unique(heavy)]
    assert quarters == [[0, 1, 2, 3]] * 40


@pytest.mark.parametrize("options", [{"dependence": {"weight": 0.5}}, {"steer": [POSITION, ADMITTED, CHARGES]}])
def test_steering_works_inside_strata(options):
    frame = patients()
    steered, plain = labels(by="ward", **options), labels(by="ward", scale="minmax")
    assert not np.array_equal(steered, plain)
    assert np.bincount(steered).min() >= K
    for group in np.unique(steered):
        assert frame["ward"].to_numpy()[steered == group].tolist().count("A") in (0, (steered == group).sum())


def test_missing_values_follow_the_policy():
    frame = patients().with_columns(
        charge=pl.when(pl.col("charge").rank() <= 9).then(None).otherwise("charge"),
        cause=pl.when(pl.int_range(pl.len()) % 20 == 0).then(None).otherwise("cause"),
    )
    with pytest.raises(DataError, match="'charge' has 9 missing values"):
        labels(frame, dependence={"weight": 0.5})
    imputed = labels(frame, dependence={"weight": 0.5}, missing="impute")
    expected = dependence(points_of(CONFIDENTIAL, plan(), frame), 0.5)(points_of(QUASI_IDENTIFIERS, plan(), frame))
    np.testing.assert_array_equal(imputed, mdav(expected, K))
    by_category = labels(frame, dependence={"weight": 0.5, "attributes": ["cause"]}, missing="category")
    assert not np.array_equal(
        by_category, labels(frame, dependence={"weight": 0.5, "attributes": ["cause"]}, missing="impute")
    )
    for table in (CHARGES, {"kind": "column", "column": "charge", "weight": 1.0}):
        assert np.bincount(labels(frame, steer=[table], missing="impute")).min() >= K


def test_a_check_finds_problems_in_the_columns_that_steer():
    frame = patients().with_columns(
        charge=pl.when(pl.col("charge").rank() <= 9).then(None).otherwise("charge"),
        admitted=pl.when(pl.int_range(pl.len()) < 2).then(None).otherwise("admitted"),
    )
    problems = find_problems(Table.of(frame), plan(dependence={"weight": 0.5}, steer=[ADMITTED]))
    assert ["'charge' has 9 missing" in problems[0], "'admitted' has 2 missing" in problems[1]] == [True, True]
    assert find_problems(Table.of(frame), plan()) == []


def test_missing_confidential_values_do_not_matter_where_nobody_looks_at_them():
    frame = patients().with_columns(charge=pl.lit(None, dtype=pl.Float64))
    np.testing.assert_array_equal(labels(frame, dependence={"weight": 0}), labels())


def test_only_quasi_identifiers_are_masked():
    frame = patients()
    release = shoal.anonymize(frame, plan(dependence={"weight": 0.7}, steer=[ADMITTED]))
    for name in (*CONFIDENTIAL, "admitted", "ward"):
        assert release.data[name].equals(frame[name])
    assert release.guarantees["k_anonymity"].holds
    assert release.guarantees["k_anonymity"].achieved >= K


def test_permuted_releases_are_steered_too():
    permuted = labels(release="permute", dependence={"weight": 0.5})
    np.testing.assert_array_equal(permuted, labels(dependence={"weight": 0.5}))


def test_plan_and_manifest_say_what_steered():
    made = plan(dependence={"weight": 0.25, "attributes": ["charge"]}, steer=[POSITION, ADMITTED, CHARGES])
    assert Plan.parse(made.to_toml()) == made
    assert made.scale.value == "minmax"
    written = shoal.anonymize(patients(), made).manifest
    assert written["plan"]["dependence"] == {"weight": 0.25, "attributes": ["charge"]}
    assert written["plan"]["steer"] == [POSITION, ADMITTED, CHARGES]
    assert written["plan"]["scale"] == "minmax"
    assert "steer" in written["seconds"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dependence": {"weight": 1.5}}, "dependence.weight must be at most 1"),
        ({"dependence": {"wieght": 0.5}}, "did you mean 'weight'"),
        ({"dependence": {"weight": 0.5, "attributes": []}}, "at least one confidential attribute"),
        ({"dependence": {"weight": 0.5, "attributes": ["charge", "charge"]}}, "each once"),
        ({"dependence": {"weight": 0.5, "attributes": ["age"]}}, "'age', which is not declared as confidential"),
        ({"steer": [{"kind": "position", "weight": 0}]}, "steer.0.weight must be above 0"),
        ({"steer": [{"weight": 1}]}, "steer.0.kind is required"),
        ({"steer": [{"kind": "time", "weight": 1}]}, "steer.0.kind must be position, column or buckets, not 'time'"),
        ({"steer": [{**POSITION, "column": "ward"}]}, "steer.0.column is an unknown key"),
        ({"steer": [{**ADMITTED, "t": 0.1}]}, "steer.0.t is an unknown key"),
        ({"steer": [{"kind": "buckets", "column": "charge", "weight": 1}]}, "steer.0.t is required"),
        ({"steer": [POSITION, POSITION]}, "2 tables for position"),
        ({"steer": [{**ADMITTED, "column": "dept"}]}, "'dept', which attributes do not declare"),
        ({"steer": [{**ADMITTED, "column": "age"}]}, "'age', which is a quasi_identifier: give it a weight"),
        ({"steer": [{**ADMITTED, "column": "name"}]}, "'name', which is an identifier"),
        ({"steer": [{**ADMITTED, "column": "ward"}]}, "'ward', so attributes must declare its kind"),
        ({"steer": [{**CHARGES, "column": "admitted"}]}, "'admitted', which is not confidential but other"),
        ({"steer": [ADMITTED], "by": "admitted"}, "'admitted', which is also by"),
        ({"steer": [POSITION], "scale": "zscore"}, 'scale must be "minmax"'),
    ],
)
def test_what_would_change_nothing_or_make_no_sense_is_refused(options, message):
    with pytest.raises(PlanError, match=message):
        plan(**options)


NUMERIC = {name: value for name, value in ATTRIBUTES.items() if name not in ("county", "cause")} | {
    "county": {"role": "other", "kind": "nominal"},
    "cause": {"role": "other"},
}


def numeric_plan(**options):
    return plan(attributes=NUMERIC, **options)


def test_methods_that_need_an_order_refuse_nominal_columns_to_look_at():
    with pytest.raises(
        PlanError, match="'county', which groups should be alike in, is nominal: use mdav, vmdav or cells"
    ):
        numeric_plan(method="projected", steer=[{"kind": "column", "column": "county", "weight": 1}])
    attributes = {**NUMERIC, "cause": {"role": "confidential", "kind": "nominal"}}
    with pytest.raises(PlanError, match="'cause', which groups should be alike in, is nominal"):
        plan(attributes=attributes, method="projected", dependence={"weight": 0.5})
    assert plan(attributes=attributes, method="projected", dependence={"weight": 0.5, "attributes": ["charge"]})


@pytest.mark.parametrize("method", ["vmdav", "projected"])
def test_every_method_that_compares_records_can_be_steered(method):
    def found(**options):
        return tuple(shoal.anonymize(patients(), numeric_plan(method=method, **options)).labels)

    ways = [
        {},
        {"dependence": {"weight": 0.5}},
        {"dependence": {"weight": 1}},
        {"steer": [POSITION]},
        {"steer": [CHARGES]},
    ]
    assert len({found(**way) for way in ways}) == len(ways)
    assert found(dependence={"weight": 0}) == found()


@pytest.mark.parametrize("method", ["individual", "mic1d"])
def test_methods_without_points_refuse_to_be_steered(method):
    for option in ({"dependence": {"weight": 0.5}}, {"steer": [POSITION]}):
        with pytest.raises(PlanError, match=f"{next(iter(option))} has no say in method {method}"):
            numeric_plan(method=method, guarantee=False, **option)


def test_each_block_is_grouped_with_the_whole_confidential_side():
    blocks = [["age", "grade"], ["county"]]
    options = {"blocks": blocks, "guarantee": False}
    release = shoal.anonymize(patients(), plan(dependence={"weight": 0.4}, **options))
    for block, names in zip(release.partition.blocks, blocks, strict=True):
        steered = dependence(points_of(CONFIDENTIAL, plan()), 0.4)(points_of(names, plan()))
        np.testing.assert_array_equal(block.labels, mdav(steered, K))
    full = shoal.anonymize(patients(), plan(dependence={"weight": 1}, **options))
    np.testing.assert_array_equal(full.partition.blocks[0].labels, full.partition.blocks[1].labels)
    assert full.guarantees["k_anonymity"].achieved >= K


def test_dependence_needs_something_to_depend_on():
    attributes = {name: value for name, value in ATTRIBUTES.items() if name not in CONFIDENTIAL}
    with pytest.raises(PlanError, match="dependence needs at least one confidential attribute"):
        plan(attributes=attributes, dependence={"weight": 0.5})
