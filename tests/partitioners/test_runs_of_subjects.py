"""Runs of k subjects: the kernels find the cuts of the twin, which looks at every run there is, in exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mic1d as slow_mic1d
from reference import projected as slow_projected
from reference import univariate as slow_univariate
from reference.about import SUBJECTS, fewest_subjects
from reference.adversarial import TABLES
from shoal import _core
from shoal.errors import DataError
from shoal.partitioners import blocked, individual, mic1d, projected, univariate
from shoal.partitioners.axis import principal_component
from shoal.points import Points

SEARCHES = ["scan", "divide", "auto"]


def sse(table, labels):
    return sum(((table[labels == g] - table[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1))


def numbered(subjects):
    return np.unique(subjects, return_inverse=True)[1].astype(np.int32)


def assert_equals_twin(values, k, subjects, *, uncut=False):
    expected = slow_univariate.univariate(values, k, subjects, uncut=uncut)
    assert fewest_subjects(expected, subjects) >= k
    for search in SEARCHES:
        found = _core.univariate(np.asarray(values, dtype=float), k, numbered(subjects), search)
        np.testing.assert_array_equal(found, expected, err_msg=search)
    np.testing.assert_array_equal(univariate(Points.of(values).about(subjects), k), expected)


@settings(max_examples=120)
@given(
    name=st.sampled_from(sorted(SUBJECTS)),
    seed=st.integers(0, 2**32),
    n=st.integers(2, 70),
    k=st.integers(2, 9),
    distinct=st.integers(1, 60),
)
def test_ties(name, seed, n, k, distinct):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    assert_equals_twin(rng.integers(0, distinct, n).astype(float), k, SUBJECTS[name](rng, n, k))


@settings(max_examples=50)
@given(
    name=st.sampled_from(sorted(SUBJECTS)),
    seed=st.integers(0, 2**32),
    n=st.integers(2, 110),
    k=st.integers(2, 12),
    offset=st.sampled_from([0.0, -3e5, 1e12]),
)
def test_continuous_values_with_a_common_offset(name, seed, n, k, offset):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    assert_equals_twin(offset + rng.standard_normal(n), k, SUBJECTS[name](rng, n, k))


@settings(max_examples=60)
@given(name=st.sampled_from(sorted(SUBJECTS)), seed=st.integers(0, 2**32), n=st.integers(2, 60), k=st.integers(2, 6))
def test_no_run_that_can_be_cut_is_in_the_cheapest_cut(name, seed, n, k):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    values, subjects = rng.integers(0, 12, n).astype(float), SUBJECTS[name](rng, n, k)
    np.testing.assert_array_equal(
        slow_univariate.univariate(values, k, subjects), slow_univariate.univariate(values, k, subjects, uncut=True)
    )


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("k", [2, 30])
def test_many_regions(name, k):
    """The kernel takes the rows in regions, whose length follows the runs, and starts its sums anew in each."""
    rng = np.random.default_rng(k)
    n = 1200
    subjects = SUBJECTS[name](rng, n, k)
    values = np.sort(np.round(rng.standard_normal(n) * 300))
    assert_equals_twin(values, k, subjects, uncut=True)


def test_runs_grow_and_shrink_along_the_order():
    """Blocks of one subject among records of many: windows of a few starts and of hundreds, one after the other."""
    rng = np.random.default_rng(1)
    parts = [np.arange(200), np.full(300, 1000), np.arange(200, 205), np.full(250, 1001), np.arange(300, 700)]
    subjects = np.concatenate(parts)
    for values in (np.arange(float(len(subjects))), np.sort(np.round(np.exp(3 * rng.standard_normal(len(subjects)))))):
        for k in (2, 9):
            assert_equals_twin(values, k, subjects, uncut=True)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_where_each_record_is_a_subject_of_its_own_nothing_changes(k):
    rng = np.random.default_rng(k)
    values = np.round(rng.standard_normal(3000) * 100)
    points = Points.of(values).about(rng.permutation(3000))
    np.testing.assert_array_equal(univariate(points, k), univariate(values, k))
    table = rng.standard_normal((2000, 3))
    points = Points.of(table).about(rng.permutation(2000))
    np.testing.assert_array_equal(projected(points, k), projected(table, k))
    np.testing.assert_array_equal(individual(points, k), individual(table, k))


@settings(max_examples=60)
@given(
    name=st.sampled_from(sorted(SUBJECTS)),
    table=st.sampled_from(sorted(set(TABLES) - {"rows of every scale", "columns of every scale", "far record"})),
    seed=st.integers(0, 2**32),
    n=st.integers(2, 80),
    k=st.integers(2, 8),
    d=st.integers(1, 4),
)
def test_projected_is_the_twin(name, table, seed, n, k, d):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    values, subjects = TABLES[table](rng, n, d), SUBJECTS[name](rng, n, k)
    line = principal_component(values)
    found = projected(Points.of(values).about(subjects), k)
    np.testing.assert_array_equal(found, slow_projected.projected(values, line.tolist(), k, subjects))


@pytest.mark.parametrize("name", SUBJECTS)
def test_projected_over_many_regions(name):
    rng = np.random.default_rng(3)
    values, subjects = np.round(rng.standard_normal((1100, 2)) * 100), SUBJECTS[name](rng, 1100, 5)
    line = principal_component(values)
    found = projected(Points.of(values).about(subjects), 5)
    np.testing.assert_array_equal(found, slow_projected.projected(values, line.tolist(), 5, subjects, uncut=True))


def test_more_starts_than_are_compared_leave_runs_of_k_subjects():
    """Forty subjects of 1,000 records side by side: up to 5,000 starts for a run of five of them."""
    rng = np.random.default_rng(4)
    subjects = np.repeat(np.arange(40), 1000)
    table = np.column_stack([np.arange(40_000.0), rng.standard_normal(40_000)])
    labels = projected(Points.of(table).about(subjects), 5)
    assert fewest_subjects(labels, subjects) >= 5
    assert (np.diff(labels[np.argsort(principal_component(table), kind="stable")]) >= 0).all()
    # One attribute is searched to the end, whatever the number of starts.
    values = Points.of(table[:, 0]).about(subjects)
    exact, compared = univariate(values, 5), projected(values, 5)
    assert fewest_subjects(exact, subjects) >= 5
    assert fewest_subjects(compared, subjects) >= 5
    assert sse(values.coords, exact) <= sse(values.coords, compared)


@settings(max_examples=80)
@given(
    name=st.sampled_from(sorted(SUBJECTS)),
    seed=st.integers(0, 2**32),
    n=st.integers(2, 30),
    d=st.integers(1, 4),
    k=st.integers(2, 12),
    distinct=st.sampled_from([0, 1, 2, 7]),
    cut=st.sampled_from(["fixed", "optimal"]),
)
def test_mic1d_is_the_twin(name, seed, n, d, k, distinct, cut):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    table = rng.integers(0, distinct, (n, d)).astype(float) if distinct else rng.standard_normal((n, d))
    subjects = SUBJECTS[name](rng, n, k)
    masked = mic1d(Points.of(table).about(subjects), k, cut=cut)
    np.testing.assert_array_equal(masked, slow_mic1d.mic1d(table, k, cut, subjects.tolist()))


@pytest.mark.parametrize("cut", ["fixed", "optimal"])
def test_mic1d_counts_subjects_and_not_values(cut):
    rng = np.random.default_rng(5)
    values = rng.standard_normal((60, 1))
    own = mic1d(Points.of(values).about(np.arange(60)), 6, cut=cut)
    np.testing.assert_array_equal(own, mic1d(values, 6, cut=cut))  # 60 values in runs of 6, none is left over
    few = mic1d(Points.of(values).about(np.arange(60) % 7), 6, cut=cut)
    assert len(np.unique(few)) < len(np.unique(own))


def test_individual_and_blocks_count_subjects_in_each_column():
    rng = np.random.default_rng(6)
    points = Points.of(rng.standard_normal((200, 3))).about(rng.integers(0, 30, 200))
    labels = individual(points, 4)
    for j in range(3):
        np.testing.assert_array_equal(labels[:, j], univariate(points.select([j]), 4))
        assert fewest_subjects(labels[:, j], points.subjects) >= 4
    parts = blocked(points, 4, blocks=[[0, 1], [2]], partition=projected)
    for j in range(2):
        assert fewest_subjects(parts[:, j], points.subjects) >= 4


@pytest.mark.parametrize("method", [univariate, individual, projected, mic1d])
def test_too_few_subjects_are_refused_though_there_are_records(method):
    points = Points.of(np.arange(20.0)).about(np.arange(20) % 3)
    assert method(points, 3).shape[0] == 20
    with pytest.raises(DataError, match="only 3 different subjects"):
        method(points, 4)
