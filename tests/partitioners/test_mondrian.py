"""Mondrian: the kernel finds the twin's cells, and cuts where it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import mondrian as reference
from reference.adversarial import TABLES
from reference.points import mixed_points
from shoal.errors import DataError
from shoal.partitioners import mondrian
from shoal.points import Points


def assert_equals_twin(points, k):
    points = Points.of(points)
    np.testing.assert_array_equal(mondrian(points, k), reference.mondrian(points, k))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 150), k=st.integers(2, 9), d=st.integers(1, 8))
def test_normal_values(seed, n, k, d):
    assert_equals_twin(np.random.default_rng(seed).standard_normal((max(n, k), d)), k)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(6, 120), k=st.integers(2, 5), distinct=st.integers(1, 9))
def test_mixed_attributes_and_subjects(seed, n, k, distinct):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, n, 2, 2, 2, distinct=distinct)
    assert_equals_twin(points, k)
    assert_equals_twin(points.about(np.append(rng.integers(0, 8, n - k), np.arange(k))), k)


@every(name=TABLES, n=[3, 5, 6, 10, 60])
def test_adversarial_tables(name, n):
    assert_equals_twin(TABLES[name](np.random.default_rng(5), n, 2), 3)


def test_sixty_columns():
    assert_equals_twin(np.random.default_rng(6).standard_normal((90, 60)), 4)


def test_groups_have_k_to_2k_minus_1():
    sizes = np.bincount(mondrian(np.random.default_rng(7).standard_normal((1003, 3)), 5))
    assert sizes.min() >= 5
    assert sizes.max() <= 9


def test_the_first_cut_is_across_the_greatest_variance():
    points = np.random.default_rng(8).standard_normal((40, 3)) * [1, 5, 2]
    labels = mondrian(points, 20)
    assert points[labels == 0, 1].max() < points[labels == 1, 1].min()


def test_too_few_subjects_are_refused():
    with pytest.raises(DataError, match="k is 3"):
        mondrian(Points.of(np.arange(6.0)).about([0, 0, 0, 1, 1, 1]), 3)
