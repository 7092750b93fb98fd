"""V-MDAV: the kernel gives the twin's labels, on every input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import vmdav as reference
from reference.points import mixed_points, repeated_points
from shoal.errors import DataError, PlanError
from shoal.partitioners import vmdav
from shoal.points import Points


def assert_equals_twin(points, k, gain):
    points = Points.of(points)
    expected = reference.vmdav(points, k, gain)
    assert np.bincount(expected).min() >= k
    for engine in ("scan", "tree", "auto"):
        np.testing.assert_array_equal(vmdav(points, k, gain=gain, engine=engine), expected, err_msg=engine)


gains = st.sampled_from([0.0, 0.2, 0.9, 1.1, 2.0, 50.0])


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 60),
    k=st.integers(2, 7),
    gain=gains,
    kinds=st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any),
    distinct=st.sampled_from([2, 20]),
)
def test_mixed_attributes_with_ties(seed, n, k, gain, kinds, distinct):
    assert_equals_twin(mixed_points(np.random.default_rng(seed), max(n, k), *kinds, distinct=distinct), k, gain)


@pytest.mark.parametrize("kinds", [(1, 0, 0), (2, 1, 1), (0, 0, 2), (9, 0, 0), (12, 1, 1)])
@pytest.mark.parametrize("different", [1, 7, 150])
def test_many_equal_records(kinds, different):
    assert_equals_twin(repeated_points(np.random.default_rng(different), 700, different, *kinds), 5, 1.1)


@pytest.mark.parametrize("d", [1, 2, 3, 7, 12, 20])
def test_dimensions(d):
    assert_equals_twin(np.random.default_rng(d).standard_normal((120, d)), 4, 1.1)


def test_clusters_are_kept_whole():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]])
    points = np.repeat(centres, 5, axis=0) + rng.standard_normal((20, 2))
    labels = vmdav(points, 3, gain=1.1)
    assert [len(set(labels[i : i + 5])) for i in range(0, 20, 5)] == [1, 1, 1, 1]
    assert_equals_twin(points, 3, 1.1)


def test_gain_changes_the_groups():
    points = np.random.default_rng(1).standard_normal((200, 2))
    assert np.bincount(vmdav(points, 4, gain=0.0))[:-1].max() <= 2 * 4
    assert vmdav(points, 4, gain=2.0).max() < vmdav(points, 4, gain=0.2).max() <= vmdav(points, 4, gain=0.0).max()


def test_tree_equals_scan_through_rebuilds():
    points = mixed_points(np.random.default_rng(7), 4000, 2, 1, 1, distinct=500, levels=100)
    np.testing.assert_array_equal(vmdav(points, 3, gain=1.1, engine="tree"), vmdav(points, 3, gain=1.1, engine="scan"))


def test_progress_hears_the_end():
    heard = []
    vmdav(np.arange(50.0), 3, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (50, 50)


@pytest.mark.parametrize("gain", [-0.1, np.nan, np.inf])
def test_refuses_a_gain_that_makes_no_sense(gain):
    with pytest.raises(PlanError, match="gain must be"):
        vmdav([[1.0], [2.0]], 2, gain=gain)


def test_refuses_too_few_records():
    with pytest.raises(DataError, match="only 2 records"):
        vmdav([[1.0], [2.0]], 3)
