"""Projected: the kernel finds the twin's groups, and the axis is the one that is promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import projected as reference
from shoal.errors import DataError, PlanError
from shoal.partitioners import projected, univariate
from shoal.partitioners.axis import principal_component, sum_of_zscores
from shoal.points import Points

LINES = {"pcp": reference.principal_component, "zscores": reference.sum_of_zscores}


def assert_equals_twin(table, k):
    for axis, line in LINES.items():
        np.testing.assert_array_equal(projected(table, k, axis=axis), reference.projected(table, line(table), k))


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 120), k=st.integers(2, 9), d=st.integers(1, 8))
def test_normal_values(seed, n, k, d):
    assert_equals_twin(np.random.default_rng(seed).standard_normal((max(n, k), d)), k)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(20, 120), k=st.integers(2, 6), d=st.integers(1, 5))
def test_duplicated_records(seed, n, k, d):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((n // 4 + 1, d))[rng.integers(0, n // 4 + 1, n)]
    assert_equals_twin(table, k)


@pytest.mark.parametrize("k", [2, 10, 60])
def test_many_regions(k):
    assert_equals_twin(np.random.default_rng(k).standard_normal((1500, 3)), k)


def test_a_large_common_offset_changes_nothing():
    rng = np.random.default_rng(1)
    table = np.round(rng.standard_normal((300, 4)) * 1000)
    for axis in LINES:
        labels = projected(table, 5, axis=axis)
        np.testing.assert_array_equal(labels, projected(table + 1e12, 5, axis=axis))
        np.testing.assert_array_equal(labels, projected(table * 2.0**900, 5, axis=axis))
        np.testing.assert_array_equal(labels, projected(table * 2.0**-900, 5, axis=axis))


def test_largest_doubles():
    table = np.random.default_rng(2).choice([-1.7e308, 1e308, 1.7e308], (60, 3))
    for axis in LINES:
        assert np.bincount(projected(table, 4, axis=axis)).min() >= 4


def test_one_attribute_is_univariate():
    values = np.random.default_rng(3).standard_normal(200)
    for axis in LINES:
        np.testing.assert_array_equal(projected(values, 4, axis=axis), univariate(values, 4))


def test_the_axis_changes_the_groups():
    table = np.random.default_rng(4).standard_normal((100, 3)) * [1, 5, 25]
    assert (projected(table, 3, axis="pcp") != projected(table, 3, axis="zscores")).any()


def test_the_first_component_has_the_largest_variance():
    rng = np.random.default_rng(5)
    table = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 6)) + 1e6
    line = principal_component(table)
    largest = np.linalg.eigvalsh(np.cov(table.T))[-1]
    scale = 2.0 ** np.frexp(np.ptp(table, axis=0).max())[1]
    assert np.var(line, ddof=1) * scale**2 == pytest.approx(largest)


def test_the_axis_points_the_way_of_its_largest_loading():
    rng = np.random.default_rng(6)
    table = rng.standard_normal((100, 1)) * [1.0, -3.0, 2.0] + 0.01 * rng.standard_normal((100, 3))
    assert np.corrcoef(principal_component(table), table[:, 1])[0, 1] > 0.99
    assert np.corrcoef(principal_component(-table), -table[:, 1])[0, 1] > 0.99


def test_where_all_directions_are_equal_the_first_attribute_is_the_axis():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert principal_component(square).tolist() == [-0.25, -0.25, 0.25, 0.25]


def test_equal_records_have_the_same_place():
    rng = np.random.default_rng(7)
    table = np.tile(rng.standard_normal((37, 5)), (9, 1))
    for axis in (principal_component, sum_of_zscores):
        assert len(np.unique(axis(table))) == 37


def test_constant_attributes_add_nothing():
    table = np.column_stack([np.full(50, 3.0), np.random.default_rng(8).standard_normal(50), np.full(50, -1e9)])
    for axis in LINES:
        np.testing.assert_array_equal(projected(table, 3, axis=axis), univariate(table[:, 1], 3))


def test_all_equal_records_are_grouped_by_row():
    labels = projected(np.full((20, 3), 0.1), 3)
    assert labels.tolist() == sorted(labels.tolist())
    assert np.bincount(labels).tolist() == [5, 3, 3, 3, 3, 3]


def test_ordinal_attributes_take_part_by_rank():
    rng = np.random.default_rng(9)
    ranks = rng.integers(0, 4, (40, 1))
    coords = rng.standard_normal((40, 1))
    points = Points.build(coords=coords, ranks=ranks, rank_steps=[0.25], rank_levels=[4], rank_convex=[False])
    np.testing.assert_array_equal(projected(points, 3), projected(np.column_stack([coords, ranks * 0.25]), 3))


def test_refusals():
    with pytest.raises(PlanError, match="axis must be 'pcp' or 'zscores', not 'x'"):
        projected(np.zeros((5, 2)), 2, axis="x")
    nominal = Points.build(codes=np.zeros((5, 1)), code_weights=[1.0], code_levels=[1])
    with pytest.raises(DataError, match="nominal: take mdav, vmdav or cells"):
        projected(nominal, 2)
