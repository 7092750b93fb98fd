"""Tree, scan and twin give the same labels, on tables made to set them apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import mdav as slow_mdav
from reference import vmdav as slow_vmdav
from reference.adversarial import TABLES
from reference.points import mixed_points
from shoal import _core
from shoal.partitioners import mdav, vmdav
from shoal.points import Points

ENGINES = ("scan", "tree", "auto")
GAIN = 1.1


def assert_same(points, k, *, twin=True):
    points = Points.of(points)
    for fast, slow, options in (
        (mdav, slow_mdav.mdav, {}),
        (vmdav, slow_vmdav.vmdav, {"gain": GAIN}),
    ):
        expected = slow(points, k, *options.values()) if twin else fast(points, k, engine="scan", **options)
        assert np.bincount(expected).min() >= k
        for engine in ENGINES:
            np.testing.assert_array_equal(
                fast(points, k, engine=engine, **options), expected, err_msg=f"{fast} {engine}"
            )


@settings(max_examples=100)
@given(
    name=st.sampled_from(sorted(TABLES)),
    seed=st.integers(0, 2**32),
    n=st.integers(2, 110),
    d=st.integers(1, 20) | st.sampled_from([30, 60]),
    k=st.integers(2, 9),
)
def test_adversarial_tables(name, seed, n, d, k):
    assert_same(TABLES[name](np.random.default_rng(seed), max(n, k), d), k)


@pytest.mark.parametrize("name", TABLES)
@every(d=[1, 2, 4, 7, 9, 16, 17])
def test_adversarial_tables_that_fill_several_levels_of_the_tree(name, d):
    assert_same(TABLES[name](np.random.default_rng(d), 1300, d), 5, twin=False)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    name=st.sampled_from(sorted(TABLES)),
    d=st.integers(1, 18),
    kinds=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    levels=st.sampled_from([2, 6, 64, 65, 1000]),
    weight=st.sampled_from([0.0, 1e-300, 1.0, 1e8, 1e300]),
)
def test_adversarial_tables_with_categories(seed, name, d, kinds, levels, weight):
    rng = np.random.default_rng(seed)
    numbers = Points.of(TABLES[name](rng, 90, d))
    categories = mixed_points(rng, 90, 0, *kinds, levels=levels)
    points = numbers.joined(categories)
    points.code_weights[:] = weight
    assert_same(points, 3)


@every(extra=[-1, 0, 1], times=[1, 2, 3], k=[2, 3, 5, 11])
def test_sizes_around_k_2k_and_3k(k, times, extra):
    n = max(k, times * k + extra)
    rng = np.random.default_rng(n)
    assert_same(rng.standard_normal((n, 2)), k)
    assert_same(rng.integers(0, 3, (n, 12)).astype(float), k)
    assert_same(mixed_points(rng, n, 1, 1, 1), k)


@pytest.mark.parametrize("d", [*range(1, 21), 30, 60])
def test_every_dimension(d):
    rng = np.random.default_rng(d)
    assert_same(rng.standard_normal((110, d)), 4)
    assert_same(mixed_points(rng, 110, d, 1, 1), 4)


@pytest.mark.parametrize("levels", [64, 65, 128, 1000])
def test_codes_that_share_a_bit_of_their_set_are_not_taken_for_equal(levels):
    """The tree keeps codes modulo 64: a node where all codes are 64 apart does not hold one code."""
    rng = np.random.default_rng(levels)
    points = Points.build(
        coords=rng.standard_normal((600, 2)) * 1e-3,
        codes=(rng.integers(0, 16, (600, 1)) * 64 + rng.integers(0, 4, (600, 1))) % levels,
        code_weights=[2.0],
        code_levels=[levels],
    )
    assert_same(points, 3, twin=False)
    np.testing.assert_array_equal(mdav(points, 3, engine="tree"), slow_mdav.mdav(points, 3))


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # the twin's, on purpose
@pytest.mark.parametrize("scale", [1e152, 1e154, 1e200, 1e295])
@pytest.mark.parametrize("d", [2, 12])
def test_kernels_stay_in_order_though_squares_overflow(scale, d):
    """The boundary refuses such points; a kernel that meets them anyway still answers, by row where all are as far."""
    rng = np.random.default_rng(d)
    points = Points.of(np.where(rng.random((200, d)) < 0.1, scale, rng.standard_normal((200, d))))
    expected = slow_mdav.mdav(points, 4)
    for engine in ENGINES:
        np.testing.assert_array_equal(_core.mdav(points.records(), 4, engine, None), expected, err_msg=engine)
