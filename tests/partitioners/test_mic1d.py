"""Mic1D-k: the kernel gives the twin's values, and the twin those of the paper's steps in exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mic1d as reference
from shoal.errors import DataError, PlanError
from shoal.partitioners import mic1d


def tables(seed, n, d, distinct):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-3, 4, d)
    if distinct:
        return rng.integers(0, distinct, (n, d)) * scale
    return rng.standard_normal((n, d)) * scale


@settings(max_examples=120)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    k=st.integers(2, 40),
    distinct=st.sampled_from([0, 1, 2, 7]),
    cut=st.sampled_from(["fixed", "optimal"]),
)
def test_equals_the_twin(seed, n, d, k, distinct, cut):
    table = tables(seed, n, d, distinct)
    if table.size < k:
        return
    np.testing.assert_array_equal(mic1d(table, k, cut=cut), reference.mic1d(table, k, cut))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 40), k=st.integers(2, 30), distinct=st.sampled_from([2, 7, 40]))
def test_follows_the_paper_to_the_letter(seed, n, k, distinct):
    # Whole numbers: places that are equal in exact arithmetic are equal doubles too.
    table = np.random.default_rng(seed).integers(0, distinct, (n, 3)).astype(float)
    if table.size < k:
        return
    np.testing.assert_allclose(mic1d(table, k), reference.mic1d_to_the_letter(table, k), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("cut", ["fixed", "optimal"])
def test_thousands_of_values(cut):
    rng = np.random.default_rng(1)
    table = rng.lognormal(size=(500, 4)) * [1, 10, 100, 1000]
    for k in (2, 7, 150, 1001):
        np.testing.assert_array_equal(mic1d(table, k, cut=cut), reference.mic1d(table, k, cut))


def test_by_hand():
    # Runs 1 2 3 | 10 30 50, both at places 0 ½ 1; places 0 0 ½ | ½ 1 1 with means 1/6 and 5/6.
    masked = mic1d([[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]], 3)
    np.testing.assert_allclose(masked, [[1 + 1 / 3, 10 + 20 / 3], [1 + 1 / 3, 30 + 40 / 3], [3 - 1 / 3, 50 - 20 / 3]])


def test_values_stay_within_their_run_and_are_few():
    table = np.random.default_rng(2).standard_normal((500, 3))
    masked = mic1d(table, 250)
    assert len(np.unique(masked)) <= 6 * 6
    assert masked.min() >= table.min()
    assert masked.max() <= table.max()


def test_a_run_of_equal_values_keeps_them():
    table = np.repeat([[0.1, 5.0, 7.0]], 10, axis=0)
    np.testing.assert_array_equal(mic1d(table, 10), table)


def test_more_values_in_a_run_leave_fewer_distinct_ones():
    table = np.random.default_rng(3).standard_normal((1000, 2))
    assert len(np.unique(mic1d(table, 500))) < len(np.unique(mic1d(table, 50)))


def test_the_optimal_cut_does_not_reach_across_gaps():
    rng = np.random.default_rng(4)
    table = rng.standard_normal((1100, 3)) + rng.choice([0, 10, 30, 100], (1100, 3))

    def sse(cut):
        return ((mic1d(table, 100, cut=cut) - table) ** 2).sum()

    assert sse("optimal") < sse("fixed") / 10


def test_one_attribute_keeps_its_shape():
    values = np.random.default_rng(5).standard_normal(50)
    assert mic1d(values, 7).shape == (50,)
    np.testing.assert_array_equal(mic1d(values, 7), mic1d(values[:, None], 7)[:, 0])


def test_an_offset_and_the_largest_doubles():
    rng = np.random.default_rng(6)
    table = rng.integers(0, 8192, (100, 2)) / 8192.0
    np.testing.assert_allclose(mic1d(table + 1e9, 20) - 1e9, mic1d(table, 20), atol=1e-6)
    huge = rng.choice([-1.7e308, -1e308, 0.0, 1e308, 1.7e308], (100, 2))
    masked = mic1d(huge, 150)
    assert np.isfinite(masked).all()
    np.testing.assert_allclose(masked / 1e308, mic1d(huge / 1e308, 150), rtol=1e-12, atol=1e-12)


def test_input_is_untouched_and_progress_ends_at_the_total():
    table = np.random.default_rng(7).standard_normal((100_000, 2))
    before = table.copy()
    for cut in ("fixed", "optimal"):
        calls = []
        mic1d(table, 100, cut=cut, progress=lambda done, total, calls=calls: calls.append((done, total)))
        assert calls[-1] == (200_000, 200_000)
        assert calls == sorted(calls)
    np.testing.assert_array_equal(table, before)


def test_an_exception_in_the_callback_stops_the_run():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mic1d(np.random.default_rng(8).standard_normal((100, 2)), 5, progress=stop)


def test_refusals():
    with pytest.raises(PlanError, match="cut must be 'fixed' or 'optimal', not 'best'"):
        mic1d(np.zeros((5, 2)), 2, cut="best")
    with pytest.raises(PlanError, match="k must be at least 2, not 1"):
        mic1d(np.zeros((5, 2)), 1)
    with pytest.raises(DataError, match="only 10 values"):
        mic1d(np.zeros((5, 2)), 11)
    with pytest.raises(DataError, match="finite"):
        mic1d([[1.0, np.inf]], 2)
