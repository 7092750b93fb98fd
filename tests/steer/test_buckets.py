"""Bucket numbers: the kernels give the twins' numbers, and each number is held once per bucket."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import matching
from reference.points import mixed_points
from reference.steered import buckets as cut
from shoal import _core
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.steer import bucket_count, buckets, number_buckets, separating_weight


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 90),
    count=st.integers(2, 20),
    kinds=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)).filter(any),
)
def test_numbers_and_joining_equal_the_twins(seed, n, count, kinds):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, max(n, count), *kinds)
    values = rng.integers(0, 6, len(points))
    numbers = number_buckets(points, values, count)
    np.testing.assert_array_equal(numbers, matching.match_buckets(points, cut(values, count)))
    joined = _core.join_nearest(points.records(), numbers, len(points) // count)
    np.testing.assert_array_equal(joined, matching.join_nearest(points, numbers))


@pytest.mark.parametrize("d", [1, 2, 5, 12])
@pytest.mark.parametrize("count", [2, 3, 7, 100])
def test_many_records_match_as_in_the_twin(d, count):
    rng = np.random.default_rng(d)
    points, values = Points.of(rng.standard_normal((701, d))), rng.standard_normal(701)
    np.testing.assert_array_equal(
        number_buckets(points, values, count), matching.match_buckets(points, cut(values, count))
    )


ADVERSARIAL = {
    "all equal": np.zeros((100, 3)),
    "constant column": np.column_stack([np.full(100, 7.0), np.random.default_rng(0).standard_normal(100)]),
    "duplicates": np.repeat(np.random.default_rng(1).standard_normal((25, 3)), 4, axis=0),
    "huge offset": 1e12 + np.random.default_rng(2).standard_normal((100, 4)),
    "squares overflow": np.random.default_rng(5).choice([1e200, -1e200, 3.0], (100, 2)),
}


@pytest.mark.parametrize("coords", ADVERSARIAL.values(), ids=ADVERSARIAL.keys())
@pytest.mark.parametrize("values", [np.zeros(100), np.arange(100) % 3, -np.arange(100)], ids=["equal", "three", "down"])
def test_adversarial_inputs(coords, values):
    points = Points.of(coords)
    for count in (2, 7, 51, 100):
        numbers = number_buckets(points, values, count)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(numbers, matching.match_buckets(points, cut(values, count)))


def test_each_number_is_held_once_in_each_bucket():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(103)
    numbers = number_buckets(Points.of(rng.random((103, 2))), values, 10)
    for bucket in cut(values, 10):
        assert sorted(numbers[bucket]) == list(range(10))
    assert (numbers == -1).sum() == 3
    surplus = np.sort(np.argsort(np.argsort(values))[numbers == -1])
    assert surplus.tolist() == [50, 51, 52]  # the middle of the order


@pytest.mark.parametrize(
    ("n", "k", "t", "expected"),
    [(1000, 2, 0.05, 10), (1000, 2, 0.1, 5), (1080, 5, 0.25, 5), (10, 2, 0.0, 10), (10, 2, 1.0, 2), (3, 2, 0.25, 2)],
)
def test_bucket_counts(n, k, t, expected):
    assert bucket_count(n, k, t) == expected


def test_bucket_counts_are_exact():
    # n / (2(n−1)t + 1) is 21 exactly at t = 1/42 · (n/21 − 1) · 21/(n−1); a float would land beside it.
    n = 421
    t = Fraction(n - 21, 2 * 21 * (n - 1))
    assert bucket_count(n, 2, t) == 21
    assert bucket_count(n, 2, t - Fraction(1, 441 * 10**6)) == 22


def test_weight_spans_the_numbers_and_zero_changes_nothing():
    rng = np.random.default_rng(3)
    x, values = rng.random((53, 2)), rng.standard_normal(53)
    added = buckets(values, 6.0, k=5, t=0.2)(x).coords[:, 2]
    assert added.min() == 0
    assert added.max() == 6
    numbers = number_buckets(Points.of(x), values, 5)
    kept = numbers >= 0
    np.testing.assert_allclose(added[kept], numbers[kept] * 6 / 9)
    np.testing.assert_array_equal(buckets(values, 0.0, k=5, t=0.2)(x).coords, x)


def test_every_option_changes_the_groups():
    rng = np.random.default_rng(4)
    x = rng.random((100, 2))
    values = x[:, 0] + 0.1 * rng.standard_normal(100)

    def groups(weight=3.0, k=4, t=0.05):
        return mdav(buckets(values, weight, k=k, t=t)(x), 4).tolist()

    assert len({tuple(g) for g in (groups(), groups(weight=9.0), groups(k=12), groups(t=0.2))}) == 4


def test_from_the_separating_weight_on_each_group_holds_one_number():
    rng = np.random.default_rng(5)
    points = mixed_points(rng, 120, 2, 1, 1, distinct=9)
    values = rng.standard_normal(120)
    numbers = number_buckets(points, values, 6)
    for factor in (1.0, 50.0):
        weight = separating_weight(points, 20) * factor
        labels = mdav(buckets(values, weight, k=6, t=1.0)(points), 6)
        assert all(len(set(numbers[labels == group])) == 1 for group in range(20))


def test_the_separating_weight_knows_the_spans():
    assert separating_weight(Points.of([[0.0], [3.0]]), 10) == 30
    assert separating_weight(Points.of(np.zeros((4, 2))), 10) == 10
    points = Points.build(codes=[[0], [1]], code_weights=[4.0], code_levels=[2])
    assert separating_weight(points, 5) == 10
    ranks = Points.build(ranks=[[0], [2]], rank_steps=[0.5], rank_levels=[3], rank_convex=[False])
    assert separating_weight(ranks, 5) == 5


def test_wrong_arguments_are_refused():
    with pytest.raises(DataError, match="one column of values"):
        buckets([[1.0], [2.0]], 1.0, k=2, t=0.1)
    with pytest.raises(DataError, match="missing values"):
        buckets([1.0, np.nan], 1.0, k=2, t=0.1)
    with pytest.raises(PlanError, match="t must lie from 0 to 1"):
        bucket_count(10, 2, 1.5)
    with pytest.raises(PlanError, match="t must be a number"):
        bucket_count(10, 2, "a")
    with pytest.raises(DataError, match="confidential has 3 records"):
        buckets([1.0, 2.0, 3.0], 1.0, k=2, t=0.1)([[1.0], [2.0]])
