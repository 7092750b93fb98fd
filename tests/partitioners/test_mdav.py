"""MDAV: the kernel gives the twin's labels, on every input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import mdav as reference
from reference.points import mixed_points, repeated_points
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav
from shoal.points import Points


def assert_equals_twin(points, k):
    points = Points.of(points)
    expected = reference.mdav(points, k)
    for engine in ("scan", "tree", "auto"):
        np.testing.assert_array_equal(mdav(points, k, engine=engine), expected, err_msg=engine)


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 70),
    k=st.integers(2, 9),
    kinds=st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)).filter(any),
)
def test_mixed_attributes_with_ties(seed, n, k, kinds):
    assert_equals_twin(mixed_points(np.random.default_rng(seed), max(n, k), *kinds), k)


@pytest.mark.parametrize("kinds", [(1, 0, 0), (2, 1, 1), (0, 0, 2), (9, 0, 0), (12, 1, 1)])
@pytest.mark.parametrize("different", [1, 7, 150])
def test_many_equal_records(kinds, different):
    assert_equals_twin(repeated_points(np.random.default_rng(different), 700, different, *kinds), 5)


@every(extra=[-1, 0, 1], times=[1, 2, 3, 4], k=[2, 3, 5])
def test_sizes_around_multiples_of_k(k, times, extra):
    n = times * k + extra
    if n < k:
        return
    points = np.random.default_rng(n).standard_normal((n, 3))
    assert_equals_twin(points, k)
    sizes = np.bincount(mdav(points, k))
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


ADVERSARIAL = {
    "all equal": np.zeros((100, 3)),
    "constant column": np.column_stack([np.full(100, 7.0), np.random.default_rng(0).standard_normal(100)]),
    "duplicates": np.repeat(np.random.default_rng(1).standard_normal((25, 3)), 4, axis=0),
    "huge offset": 1e12 + np.random.default_rng(2).standard_normal((100, 4)),
    "denormals": np.random.default_rng(3).integers(0, 9, (100, 2)) * 5e-324,
    "tiny and huge": np.random.default_rng(4).choice([1e-160, 1.0, 1e150, -1e150], (100, 3)),
    "a grid": np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), axis=-1).reshape(-1, 2),
    "two far clouds": np.random.default_rng(6).standard_normal((100, 2)) + np.repeat([[0.0], [1e6]], 50, axis=0),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
@pytest.mark.parametrize("k", [2, 7])
def test_adversarial_inputs(name, k):
    assert_equals_twin(ADVERSARIAL[name], k)


def test_a_record_is_in_its_own_group_though_duplicates_have_lower_rows():
    points = np.array([[1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [9.0], [9.0], [9.0]])
    assert_equals_twin(points, 2)


def test_k_changes_the_groups():
    points = np.random.default_rng(0).standard_normal((60, 2))
    assert mdav(points, 3).max() == 19
    assert mdav(points, 6).max() == 9


@pytest.mark.parametrize("kinds", [(3, 0, 0), (2, 1, 1), (0, 2, 2), (0, 0, 3), (1, 0, 1)])
def test_tree_equals_scan_through_rebuilds(kinds):
    points = mixed_points(np.random.default_rng(7), 6000, *kinds, distinct=500, levels=100)
    np.testing.assert_array_equal(mdav(points, 3, engine="tree"), mdav(points, 3, engine="scan"))


def shaped(shape, n, d):
    rng = np.random.default_rng(11)
    if shape == "normal":
        return rng.standard_normal((n, d))
    if shape == "skewed":  # the average drifts as the tail is taken
        return rng.exponential(size=(n, d)) ** 2
    if shape == "heavy-tailed":
        return rng.standard_t(1, (n, d))
    if shape == "clustered":
        return rng.standard_normal((7, d))[rng.integers(0, 7, n)] * 20 + rng.standard_normal((n, d))
    return np.floor(rng.standard_normal((n, d)) * 1.5)


@pytest.mark.parametrize("d", [2, 5, 8, 12, 17])
@pytest.mark.parametrize("shape", ["normal", "skewed", "heavy-tailed", "clustered", "duplicates"])
def test_tree_equals_scan_on_every_shape(shape, d):
    points = shaped(shape, 5000, d)
    expected = mdav(points, 4, engine="scan")
    np.testing.assert_array_equal(mdav(points, 4, engine="tree"), expected)
    np.testing.assert_array_equal(mdav(points, 4, engine="auto"), expected)  # which may change from one to the other


def test_an_unknown_engine_is_refused():
    with pytest.raises(PlanError, match='engine must be "auto", "tree" or "scan", not "quick"'):
        mdav([[1.0], [2.0]], 2, engine="quick")


def test_progress_hears_the_end():
    heard = []
    mdav(
        np.random.default_rng(0).standard_normal((500, 2)), 3, progress=lambda done, total: heard.append((done, total))
    )
    assert heard[-1] == (500, 500)


def test_an_error_in_progress_stops_the_kernel():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mdav(np.random.default_rng(0).standard_normal((500, 2)), 3, progress=stop)


def test_the_input_is_left_alone():
    points = np.random.default_rng(0).standard_normal((50, 3))
    before = points.copy()
    mdav(points, 3)
    np.testing.assert_array_equal(points, before)


@pytest.mark.parametrize(
    ("points", "k", "error", "message"),
    [
        ([[1.0], [2.0]], 1, PlanError, "k must be at least 2"),
        ([[1.0], [2.0]], 3, DataError, "only 2 records"),
        ([[1.0], [np.nan]], 2, DataError, "finite"),
        ([[1.0], [-np.inf]], 2, DataError, "finite"),
        ([[1.0, 1.0], [2.0, -1e200]], 2, DataError, "within ±1e\\+150, but column 1 has a value beyond: scale"),
        (np.zeros((2, 2, 2)), 2, DataError, "table"),
    ],
)
def test_refuses(points, k, error, message):
    with pytest.raises(error, match=message):
        mdav(points, k)
