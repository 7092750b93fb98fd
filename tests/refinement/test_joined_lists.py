"""Lists of near records that are joined: nearly the nearest, the same by any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from reference.points import mixed_points
from shoal import _core
from shoal.points import Points
from shoal.refinement.search import effective_dimension

LENGTH = 6


def lists_of(points, reach):
    return _core.near_rows(Points.of(points).records(), LENGTH, reach).reshape(-1, LENGTH)


def apart_of(points, lists):
    numbers = np.column_stack([points.coords, points.ranks * points.rank_steps])
    codes = (points.codes[lists] != points.codes[:, None]) * points.code_weights
    return np.square(numbers[lists] - numbers[:, None]).sum(axis=2) + codes.sum(axis=2)


@pytest.mark.parametrize(("dimension", "share"), [(6, 0.95), (12, 0.85)])
def test_many_of_the_nearest_are_found_and_the_others_are_near(dimension, share):
    points = Points.of(np.random.default_rng(dimension).standard_normal((6000, dimension)))
    joined, exact = lists_of(points, 0.0), lists_of(points, 1.0)
    found = sum(len(np.intersect1d(a, b)) for a, b in zip(joined, exact, strict=True))
    assert found > share * exact.size
    assert (joined != np.arange(6000)[:, None]).all()
    assert all(len(set(row)) == LENGTH for row in joined.tolist())
    apart = apart_of(points, joined)
    assert (np.diff(apart, axis=1) > -1e-5).all()  # nearest first
    assert apart.sum() < 1.05 * apart_of(points, exact).sum()


@pytest.mark.parametrize("seed", range(5))
def test_of_few_records_all_of_the_nearest_are_found(seed):
    points = mixed_points(np.random.default_rng(seed), 51, 4, 1, 1, distinct=51)
    joined, exact = lists_of(points, 0.0), lists_of(points, 1.0)
    np.testing.assert_allclose(apart_of(points, joined), apart_of(points, exact), rtol=1e-5, atol=1e-6)


def test_attributes_of_any_kind():
    points = mixed_points(np.random.default_rng(1), 3000, 3, 2, 3, distinct=40)
    joined, exact = (apart_of(points, lists_of(points, reach)).sum() for reach in (0.0, 1.0))
    assert joined < 1.1 * exact


@pytest.mark.parametrize("n", [7, 64, 65, 300])
def test_few_or_equal_records_fill_their_lists(n):
    rng = np.random.default_rng(n)
    for points in (rng.standard_normal((n, 5)), np.ones((n, 5)), np.floor(rng.standard_normal((n, 5)))):
        joined = lists_of(points, 0.0)
        assert joined.min() >= 0
        assert joined.max() < n
        assert (joined != np.arange(n)[:, None]).all()


def test_a_large_offset_changes_little():
    points = np.random.default_rng(3).standard_normal((2000, 8))
    assert np.mean(lists_of(points, 0.0) == lists_of(points + 1e6, 0.0)) > 0.95


def test_attributes_that_go_together_count_as_one():
    rng = np.random.default_rng(4)
    one = rng.standard_normal((4000, 1))
    assert effective_dimension(Points.of(np.repeat(one, 9, axis=1))) == pytest.approx(1.0)
    assert effective_dimension(Points.of(np.zeros((5, 3)))) == 1.0
    assert effective_dimension(Points.of(np.full((5, 3), 1.7e308))) == 1.0
    mixed = mixed_points(rng, 500, 2, 1, 2, distinct=20)
    assert 1.0 <= effective_dimension(mixed) <= 5.0
