"""The kernel's sum is the one true sum, rounded once, whatever was added and taken away before."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._core import exact_sum

doubles = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e300, 1e300)


def fsum(added, removed=()):
    """``math.fsum`` that overflows to infinity instead of raising."""
    try:
        return math.fsum([*added, *(-value for value in removed)])
    except OverflowError:
        exact = sum(map(Fraction, added)) - sum(map(Fraction, removed))
    try:
        return float(exact)  # fsum also gives up where only a part of the sum is beyond the range
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@given(st.lists(moderate, max_size=60), st.lists(moderate, max_size=60))
def test_equals_fsum(added, removed):
    assert exact_sum(np.array(added, dtype=float), np.array(removed, dtype=float)) == fsum(added, removed)


@given(st.lists(doubles, max_size=20), st.lists(doubles, max_size=20))
def test_what_is_removed_leaves_no_trace(kept, removed):
    assert exact_sum(np.array([*kept, *removed]), np.array(removed)) == pytest.approx(fsum(kept), rel=0, abs=0)


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=30), st.integers(-1074, 900))
def test_rounds_to_even_at_every_scale(integers, exponent):
    values = [math.ldexp(float(integer), exponent) for integer in integers]
    assert exact_sum(np.array(values), np.empty(0)) == fsum(values)


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ([], 0.0),
        ([5e-324] * 3, 1.5e-323),
        ([1.0, 2.0**-53], 1.0),
        ([1.0, 2.0**-53, 5e-324], 1.0 + 2.0**-52),
        ([1.0 + 2.0**-52, 2.0**-53], 1.0 + 2.0**-51),
        ([-1.0, -(2.0**-53), -5e-324], -1.0 - 2.0**-52),
        ([1e308, 1e308, -1e308], 1e308),
        ([1.7e308, 1.7e308], math.inf),
        ([-1.7e308, -1.7e308], -math.inf),
        ([2.2250738585072014e-308, -5e-324], 2.225073858507201e-308),
    ],
)
def test_borderline_sums(values, total):
    assert exact_sum(np.array(values, dtype=float), np.empty(0)) == total
