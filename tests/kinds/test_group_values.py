import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reference import operators as slow
from shoal.kinds.group_values import group_convex_median, group_mean, group_median
from shoal.kinds.precision import decimals_of


@st.composite
def grouped_codes(draw):
    n = draw(st.integers(1, 40))
    levels = draw(st.integers(1, 6))
    codes = draw(hnp.arrays(np.int32, n, elements=st.integers(0, levels - 1)))
    raw = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 5)))
    return codes, np.unique(raw, return_inverse=True)[1].astype(np.int64), levels


@given(grouped_codes())
def test_median_and_convex_median_equal_their_definitions(case):
    codes, labels, levels = case
    count = int(labels.max()) + 1
    assert np.array_equal(group_median(codes, labels, count), slow.by_group(slow.median, codes, labels))
    expected = slow.by_group(lambda ranks: slow.convex_median(ranks, levels), codes, labels)
    assert np.array_equal(group_convex_median(codes, labels, count, levels), expected)


@pytest.mark.parametrize("levels", [1, 50, 3_000])
def test_convex_median_of_few_of_many_categories(levels):
    rng = np.random.default_rng(levels)
    labels = np.unique(rng.integers(0, 25, 150), return_inverse=True)[1]
    ranks = np.floor(levels * rng.random(150) ** rng.choice([1, 4])).astype(np.int32)
    expected = slow.by_group(lambda own: slow.convex_median(own, levels), ranks, labels)
    assert np.array_equal(group_convex_median(ranks, labels, int(labels.max()) + 1, levels), expected)


def test_convex_median_holds_no_cells_of_categories_that_a_group_does_not_have():
    ranks, labels = np.array([0, 2**31 - 2], dtype=np.int32), np.zeros(2, dtype=np.int64)
    assert group_convex_median(ranks, labels, 1, 2**31 - 1).tolist() == [2**30 - 1]


@given(
    hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e6, 1e6)),
    st.integers(1, 5),
    st.sampled_from([0.0, 1e12]),
)
def test_mean_is_close_to_exact_arithmetic_whatever_the_offset(values, groups, offset):
    values = values + offset
    labels = np.unique(np.arange(len(values)) % groups, return_inverse=True)[1]
    count = int(labels.max()) + 1
    weights = 1.0 + np.arange(len(values)) % 3
    expected = slow.by_group(slow.mean, values, labels)
    np.testing.assert_allclose(group_mean(values, labels, count), expected, rtol=1e-14, atol=1e-7)
    weighted = slow.by_group(slow.mean, values, labels, weights)
    np.testing.assert_allclose(group_mean(values, labels, count, weights), weighted, rtol=1e-14, atol=1e-7)


@pytest.mark.parametrize("value", [0.1, 1e300, 5e-324, -123456789.123])
def test_a_constant_group_keeps_its_value_to_the_last_bit(value):
    values = np.full(7, value)
    assert group_mean(values, np.zeros(7, dtype=np.int64), 1)[0] == value


def test_a_group_without_values_does_not_disturb_the_others():
    labels = np.array([0, 2, 2])
    assert group_mean(np.array([1.0, 2.0, 4.0]), labels, 3)[[0, 2]].tolist() == [1.0, 3.0]
    assert group_median(np.array([1.0, 2.0, 4.0]), labels, 3)[[0, 2]].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1e308])
def test_weights_of_any_size_weigh_by_their_ratio(size):
    values, labels = np.array([1.0, 2.0, 3.0, 1e299, 0.0]), np.array([0, 0, 1, 1, 1])
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0]) * size
    weights[:2] = (1e308, 1e308)
    assert group_mean(values, labels, 2, weights) == pytest.approx([1.5, 1e299 / 3])


def test_the_precision_of_a_column_with_a_huge_number_and_a_fine_one_is_not_told():
    assert decimals_of(np.array([1e299, 0.123456789012])) is None
    assert decimals_of(np.array([1e299, 5.0])) == 0
