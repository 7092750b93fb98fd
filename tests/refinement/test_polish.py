"""Polished groups are never worse, keep k, and are the best ones where the search can be complete."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import pricing as reference
from reference.points import mixed_points
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.refinement import lower_bound, polish
from shoal.refinement._polish import losses_of

pytest.importorskip("highspy")

kinds = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any)


@pytest.fixture
def no_solver(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "highspy" else find(name))


def loss_of(points, labels):
    points = Points.of(points)
    groups = [np.flatnonzero(labels == group).astype(np.int32) for group in range(labels.max() + 1)]
    return sum(float(losses_of(points, rows[None, :])[0]) for rows in groups)


def some_groups(rng, n, k):
    """Groups of k at random, the last of up to 2k - 1."""
    labels = np.minimum(np.arange(n) // k, n // k - 1)
    return labels[np.argsort(rng.permutation(n), kind="stable")]


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 9), k=st.integers(2, 4), kinds=kinds)
def test_never_worse_and_never_below_the_best(seed, n, k, kinds):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    points = mixed_points(rng, n, *kinds, distinct=20)
    start = some_groups(rng, n, k)
    given = start.copy()
    labels = polish(points, start, k)
    np.testing.assert_array_equal(start, given)
    assert np.bincount(labels).min() >= k
    assert list(dict.fromkeys(labels.tolist())) == list(range(labels.max() + 1))
    least = reference.least_loss(points, k)
    assert least * (1 - 1e-9) - 1e-12 <= loss_of(points, labels) <= loss_of(points, start) * (1 + 1e-12) + 1e-12


def test_better_than_mdav_and_near_the_bound():
    points = np.random.default_rng(0).standard_normal((150, 2))
    start = mdav(points, 3)
    bound = lower_bound(points, 3, method="columns")
    labels = polish(points, start, 3)
    assert loss_of(points, labels) < 0.95 * loss_of(points, start)
    assert bound.gap(loss_of(points, labels)) < 3.0
    np.testing.assert_array_equal(polish(points, start, 3, bound=bound), labels)


def test_groups_that_reach_the_bound_are_left_alone():
    points = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 7.0]], 4, axis=0)
    start = np.repeat([0, 1, 2], 4)
    np.testing.assert_array_equal(polish(points, start, 3), start)


def test_subjects_stay_apart():
    rng = np.random.default_rng(2)
    points = Points.of(rng.standard_normal((60, 2))).about(np.arange(60) // 2)
    start = mdav(points, 3)
    labels = polish(points, start, 3)
    assert min(len(np.unique(points.subjects[labels == group])) for group in range(labels.max() + 1)) >= 3
    assert loss_of(points, labels) < loss_of(points, start)


def test_no_time_no_change():
    points = np.random.default_rng(0).standard_normal((300, 3))
    start = mdav(points, 3)
    assert loss_of(points, polish(points, start, 3, seconds=1e-9)) == pytest.approx(loss_of(points, start))


def test_progress_is_told():
    seen = []
    points = np.random.default_rng(0).standard_normal((60, 2))
    polish(points, mdav(points, 3), 3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]


def test_bad_input():
    points = np.random.default_rng(0).standard_normal((6, 2))
    with pytest.raises(DataError, match="group 0 has 2 records, and k is 3"):
        polish(points, [0, 0, 1, 1, 1, 1], 3)
    with pytest.raises(DataError, match="group 0 has 1 different subjects"):
        polish(Points.of(points).about([0, 0, 1, 2, 3, 4]), [0, 0, 1, 1, 1, 1], 2)
    with pytest.raises(DataError, match="k is 7 but there are only 6 records"):
        polish(points, [0] * 6, 7)
    with pytest.raises(PlanError, match="seconds must be above 0"):
        polish(points, [0] * 6, 3, seconds=0.0)


def test_without_a_solver_one_sentence(no_solver):
    with pytest.raises(PlanError, match=r"polish needs highspy, which is not installed"):
        polish(np.zeros((6, 2)), [0] * 6, 3)
