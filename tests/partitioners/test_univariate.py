"""Optimal univariate: the kernel finds what exact arithmetic and exhaustive search find, label for label."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import cheapest_runs as exact
from reference import univariate as reference
from shoal import _core
from shoal.errors import DataError, PlanError
from shoal.partitioners import univariate
from shoal.points import Points

SEARCHES = ["scan", "divide"]
NOBODY = np.empty(0, dtype=np.int32)


def assert_equals_twin(values, k):
    expected = reference.univariate(values, k)
    np.testing.assert_array_equal(univariate(values, k), expected)
    for search in SEARCHES:
        np.testing.assert_array_equal(_core.univariate(values, k, NOBODY, search), expected)


def sse(values, labels):
    rows = exact.whole(np.asarray(values)[:, None])
    groups = [[rows[i] for i in np.flatnonzero(labels == group)] for group in np.unique(labels)]
    return sum((exact.sse(group) for group in groups), Fraction(0))


@settings(max_examples=40)
@given(values=st.lists(st.integers(-4, 9) | st.floats(-5, 5, width=16), min_size=2, max_size=8), k=st.integers(2, 3))
def test_no_partition_is_cheaper(values, k):
    if len(values) < k:
        return
    rows = exact.whole(np.array(values, dtype=float)[:, None])
    cheapest = min(
        sum((exact.sse([rows[i] for i in group]) for group in groups), Fraction(0))
        for groups in exact.partitions(len(values), k)
    )
    assert sse(np.array(values, dtype=float), univariate(values, k)) == cheapest


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 150), k=st.integers(2, 12), distinct=st.integers(1, 60))
def test_ties(seed, n, k, distinct):
    values = np.random.default_rng(seed).integers(0, distinct, max(n, k)).astype(float)
    assert_equals_twin(values, k)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32), n=st.integers(2, 300), k=st.integers(2, 40), offset=st.sampled_from([0.0, -3e5, 1e12])
)
def test_continuous_values_with_a_common_offset(seed, n, k, offset):
    assert_equals_twin(offset + np.random.default_rng(seed).standard_normal(max(n, k)), k)


@every(extra=[-1, 0, 1], times=[1, 2, 3, 4], k=[2, 5, 24])
def test_sizes_around_multiples_of_k(k, times, extra):
    n = times * k + extra
    if n < k:
        return
    values = np.random.default_rng(n).standard_normal(n)
    assert_equals_twin(values, k)
    sizes = np.bincount(univariate(values, k))
    assert k <= sizes.min()
    assert sizes.max() < 2 * k


@pytest.mark.parametrize("k", [2, 3, 10, 33, 100])
def test_many_regions(k):
    """The kernel takes the rows in regions, and starts its sums anew in each."""
    rng = np.random.default_rng(k)
    n = 4000 if k < 20 else 1500
    assert_equals_twin(rng.standard_normal(n), k)
    assert_equals_twin(np.round(rng.standard_normal(n) * 50), k)
    assert_equals_twin(np.arange(float(n)), k)
    assert_equals_twin(-np.exp(4 * rng.standard_normal(n)), k)  # the costly end comes first


ADVERSARIAL = {
    "all equal": np.full(200, 0.1),
    "two values": np.repeat([0.1, 0.7], [77, 123]),
    "negative zero": np.tile([0.0, -0.0, 0.0, -1.0], 30),
    "denormals": np.random.default_rng(1).integers(0, 9, 200) * 5e-324,
    "largest doubles": np.random.default_rng(2).choice([-1.7e308, -1e308, 1e308, 1.7e308], 200),
    "offset": 1e12 + np.random.default_rng(3).integers(0, 9, 200) / 8192,
    "decimals": np.random.default_rng(4).integers(0, 30, 200) / 10,
    "one far value": np.append(np.random.default_rng(5).standard_normal(199), 1e9),
    "sorted downwards": -(np.arange(200.0) ** 2),
}


@every(k=[2, 3, 7, 30, 101], name=ADVERSARIAL)
def test_adversarial(name, k):
    assert_equals_twin(ADVERSARIAL[name], k)


@pytest.mark.parametrize("k", [2, 5, 30])
@pytest.mark.parametrize("seed", range(5))
def test_values_of_every_magnitude_at_once(k, seed):
    """Where 106 bits do not span the values, labels may differ from exact arithmetic; the cost may not."""
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.0, 1.0], 200) * 10.0 ** rng.uniform(-300, 300, 200)
    least = sse(values, reference.univariate(values, k))
    for search in SEARCHES:
        found = sse(values, _core.univariate(values, k, NOBODY, search))
        assert least <= found <= least * (1 + Fraction(1, 2**60))


def test_searches_agree_on_many_values():
    rng = np.random.default_rng(7)
    for values in (rng.standard_normal(300_000), np.round(rng.standard_normal(300_000) * 100)):
        for k in (3, 50):
            np.testing.assert_array_equal(*(_core.univariate(values, k, NOBODY, search) for search in SEARCHES))


def test_order_of_rows_changes_nothing_but_ties():
    rng = np.random.default_rng(8)
    values = rng.standard_normal(500)
    order = rng.permutation(500)
    np.testing.assert_array_equal(univariate(values[order], 4), univariate(values, 4)[order])


def test_an_ordinal_attribute_takes_part_by_rank():
    ranks = np.array([[2], [0], [1], [0], [2], [3]])
    points = Points.build(ranks=ranks, rank_steps=[0.25], rank_levels=[4], rank_convex=[False])
    np.testing.assert_array_equal(univariate(points, 2), univariate(ranks[:, 0].astype(float), 2))


def test_input_is_untouched_and_progress_ends_at_the_total():
    values = np.random.default_rng(9).standard_normal(200_000)
    before = values.copy()
    calls = []
    univariate(values, 3, progress=lambda done, total: calls.append((done, total)))
    np.testing.assert_array_equal(values, before)
    assert calls[-1] == (200_000, 200_000)
    assert calls == sorted(calls)


def test_refusals():
    with pytest.raises(PlanError, match="k must be at least 2"):
        univariate([1.0, 2.0, 3.0], 1)
    with pytest.raises(DataError, match="only 3 records"):
        univariate([1.0, 2.0, 3.0], 4)
    with pytest.raises(DataError, match=r"one attribute, not 2.*individual"):
        univariate(np.zeros((5, 2)), 2)
    with pytest.raises(DataError, match="finite"):
        univariate([1.0, np.nan, 3.0], 2)
    nominal = Points.build(codes=np.zeros((5, 1)), code_weights=[1.0], code_levels=[1])
    with pytest.raises(DataError, match="nominal: take mdav, vmdav or cells"):
        univariate(nominal, 2)
