"""Numbers of NumPy are taken wherever numbers are, and mean the same."""

import numpy as np
import pytest

import shoal
from shoal.constrain import k_first, merge, steered, t_first
from shoal.errors import PlanError
from shoal.exact import exact
from shoal.options import plain
from shoal.subsets import Subsets

POINTS = np.random.default_rng(0).normal(size=(60, 2))
SECRET = np.random.default_rng(1).permutation(60)
WHOLE = [np.int64, np.int32, np.uint8]
ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "stay": {"role": "quasi_identifier", "kind": "numeric"},
    "charge": {"role": "confidential", "kind": "numeric"},
}


@pytest.fixture(scope="module")
def frame():
    return shoal.examples.discharges(np.int64(120), seed=np.uint8(1)).select(*ATTRIBUTES)


@pytest.mark.parametrize("kind", WHOLE)
def test_plans_have_plain_numbers(kind):
    plan = shoal.Plan(
        k=kind(5),
        seed=kind(3),
        round=np.bool_(True),
        dominance=np.float32(0.3),
        closeness={"t": np.float32(0.1), "method": "merge"},
        compare={"k": np.array([3, 5])},
        attributes={**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "weight": np.float64(2)}},
    )
    same = shoal.Plan(
        k=5,
        seed=3,
        round=True,
        dominance=0.3,
        closeness={"t": 0.1, "method": "merge"},
        compare={"k": [3, 5]},
        attributes={**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "weight": 2.0}},
    )
    assert plan == same
    assert shoal.Plan.parse(plan.to_toml()) == same
    assert type(plan.k) is int
    assert same.with_(k=kind(7), t=np.float32(0.2)) == same.with_(k=7, t=0.2)
    assert same.replace(k=kind(7)) == same.replace(k=7)


@pytest.mark.parametrize("value", [np.float64(2.5), np.float32(3), np.bool_(True), np.str_("5")])
def test_what_is_no_whole_number_is_refused_as_before(value):
    with pytest.raises(PlanError, match="k must be a"):
        shoal.Plan(k=value, attributes=ATTRIBUTES)


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("method", ["mdav", "vmdav", "cells", "projected", "mondrian", "individual", "mic1d"])
def test_partitioners(method, kind):
    function = getattr(shoal.partitioners, method)
    assert np.array_equal(function(POINTS, kind(3)), function(POINTS, 3))


@pytest.mark.parametrize("kind", WHOLE)
def test_methods_by_name_refinement_and_bounds(kind):
    labels = shoal.partition(POINTS, kind(3), method="vmdav", gain=np.float32(0.25))
    assert np.array_equal(labels, shoal.partition(POINTS, 3, method="vmdav", gain=0.25))
    assert np.array_equal(
        shoal.refine(POINTS, labels, kind(3), effort="quick", seed=kind(2)),
        shoal.refine(POINTS, labels, 3, effort="quick", seed=2),
    )
    assert shoal.refinement.refinement(POINTS, labels, kind(3), seconds=np.float32(5), effort="quick").saved > 0
    bound = shoal.refinement.lower_bound(POINTS, kind(3), seconds=np.float32(5))
    assert bound.sse == shoal.refinement.lower_bound(POINTS, 3, seconds=5.0).sse


def test_a_narrow_number_does_not_overflow():
    points = np.random.default_rng(2).normal(size=(700, 2))
    labels = shoal.partition(points, np.uint8(200))
    assert np.array_equal(labels, shoal.partition(points, 200))
    assert np.bincount(shoal.refine(points, labels, np.uint8(200), effort="quick")).min() >= 200


@pytest.mark.parametrize("way", [t_first, k_first, merge, steered])
def test_ways_to_closeness(way):
    given = way(POINTS, SECRET, k=np.uint8(3), t=np.float32(0.3))
    assert np.array_equal(given, way(POINTS, SECRET, k=3, t=0.3))


def test_a_threshold_is_read_by_its_decimals():
    assert exact(np.float32(0.1)) == exact(0.1)
    assert plain(np.float32(0.1)) == 0.1


@pytest.mark.parametrize("kind", WHOLE)
def test_runs_measures_attacks_and_comparisons(frame, kind):
    plan = shoal.Plan(k=5, attributes=ATTRIBUTES)
    release = shoal.anonymize(frame, plan.with_(k=kind(5)))
    assert release.data.equals(shoal.anonymize(frame, plan).data)
    options = {"keys": ["k_prime"], "subsets": "all", "rows": release.rows}
    given = shoal.measure(frame, release.data, plan, sample=kind(2), seed=kind(3), **options)
    assert (
        given["k_prime"].value == shoal.measure(frame, release.data, plan, sample=2, seed=3, **options)["k_prime"].value
    )
    tried = shoal.attack(frame, release.data, plan, rows=release.rows, attacks=["linkage"], seed=kind(3))
    assert tried["linkage"].rate == release.attack(attacks=["linkage"], seed=3)["linkage"].rate
    runs = shoal.compare(
        frame,
        plan,
        k=np.array([3, 5]),
        t=[np.float32(0.4)],
        keys=["il_percent"],
        jobs=kind(1),
        closeness_method=["merge"],
    )
    assert [run.name for run in runs] == [f"k = {k}, closeness.t = 0.4, closeness.method = merge" for k in (3, 5)]
    assert shoal.measures.population_uniques([1, 1, 2, 3], kind(100)).population == 100


def test_sets_of_columns():
    assert Subsets.of(("a", "b"), np.int64(1)) == Subsets.of(("a", "b"), 1)


def test_streams_and_transformers():
    learn = pytest.importorskip("shoal.sklearn")
    plan = shoal.Plan(k=np.int64(3), stream={"max_delay": np.int32(50)}, attributes=ATTRIBUTES)
    assert shoal.StreamAnonymizer(plan, max_delay=np.int64(40)) is not None
    given = learn.Microaggregator(k=np.uint8(3), seed=np.int64(1), options={"round": np.bool_(False)})
    assert np.array_equal(given.fit_transform(POINTS), learn.Microaggregator(k=3, seed=1).fit_transform(POINTS))


@pytest.mark.parametrize("k", [2.5, np.float64(3.0), "3", None])
def test_array_rooms_refuse_what_is_no_whole_number_in_a_sentence(k):
    for function in (shoal.partitioners.mdav, shoal.partitioners.mic1d, shoal.partition):
        with pytest.raises(PlanError, match="k must be a whole number, not"):
            function(POINTS, k)
