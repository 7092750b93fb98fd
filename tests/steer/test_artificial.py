"""Position and columns: what they add, and that their weight decides."""

from __future__ import annotations

import numpy as np
import pytest

from partitioners import PARTITIONERS
from reference.points import mixed_points
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.steer import Steering, column, dependence, position

EACH = [pytest.param(partition, id=name) for name, partition in PARTITIONERS.items()]


def unit_points(n=120, d=2, seed=0):
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("partition", EACH)
@pytest.mark.parametrize("steer", [position, lambda weight: column(unit_points(d=1, seed=9)[:, 0] * 50, weight)])
def test_every_weight_changes_the_groups_and_zero_changes_nothing(partition, steer):
    x = unit_points()
    weights = [0.0, 0.5, 2.0, 20.0]
    labels = [partition(steer(weight)(x), 4).tolist() for weight in weights]
    assert len({tuple(one) for one in labels}) == len(weights)
    assert labels[0] == partition(Steering()(x), 4).tolist()


def test_a_heavy_position_makes_groups_of_neighbours():
    labels = mdav(position(1000.0)(unit_points(n=60)), 5)
    assert all(np.ptp(np.flatnonzero(labels == group)) == 4 for group in range(12))


def test_columns_span_zero_to_the_weight():
    steered = column(np.array([[3.0, -7.0], [5.0, 13.0], [4.0, 3.0]]), 2.5)(unit_points(n=3))
    np.testing.assert_allclose(steered.coords[:, 2:], [[0.0, 0.0], [2.5, 2.5], [1.25, 1.25]])


def test_ordinal_and_nominal_columns_keep_their_distances_times_the_weight():
    own = mixed_points(np.random.default_rng(0), 10, 0, 1, 1)
    steered = column(own, 3.0)(unit_points(n=10))
    assert steered.rank_steps[0] == pytest.approx(own.rank_steps[0] * 3)
    assert steered.code_weights[0] == pytest.approx(own.code_weights[0] * 9)


def test_records_are_about_the_same_subjects_whatever_stands_in_their_place():
    rng = np.random.default_rng(0)
    points = Points.of(rng.random((10, 2))).about(np.arange(10) % 4)
    for weight in (0.5, 1.0):
        steered = dependence(rng.random(10), weight)(points)
        assert steered.subjects.tolist() == points.subjects.tolist()


def test_points_stay_as_they_are_without_steering():
    points = mixed_points(np.random.default_rng(0), 10, 1, 1, 1)
    assert Steering()(points) is points


@pytest.mark.parametrize("weight", [-1.0, float("inf"), float("nan")])
def test_weights_must_be_distances(weight):
    with pytest.raises(PlanError, match="weight must be a finite number"):
        position(weight)
    with pytest.raises(PlanError, match="weight must be a finite number"):
        column([1.0], weight)


def test_other_records_and_missing_values_are_refused():
    with pytest.raises(DataError, match="values has 3 records but the points have 2"):
        column([1.0, 2.0, 3.0], 1.0)([[1.0], [2.0]])
    with pytest.raises(DataError, match="values must be finite"):
        column([1.0, np.nan], 1.0)
    with pytest.raises(DataError, match="values must be finite"):
        column(np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"), 1.0)
