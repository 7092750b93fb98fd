"""Dependence: λ = 0 is plain, λ = 1 is the partition on the confidential side, and every λ between counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitioners import PARTITIONERS
from reference.distance import squared_distances
from reference.points import mixed_points
from shoal.errors import DataError, PlanError
from shoal.points import Points
from shoal.scaling import zscores
from shoal.steer import column, dependence, position
from shoal.steer.steering import beta

EACH = [pytest.param(partition, id=name) for name, partition in PARTITIONERS.items()]


def two_sides(seed=0, n=120, d=3, m=2):
    rng = np.random.default_rng(seed)
    return zscores(rng.standard_normal((n, d))), rng.standard_normal((n, m))


@pytest.mark.parametrize("partition", EACH)
@pytest.mark.parametrize("m", [1, 2])
def test_the_ends_are_the_plain_partition_and_the_one_on_the_confidential_side(partition, m):
    x, y = two_sides(m=m)
    np.testing.assert_array_equal(partition(dependence(y, 0.0)(x), 4), partition(Points.of(x), 4))
    np.testing.assert_array_equal(partition(dependence(y, 1.0)(x), 4), partition(Points.of(zscores(y)), 4))


@pytest.mark.parametrize("partition", EACH)
def test_every_weight_changes_the_groups(partition):
    x, y = two_sides()
    weights = [0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0]
    labels = [partition(dependence(y, weight)(x), 4).tolist() for weight in weights]
    assert len({tuple(one) for one in labels}) == len(weights)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), weight=st.floats(0.01, 0.99), kinds=st.tuples(*[st.integers(0, 2)] * 3).filter(any))
def test_distances_are_those_of_both_sides_added(seed, weight, kinds):
    rng = np.random.default_rng(seed)
    x, y = mixed_points(rng, 20, 1, 1, 1), mixed_points(rng, 20, *kinds)
    rows = np.arange(20)
    factor = weight / (1 - weight) * x.dimension / y.dimension
    expected = squared_distances(x, rows, x, 3) + factor * squared_distances(y, rows, y, 3)
    steered = dependence(y, weight)(x)
    np.testing.assert_allclose(squared_distances(steered, rows, steered, 3), expected, rtol=1e-12)
    assert steered.dimension == x.dimension + y.dimension


def test_beta_counts_attributes_of_all_kinds():
    rng = np.random.default_rng(1)
    x, y = mixed_points(rng, 10, 2, 1, 1), mixed_points(rng, 10, 1, 0, 1)
    steered = dependence(y, 0.4)(x)
    assert steered.coords[:, 2] == pytest.approx(y.coords[:, 0] * beta(0.4, 4, 2))
    assert steered.code_weights[1] == pytest.approx(y.code_weights[0] * beta(0.4, 4, 2) ** 2)


def test_numbers_are_standardised_whatever_their_unit():
    x, y = two_sides()
    same = dependence(y, 0.5)(x).coords
    np.testing.assert_allclose(dependence(y * 1000 + 7, 0.5)(x).coords, same, atol=1e-12)


def test_dates_count_as_numbers():
    x, _ = two_sides(n=30)
    days = np.datetime64("2024-01-01") + np.arange(30)
    np.testing.assert_allclose(dependence(days, 0.5)(x).coords, dependence(np.arange(30), 0.5)(x).coords, atol=1e-12)


def test_a_constant_confidential_attribute_adds_no_distance():
    x, _ = two_sides(n=30)
    assert (dependence(np.full(30, 7.0), 0.5)(x).coords[:, 3] == 0).all()


def test_the_weighted_cost_is_the_squared_error_of_the_steered_points():
    x, y = two_sides()
    x, y, weight = zscores(x), zscores(y), 0.3
    labels = np.arange(len(x)) % 7

    def sse(values):
        return sum(((values[labels == g] - values[labels == g].mean(axis=0)) ** 2).sum() for g in range(7))

    d_x, d_y = sse(x) / ((len(x) - 1) * x.shape[1]), sse(y) / ((len(y) - 1) * y.shape[1])
    steered = sse(dependence(y, weight)(x).coords)
    scale = (len(x) - 1) * x.shape[1] / (1 - weight)
    assert steered == pytest.approx(scale * ((1 - weight) * d_x + weight * d_y))


def test_it_composes_with_other_steering():
    x, y = two_sides()
    both = (dependence(y, 0.3) + position(2.0) + column(y[:, 0], 0.5))(x)
    parts = [dependence(y, 0.3)(x).coords, position(2.0)(x).coords[:, 3:], column(y[:, 0], 0.5)(x).coords[:, 3:]]
    np.testing.assert_array_equal(both.coords, np.column_stack(parts))
    alone = (dependence(y, 1.0) + position(2.0))(x)
    np.testing.assert_array_equal(alone.coords, np.column_stack([zscores(y), parts[1]]))


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_weights_outside_zero_to_one_are_refused(weight):
    with pytest.raises(PlanError, match="from 0 to 1"):
        dependence([1.0, 2.0], weight)


def test_other_records_are_refused():
    with pytest.raises(DataError, match="3 records but the points have 2"):
        dependence([1.0, 2.0, 3.0], 0.5)([[1.0], [2.0]])


def test_missing_and_text_are_refused():
    with pytest.raises(DataError, match="confidential must be finite, but column 1"):
        dependence([[1.0, np.nan], [2.0, 3.0]], 0.5)
    with pytest.raises(DataError, match="encode categories as Points"):
        dependence(["a", "b"], 0.5)
