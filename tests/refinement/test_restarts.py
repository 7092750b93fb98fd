"""The best effort on small tables: the same every time, with or without a solver, the best choice of all found."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from shoal import _core
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.refinement import EFFORTS, lower_bound, refinement, restarts
from shoal.refinement._polish import GroupPool, choose_groups
from shoal.refinement.effort import Clock

POINTS = np.random.default_rng(4).normal(size=(90, 3))


@pytest.fixture
def no_solver(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "highspy" else find(name))


@pytest.fixture
def a_tenth(monkeypatch):
    """Shorter searches: what is tested is what becomes of them."""
    monkeypatch.setattr(restarts, "_BEST", EFFORTS["best"].part(0.1))
    monkeypatch.setattr(restarts, "_FIRST_REGIONS", 500)
    monkeypatch.setattr(restarts, "_ON", restarts._ON.part(0.1, annealing=False))


def loss_of(points, labels):
    return float(_core.group_losses(Points.of(points).records(), labels, int(labels.max()) + 1).sum())


@pytest.mark.parametrize("k", [3, 5, 12])
def test_the_same_groups_every_time(a_tenth, k):
    start = mdav(POINTS, k)
    first, second = (refinement(POINTS, start, k, effort="best", seed=2) for _ in range(2))
    assert first.repeatable
    assert np.array_equal(first.labels, second.labels)
    assert np.bincount(first.labels).min() >= k
    assert first.after == pytest.approx(loss_of(POINTS, first.labels))
    assert first.after < refinement(POINTS, start, k, effort="quick", seed=2).after


def test_without_a_solver_the_search_is_repeatable_too(a_tenth, no_solver):
    start = mdav(POINTS, 3)
    first, second = (refinement(POINTS, start, 3, effort="best") for _ in range(2))
    assert np.array_equal(first.labels, second.labels)
    assert first.after <= refinement(POINTS, start, 3, effort="quick").after


def test_the_search_ends_where_the_bound_is_reached(monkeypatch):
    pytest.importorskip("highspy")
    points = np.repeat(np.random.default_rng(0).normal(size=(9, 2)), 3, axis=0) + np.tile(
        [[0.0], [1e-3], [2e-3]], (9, 1)
    )
    start = mdav(points, 3)
    monkeypatch.setattr(GroupPool, "choose", lambda *_: pytest.fail("there is nothing left to choose"))
    found = refinement(points, start, 3, effort="best")
    assert lower_bound(points, 3).gap(found.after) < 1e-4


@pytest.mark.parametrize("seconds", [1e-6, 0.05])
def test_a_budget_ends_it_between_two_searches(seconds):
    start = mdav(POINTS, 3)
    found = refinement(POINTS, start, 3, effort="best", seconds=seconds)
    assert not found.repeatable
    assert found.after <= found.before


def test_the_best_choice_takes_groups_of_several_partitions():
    pytest.importorskip("highspy")
    # Three pairs in a row; each partition has one pair right that the others have not, and shares records with them.
    points = Points.of([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    given = [np.array(labels) for labels in ([0, 0, 1, 2, 1, 2], [0, 1, 2, 2, 0, 1], [0, 1, 0, 1, 2, 2])]
    pool = GroupPool(points, given[0])
    for labels in given[1:]:
        pool.add(labels)
    assert pool.loss > 1.5
    assert not pool.choose(0.0, Clock(None, None, nodes=20))
    assert pool.best.tolist() == [0, 0, 1, 1, 2, 2]
    assert pool.loss == pytest.approx(1.5)


def test_sets_that_do_not_cover_leave_the_groups_as_they_are():
    pytest.importorskip("highspy")
    points = Points.of([[0.0], [5.0], [1.0], [6.0]])
    start = np.array([0, 0, 1, 1])
    one = np.array([[0, 2]], dtype=np.int32)
    labels, cut_short = choose_groups(points, start, [one], 0.0, Clock(None, None))
    assert not cut_short
    assert labels.tolist() == start.tolist()
    others = np.array([[0, 2], [1, 3]], dtype=np.int32)
    assert choose_groups(points, start, [others], 0.0, Clock(None, None))[0].tolist() == [0, 1, 0, 1]


def test_there_is_nothing_to_choose_where_nothing_is_lost():
    start = np.arange(12) // 3
    points = Points.of(np.repeat([[0.0, 1.0], [5.0, 2.0]], 6, axis=0))
    others = [np.array([[0, 1, 6], [2, 3, 7]], dtype=np.int32)]
    labels, cut_short = choose_groups(points, start, others, 0.0, Clock(60.0, None))
    assert np.array_equal(labels, start)
    assert not cut_short
