"""What refinement must do, whatever it starts from."""

import numpy as np
import pytest

from grids import every
from partitioners import PARTITIONERS
from reference import refine as slow
from reference.adversarial import TABLES
from reference.points import mixed_points
from shoal.constrain import WAYS
from shoal.labels import read_labels
from shoal.partitioners import METHODS
from shoal.points import Points
from shoal.protect import Closeness, Confidential, DistinctDiversity, EntropyDiversity, RecursiveDiversity
from shoal.protect.rules import met
from shoal.refinement import EFFORTS, refine, refinement

K = 3


def total(points, labels):
    return sum(slow.losses(Points.of(points), labels))


def assert_better(points, start, labels, k=K):
    points = Points.of(points)
    found, count = read_labels(labels, len(points))
    if points.subjects.size:
        assert min(len(set(points.subjects[found == group])) for group in range(count)) >= k
    else:
        assert np.bincount(found).min() >= k
    before = total(points, start)
    assert total(points, found) <= before * (1 + 1e-12)
    first = [int(np.flatnonzero(found == group)[0]) for group in range(count)]
    assert first == sorted(first), "groups are numbered by their first records"


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("name", PARTITIONERS)
def test_it_never_loses_more_than_any_partitioner(name, effort):
    points = np.random.default_rng(1).normal(size=(121, 3))
    start = PARTITIONERS[name](points, K)
    labels = refine(points, start, K, effort=effort)
    assert_better(points, start, labels)
    assert total(points, labels) < 0.95 * total(points, start)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.nominal])
def test_mixed_attributes_lose_what_is_measured(name):
    points = mixed_points(np.random.default_rng(2), 90, 2, 2, 2, distinct=6)
    start = METHODS[name].partition(points, K)
    labels = refine(points, start, K)
    assert_better(points, start, labels)
    assert total(points, labels) < total(points, start)


@pytest.mark.parametrize("name", TABLES)
@every(n=[K, 2 * K - 1, 2 * K, 3 * K + 1, 50])
def test_adversarial_tables_keep_their_promises(name, n):
    points = np.clip(TABLES[name](np.random.default_rng(5), n, 2), -1e150, 1e150)
    start = PARTITIONERS["mdav"](points, K)
    assert_better(points, start, refine(points, start, K))


@pytest.mark.parametrize("columns", [1, 2, 60])
def test_any_number_of_columns(columns):
    points = np.random.default_rng(columns).normal(size=(60, columns))
    start = PARTITIONERS["mdav"](points, K)
    assert_better(points, start, refine(points, start, K))


def test_one_continuous_column_is_cut_optimally():
    values = np.random.default_rng(6).normal(size=200)
    start = PARTITIONERS["mdav"](values, K)
    best = METHODS["univariate"].partition(values, K)
    assert total(values, refine(values, start, K, effort="quick")) == pytest.approx(total(values, best))


def test_a_single_group_is_cut_up():
    points = np.random.default_rng(7).normal(size=(40, 2))
    labels = refine(points, np.zeros(40, dtype=int), K)
    assert_better(points, np.zeros(40, dtype=int), labels)
    assert labels.max() > 5


@pytest.mark.parametrize("effort", EFFORTS)
def test_the_same_seed_and_effort_give_the_same_groups(effort):
    points = np.random.default_rng(8).normal(size=(150, 4))
    start = PARTITIONERS["mdav"](points, K)
    found = refinement(points, start, K, effort=effort, seed=3)
    assert np.array_equal(found.labels, refine(points, start, K, effort=effort, seed=3))
    assert found.repeatable
    assert found.after == pytest.approx(total(points, found.labels))
    assert found.before == pytest.approx(total(points, start))


def test_seeds_and_efforts_differ():
    points = np.random.default_rng(9).normal(size=(120, 3))
    start = PARTITIONERS["mdav"](points, 5)
    found = {
        (effort, seed): refinement(points, start, 5, effort=effort, seed=seed) for effort in EFFORTS for seed in (1, 2)
    }
    shorter = {result.after for (effort, _), result in found.items() if effort != "best"}
    assert len(shorter) == 4  # the best effort may come to the same groups from both seeds
    assert max(found["best", seed].after for seed in (1, 2)) < min(found["quick", seed].after for seed in (1, 2))


def test_input_is_left_alone():
    points = np.random.default_rng(10).normal(size=(60, 2))
    start = PARTITIONERS["mdav"](points, K)
    copies = points.copy(), start.copy()
    refine(points, start, K)
    assert np.array_equal(points, copies[0])
    assert np.array_equal(start, copies[1])


@pytest.mark.parametrize("kinds", [(2, 0, 0), (2, 1, 1)])
def test_k_counts_subjects(kinds):
    rng = np.random.default_rng(11)
    points = mixed_points(rng, 120, *kinds, distinct=30).about(rng.integers(0, 40, 120))
    start = PARTITIONERS["mdav"](points, K)
    labels = refine(points, start, K)
    assert_better(points, start, labels)
    assert total(points, labels) < total(points, start)


def rules_of(rng, n):
    income, job = Confidential.ordered(rng.normal(size=n)), Confidential.nominal(rng.choice(list("abcde"), n))
    return {
        "t": [Closeness(income, 0.2)],
        "t of two": [Closeness(income, 0.25), Closeness(job, 0.5)],
        "distinct": [DistinctDiversity(job, 2)],
        "entropy": [EntropyDiversity(job, 2)],
        "recursive": [RecursiveDiversity(job, c=2, l=2)],
    }


@pytest.mark.parametrize("name", rules_of(np.random.default_rng(0), 9))
def test_rules_are_kept(name):
    rng = np.random.default_rng(12)
    points = rng.normal(size=(150, 2))
    rules = rules_of(rng, 150)[name]
    from shoal.constrain import repair

    start = repair(points, PARTITIONERS["mdav"](points, K), rules)
    labels = refine(points, start, K, rules=rules)
    assert_better(points, start, labels)
    assert met(rules, labels, labels.max() + 1).all()
    assert total(points, labels) < total(points, start)


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.form is not None])
def test_it_starts_from_every_way_to_closeness(name):
    rng = np.random.default_rng(13)
    points = Points.of(rng.random(size=(160, 2)))
    rules = [Closeness(Confidential.ordered(rng.normal(size=160)), 0.15)]
    way = WAYS[name]
    start = way.form(points, rules, K, way.options(), guarantee=True, progress=None)
    labels = refine(points, start, K, rules=rules)
    assert_better(points, start, labels)
    assert met(rules, labels, labels.max() + 1).all()


def test_a_group_that_is_founded_has_no_more_records_than_room():
    """Under a rule the neighbours that found a group may be many, and must not spill into the next one."""
    rng = np.random.default_rng(14)
    points = rng.normal(size=(400, 2))
    for t in (0.2, 0.25, 0.3):
        income = Confidential.ordered(points @ [1.0, 0.3] + rng.normal(size=400))
        rules = [Closeness(income, t)]
        start = WAYS["t_first"].form(
            Points.of(points), rules, 2, WAYS["t_first"].options(), guarantee=True, progress=None
        )
        labels = refine(points, start, 2, effort="quick", rules=rules)
        assert_better(points, start, labels, k=2)
        assert met(rules, labels, labels.max() + 1).all()
