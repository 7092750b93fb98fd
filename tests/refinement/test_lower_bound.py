"""A lower bound is one: no partition loses less, whatever the table."""

from __future__ import annotations

import builtins
import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import pricing as reference
from reference.adversarial import TABLES
from reference.points import mixed_points
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav, univariate
from shoal.points import Points
from shoal.refinement import LowerBound, lower_bound
from shoal.refinement._polish import losses_of
from shoal.refinement.effort import Clock, OutOfTime

METHODS = ("columns", "ascent", "stars")
kinds = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any)


@pytest.fixture
def no_solver(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "highspy" else find(name))


def loss_of(points, labels):
    points = Points.of(points)
    return sum(
        float(losses_of(points, np.flatnonzero(labels == group).astype(np.int32)[None, :])[0])
        for group in range(labels.max() + 1)
    )


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 9),
    k=st.integers(2, 5),
    kinds=kinds,
    distinct=st.sampled_from([1, 2, 50]),
)
def test_no_partition_of_a_tiny_table_loses_less(method, seed, n, k, kinds, distinct):
    points = mixed_points(np.random.default_rng(seed), max(n, k), *kinds, distinct=distinct)
    least = reference.least_loss(points, k)
    bound = lower_bound(points, k, method=method)
    assert 0.0 <= bound.sse <= least * (1 + 1e-12)
    assert bound.method == method


@every(table=TABLES, method=METHODS)
def test_no_partition_of_an_adversarial_table_loses_less(table, method):
    points = Points.of(TABLES[table](np.random.default_rng(8), 8, 2))
    least = reference.least_loss(points, 3)
    assert 0.0 <= lower_bound(points, 3, method=method).sse <= least * (1 + 1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_column_generation_finds_the_best_prices_of_all(k):
    """The bound is the value of the linear programme over all sets of k, which a general solver gives, too."""
    highspy = pytest.importorskip("highspy")
    points = Points.of(np.random.default_rng(k).standard_normal((14, 2)))
    sets = reference.reduced_costs(points, k, np.zeros(14))
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    for _ in range(14):
        model.addRow(1, 1, 0, np.empty(0, dtype=np.int32), np.empty(0))
    for rows, cost in sets.items():
        model.addCol(cost, 0, highspy.kHighsInf, k, np.array(rows, dtype=np.int32), np.ones(k))
    model.run()
    value = model.getInfo().objective_function_value
    bound = lower_bound(points, k, method="columns")
    assert bound.sse == pytest.approx(value, rel=2e-6)
    assert bound.sse <= value * (1 + 1e-9)
    assert min(reference.reduced_costs(points, k, bound.prices).values()) >= -1e-12
    assert lower_bound(points, k, method="ascent").sse <= bound.sse * (1 + 1e-6)


def test_methods_differ_in_strength():
    points = np.random.default_rng(1).standard_normal((400, 3))
    stars, ascent, columns = (lower_bound(points, 3, method=method).sse for method in ("stars", "ascent", "columns"))
    groups = mdav(points, 3)
    assert stars < ascent < columns < loss_of(points, groups)
    assert ascent > 0.98 * columns
    assert columns > 0.75 * loss_of(points, groups)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_one_attribute_is_solved(k):
    values = np.random.default_rng(k).lognormal(size=200) + 1e6
    bound = lower_bound(values, k)
    assert bound.method == "univariate"
    assert bound.sse == pytest.approx(loss_of(values, univariate(values, k)), rel=1e-6)
    assert bound.sse <= loss_of(values, univariate(values, k))
    assert bound.proven.startswith("the least loss")
    assert lower_bound(values, k, method="ascent").sse <= bound.sse


def test_auto_takes_what_suits():
    rng = np.random.default_rng(0)
    small, large_k = rng.standard_normal((60, 2)), rng.standard_normal((60, 2))
    assert lower_bound(small, 3).method == "columns"
    assert lower_bound(large_k, 20).method == "stars"
    assert lower_bound(rng.standard_normal((3001, 2)), 2).method == "ascent"


def test_without_a_solver_auto_takes_the_ascent(no_solver):
    assert lower_bound(np.random.default_rng(0).standard_normal((60, 2)), 3).method == "ascent"


def test_without_a_solver_columns_are_refused(no_solver):
    with pytest.raises(PlanError, match=r'method "columns" needs highspy.*pip install "shoal\[optimal\]"'):
        lower_bound(np.zeros((6, 2)), 2, method="columns")


def test_bad_input():
    points = np.random.default_rng(0).standard_normal((5, 2))
    with pytest.raises(DataError, match="k is 6 but there are only 5 records"):
        lower_bound(points, 6)
    with pytest.raises(PlanError, match="k must be at least 2"):
        lower_bound(points, 1)
    with pytest.raises(PlanError, match="seconds must be above 0, not 0"):
        lower_bound(points, 2, seconds=0)
    with pytest.raises(PlanError, match=r'method must be one of "auto".*not "best"'):
        lower_bound(points, 2, method="best")
    with pytest.raises(DataError, match="missing or infinite"):
        lower_bound([[np.nan], [1.0]], 2)
    with pytest.raises(DataError, match="only 2 different subjects"):
        lower_bound(Points.of(points).about([0, 0, 1, 1, 1]), 3)


def test_subjects_are_mentioned_and_the_bound_holds_for_them():
    points = Points.of(np.random.default_rng(3).standard_normal((40, 2))).about(np.arange(40) // 2)
    bound = lower_bound(points, 3)
    assert "at least k subjects" in bound.proven
    assert bound.sse == lower_bound(points.coords, 3).sse
    assert bound.sse <= loss_of(points, mdav(points, 3))


def test_a_budget_of_time_gives_what_was_proven_until_then():
    points = np.random.default_rng(0).standard_normal((3000, 4))
    short = lower_bound(points, 4, method="ascent", seconds=1e-9)
    assert short.sse == 0.0
    whole = lower_bound(points, 4, method="ascent")
    assert lower_bound(points, 4, method="ascent", seconds=1e6).sse == whole.sse > 0.0


def test_a_clock_stops_kernels():
    clock = Clock(1e-9, None)
    with pytest.raises(OutOfTime):
        clock.step()


def test_progress_ends_with_all_done():
    seen = []
    points = np.random.default_rng(0).standard_normal((300, 3))
    lower_bound(points, 3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert all(0 <= done <= total for done, total in seen)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_every_time_and_in_any_unit(method):
    points = np.random.default_rng(4).standard_normal((90, 3))
    bound = lower_bound(points, 3, method=method)
    assert lower_bound(points, 3, method=method).sse == bound.sse
    assert lower_bound(points * 2.0**300, 3, method=method).percent == pytest.approx(bound.percent, rel=1e-9)
    assert lower_bound(points * 2.0**-400, 3, method=method).percent == pytest.approx(bound.percent, rel=1e-9)
    assert lower_bound(points + 1e6, 3, method=method).sse == pytest.approx(bound.sse, rel=1e-6)


def test_a_constant_table_loses_nothing():
    bound = lower_bound(np.ones((20, 3)), 4)
    assert (bound.sse, bound.percent) == (0.0, 0.0)
    assert bound.gap(0.0) == 0.0
    assert bound.sentence(0.0) == "the best possible"


def test_the_gap_is_rounded_up_and_a_loss_below_the_bound_is_refused():
    bound = LowerBound(sse=100.0, percent=1.0, k=3, records=9, method="ascent", proven="")
    assert bound.sentence(100.501) == "at most 0.51 % above the best possible"
    assert bound.sentence(112.0) == "at most 12 % above the best possible"
    assert bound.sentence(350.0) == "at most 250 % above the best possible"
    with pytest.raises(DataError, match="a loss of 99 is below 100"):
        bound.gap(99.0)
    nothing = LowerBound(sse=0.0, percent=0.0, k=3, records=9, method="stars", proven="")
    assert "is not known" in nothing.sentence(1.0)


def census(reference_data):
    table = np.loadtxt(reference_data / "census.csv", delimiter=",", skiprows=1)
    return (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)


def test_census(reference_data):
    points = census(reference_data)
    assert lower_bound(points, 3).percent == pytest.approx(4.6460, abs=1e-4)
    assert lower_bound(points, 3, method="ascent").percent > 4.64
    assert lower_bound(points, 5, method="ascent").percent > 7.19
    assert lower_bound(points, 30).percent > 12.0


def test_no_solver_is_loaded_for_what_does_not_need_it(monkeypatch):
    load = builtins.__import__

    def refuse(name, *arguments, **options):
        assert name != "highspy"
        return load(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert lower_bound(np.random.default_rng(0).standard_normal((30, 2)), 3, method="ascent").sse > 0


def test_one_attribute_of_subjects_is_bounded_by_runs_of_records():
    """Groups of k subjects need not be runs, so the cheapest runs of k subjects would be no bound."""
    values = np.random.default_rng(3).standard_normal((40, 1))
    points = Points.of(values).about(np.arange(40) // 2)
    assert lower_bound(points, 3).sse == lower_bound(values, 3).sse
    assert lower_bound(points, 3).sse < loss_of(values, univariate(points, 3))
