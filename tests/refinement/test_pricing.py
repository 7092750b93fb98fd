"""The kernels behind a bound give what the twins give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import pricing as reference
from reference.adversarial import TABLES
from reference.points import mixed_points, repeated_points
from shoal import _core
from shoal.points import Points
from shoal.refinement._polish import losses_of
from shoal.refinement.bound_problem import BoundProblem

kinds = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any)


def draw_prices(rng, problem, spread):
    """Prices about as high as sets allow, some too high, some negative."""
    return problem.shares * rng.uniform(0.5, 1.0 + spread, len(problem)) + rng.normal(0, spread / 4, len(problem))


def assert_equals_twin(points, size, prices, threshold):
    """All sets below the threshold are found, and the least of every anchor is."""
    problem = BoundProblem(points, size)
    rows, costs, least = problem._pricing.price(prices, threshold, 10**6, 10**6, 10**9, None)
    found = {tuple(row): cost for row, cost in zip(rows.reshape(-1, size).tolist(), costs, strict=True)}
    every = reference.reduced_costs(problem.points, size, prices)
    scale = float(np.abs(prices).max()) + 1e-12
    off = 1e-9 * scale
    expected = {row for row, value in every.items() if value < threshold - off}
    assert expected <= set(found)
    assert all(every[row] < threshold + off for row in found)
    for row, cost in found.items():
        assert cost == pytest.approx(reference.least_cost(problem.points, row), rel=1e-9, abs=off)
    lowest = np.full(len(points), threshold)
    for row, value in every.items():
        first = reference.anchor(prices, row)
        lowest[first] = min(lowest[first], value)
    np.testing.assert_allclose(least, lowest, rtol=1e-9, atol=off)


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 11),
    size=st.integers(2, 6),
    kinds=kinds,
    distinct=st.sampled_from([2, 50]),
    spread=st.sampled_from([0.1, 0.5, 2.0]),
    threshold=st.sampled_from([0.0, 0.3]),
)
def test_every_set_below_the_threshold_is_found(seed, n, size, kinds, distinct, spread, threshold):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, max(n, size), *kinds, distinct=distinct)
    assert_equals_twin(points, size, draw_prices(rng, BoundProblem(points, size), spread), threshold)


@pytest.mark.parametrize("table", TABLES)
@every(size=[2, 3, 4, 5])
def test_adversarial_tables(table, size):
    rng = np.random.default_rng(size)
    points = Points.of(TABLES[table](rng, 9, 3))
    problem = BoundProblem(points, size)
    for spread in (0.2, 1.0):
        prices = problem.shares * rng.uniform(0.5, 1.0 + spread, len(points))
        assert_equals_twin(problem.points, size, prices, 0.0)


@pytest.mark.parametrize("d", [1, 60])
def test_one_column_and_sixty(d):
    rng = np.random.default_rng(d)
    points = Points.of(rng.standard_normal((12, d)))
    assert_equals_twin(points, 4, BoundProblem(points, 4).shares * 1.2, 0.0)


def test_the_best_sets_of_an_anchor_are_kept():
    rng = np.random.default_rng(5)
    points = Points.of(rng.standard_normal((12, 2)))
    problem = BoundProblem(points, 3)
    prices = problem.shares * 2.0
    every = reference.reduced_costs(points, 3, prices)
    sets, _ = problem.price(prices, keep=2)
    by_anchor: dict[int, list[float]] = {}
    for row, value in every.items():
        if value < 0:
            by_anchor.setdefault(reference.anchor(prices, row), []).append(value)
    found: dict[int, list[float]] = {}
    for row in map(tuple, sets.rows.tolist()):
        found.setdefault(reference.anchor(prices, row), []).append(every[row])
    assert {row: pytest.approx(sorted(values)[:2]) for row, values in by_anchor.items()} == found


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(3, 5),
    kinds=kinds,
    width=st.sampled_from([1, 2, 4, 100]),
    nodes=st.sampled_from([0, 1, 5]),
)
def test_where_the_search_is_cut_prices_are_feasible_all_the_same(seed, size, kinds, width, nodes):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, 10, *kinds, distinct=20)
    problem = BoundProblem(points, size)
    prices = draw_prices(rng, problem, 0.5)
    _, feasible = problem.price(prices, width=width, nodes=nodes)
    least = min(reference.reduced_costs(points, size, feasible).values())
    assert least >= -1e-9 * float(np.abs(prices).max() + 1)


@pytest.mark.parametrize("kinds", [(3, 0, 0), (2, 1, 1), (0, 0, 2)])
def test_many_records_as_few(kinds):
    """Levels of trees, threads and equal records: the same sets as those of a table with one tree."""
    points = repeated_points(np.random.default_rng(1), 600, 300, *kinds)
    problem = BoundProblem(points, 3)
    rng = np.random.default_rng(2)
    prices = problem.scales * rng.uniform(0.0, 1.5, 600)
    if points.dimension == points.coords.shape[1]:
        pairs = np.array([[reference.pair(points, 3, a, b) if a < b else 0.0 for b in range(600)] for a in range(600)])
        pairs += pairs.T
        worst = np.full(600, 0.0)
        order = np.lexsort((np.arange(600), -prices))
        for place, a in enumerate(order):
            later = order[place + 1 :]
            if len(later) < 2:
                continue
            costs = (pairs[a, later][:, None] + pairs[a, later][None, :] + pairs[np.ix_(later, later)]) / 3
            costs = costs - prices[a] - prices[later][:, None] - prices[later][None, :]
            np.fill_diagonal(costs, np.inf)
            worst[a] = min(0.0, costs.min())
        _, feasible = problem.price(prices)
        np.testing.assert_allclose(feasible - prices, worst, atol=1e-9)
    else:
        _, feasible = problem.price(prices)
        for rows in rng.integers(0, 600, (2000, 3)):
            if len(set(rows)) == 3:
                assert reference.least_cost(points, tuple(rows)) >= feasible[rows].sum() - 1e-9


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(5, 80), kinds=kinds, shifted=st.booleans())
def test_nearest_records_with_shifts(seed, n, kinds, shifted):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, n, *kinds, distinct=20)
    shifts = rng.normal(0, 3, n) if shifted else np.zeros(n)
    rows, pairs = _core.shifted_neighbours(points.records(), 4, shifts, 3, None)
    every = np.array([[reference.pair(points, 4, a, b) for b in range(n)] for a in range(n)])
    keys = every + shifts[None, :]
    np.fill_diagonal(keys, np.inf)
    expected = np.sort(keys, axis=1)[:, :3]
    np.testing.assert_allclose(pairs.reshape(n, 3) + shifts[rows].reshape(n, 3), expected, atol=1e-9)
    np.testing.assert_allclose(pairs.reshape(n, 3), np.take_along_axis(every, rows.reshape(n, 3), axis=1))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(3, 9),
    sweeps=st.integers(0, 4),
    smoothing=st.sampled_from([0.3, 0.05]),
)
def test_prices_are_raised_as_the_twin_raises_them(seed, n, sweeps, smoothing):
    rng = np.random.default_rng(seed)
    sets = np.array([np.sort(rng.choice(n, 3, replace=False)) for _ in range(12)], dtype=np.int32)
    costs, scales = rng.uniform(0.1, 3, 12), rng.uniform(0.5, 2, n)
    prices, caps = rng.normal(0, 1, n), rng.uniform(0.5, 3, n)
    raised = _core.raise_prices(sets.reshape(-1), costs, scales, caps, prices, smoothing, sweeps, None)
    expected = reference.raise_prices(sets.tolist(), costs, scales, caps, prices, smoothing, sweeps)
    np.testing.assert_allclose(raised, expected, rtol=1e-9, atol=1e-9)


def test_raised_prices_do_not_exceed_the_costs_of_sets():
    rng = np.random.default_rng(0)
    problem = BoundProblem(Points.of(rng.standard_normal((60, 2))), 3)
    pool, _ = problem.price(problem.shares, threshold=np.inf, keep=20, width=11)
    raised = problem.raised(pool, problem.shares, room=1.0, smoothing=0.02, sweeps=400, progress=None)
    assert raised.sum() > 1.1 * problem.shares.sum()
    assert pool.reduced(raised).min() > -1e-3 * problem.scales.max()


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 6), kinds=kinds)
def test_losses_of_sets(seed, size, kinds):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, 12, *kinds, distinct=20)
    sets = np.array([rng.choice(12, size, replace=False) for _ in range(10)], dtype=np.int32)
    expected = [reference.loss(points, tuple(rows)) for rows in sets.tolist()]
    np.testing.assert_allclose(losses_of(points, sets), expected, rtol=1e-12, atol=1e-12)
