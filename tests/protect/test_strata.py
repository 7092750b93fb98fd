"""t as an exact fraction, and the group sizes that follow from it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import emd as reference
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.protect import cluster_size, smallest_t


def test_t_is_the_number_that_was_typed():
    assert exact(0.1) == Fraction(1, 10)
    assert exact(0.15) == Fraction(3, 20)
    assert exact(1 / 3) == Fraction(1, 3)
    assert exact(np.float64(0.05)) == Fraction(1, 20)
    assert exact(0) == 0
    assert exact(Fraction(2, 7)) == Fraction(2, 7)


@given(st.integers(0, 10**9))
def test_nine_decimals_are_kept(billionths):
    assert exact(billionths / 10**9) == Fraction(billionths, 10**9)


@pytest.mark.parametrize("t", [-0.1, 1.5, float("nan"), float("inf"), "much", None])
def test_t_outside_of_its_range_is_refused(t):
    with pytest.raises(PlanError, match="t must"):
        exact(t)


# Soria-Comas et al. 2015, Table 3: 1,080 records.
@pytest.mark.parametrize(
    ("k", "sizes"),
    [
        (2, [49, 10, 6, 4, 3, 3, 2]),
        (5, [49, 10, 6, 5, 5, 5, 5]),
        *((k, [49, *[k] * 6]) for k in (10, 15, 20, 25, 30)),
    ],
)
def test_table_3(k, sizes):
    assert [cluster_size(1080, k, t) for t in (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)] == sizes


@given(st.integers(2, 400), st.integers(2, 30), st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0]))
def test_sizes_leave_at_most_one_extra_record_per_group(n, k, t):
    if n < k:
        with pytest.raises(DataError):
            cluster_size(n, k, t)
        return
    size = cluster_size(n, k, t)
    assert k <= size <= n
    assert n % size < n // size or n == size


@given(st.integers(1, 8), st.integers(2, 8))
def test_proposition_1_is_a_bound_that_is_reached(ratio, k):
    n = ratio * k
    table = list(range(n))
    if n == 1:
        return
    middle = [i * ratio + (ratio - 1) // 2 for i in range(k)]
    assert smallest_t(n, k) <= float(reference.ordered(middle, table)) + 1e-12
    if ratio % 2:
        assert smallest_t(n, k) == pytest.approx(float(reference.ordered(middle, table)))


@given(st.integers(1, 6), st.integers(2, 6), st.data())
def test_proposition_2_holds_for_one_record_of_each_subset(ratio, k, data):
    n = ratio * k
    group = [i * ratio + data.draw(st.integers(0, ratio - 1)) for i in range(k)]
    assert reference.ordered(group, list(range(n))) <= Fraction(n - k, 2 * (n - 1) * k)
