"""Statistics of one and of two columns, against computations of other libraries and by hand."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.analysis.descriptive import (
    correlation,
    correlation_ratio,
    cramers_v,
    kolmogorov_smirnov,
    mean_and_spread,
)
from shoal.analysis.models import interval_overlap
from shoal.analysis.result import Estimate
from shoal.moments import weighted_quantiles

values = st.lists(st.integers(-5, 5), min_size=1, max_size=30)


def ones(values):
    return np.ones(len(values))


@given(values, values)
def test_the_distance_of_distributions_is_the_greatest_gap_between_them(x, y):
    slow = max(abs(np.mean([a <= cut for a in x]) - np.mean([b <= cut for b in y])) for cut in (*x, *y))
    found = kolmogorov_smirnov(np.array(x, float), np.array(y, float), (ones(x), ones(y)))
    assert found == pytest.approx(slow, abs=1e-12)


@given(values, st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
def test_weights_are_counts(x, share):
    counts = np.arange(len(x)) % 3 + 1
    repeated = np.repeat(np.array(x, float), counts)
    found = weighted_quantiles(np.array(x, float), counts.astype(float), (share,))[0]
    assert found == np.quantile(repeated, share, method="inverted_cdf")
    mean, spread = mean_and_spread(np.array(x, float), counts.astype(float))
    assert mean == pytest.approx(repeated.mean(), abs=1e-12)
    assert spread == pytest.approx(repeated.std(), abs=1e-12)


@given(values)
def test_associations_of_weights_are_those_of_repeated_records(x):
    x = np.array(x, float)
    y = np.sort(x)[::-1] + np.arange(len(x))
    counts = np.arange(len(x)) % 3 + 1
    wide, tall = np.repeat(x, counts), np.repeat(y, counts)
    expected = np.corrcoef(wide, tall)[0, 1] if np.ptp(wide) and np.ptp(tall) else 0.0
    assert correlation(x, y, counts.astype(float)) == pytest.approx(expected, abs=1e-9)
    names = (x % 3).astype(np.int64)
    assert correlation_ratio(names, y, counts.astype(float)) == pytest.approx(
        correlation_ratio(np.repeat(names, counts), tall, np.ones(len(tall))), abs=1e-9
    )


def test_cramers_v_is_that_of_chi_square():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 4, 300)
    columns = np.where(rng.random(300) < 0.4, rows % 3, rng.integers(0, 3, 300))
    frame = pl.DataFrame({"r": rows, "c": columns})
    table = frame.pivot("c", index="r", values="c", aggregate_function="len").drop("r").fill_null(0).to_numpy()
    expected = table.sum(1, keepdims=True) * table.sum(0) / 300
    chi = ((table - expected) ** 2 / expected).sum()
    assert cramers_v(rows, columns, np.ones(300)) == pytest.approx(np.sqrt(chi / 300 / 2))


def test_gaps_are_left_out_and_constants_hang_together_with_nothing():
    x, y = np.array([1.0, 2, np.nan, 4]), np.array([2.0, 4, 9, 8])
    assert correlation(x, y, np.ones(4)) == pytest.approx(1)
    assert correlation(np.ones(4), y, np.ones(4)) == 0
    assert correlation(np.full(4, np.nan), y, np.ones(4)) == 0
    assert cramers_v(np.array([-1, 0, 1, 1]), np.array([1, 0, 1, 1]), np.ones(4)) == pytest.approx(1)
    assert cramers_v(np.zeros(4, int), np.array([1, 0, 1, 1]), np.ones(4)) == 0
    assert correlation_ratio(np.array([-1, -1, -1, -1]), y, np.ones(4)) == 0
    assert kolmogorov_smirnov(np.array([np.nan]), np.array([1.0]), (np.ones(1), np.ones(1))) == 1


def test_squares_of_huge_numbers_do_not_overflow():
    huge = np.array([1e300, -1e300, 3e299])
    assert mean_and_spread(huge, np.ones(3))[1] < 1e301
    assert correlation(huge, huge, np.ones(3)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 2), (0, 2), 1.0),
        ((0, 2), (1, 3), 0.5),
        ((0, 2), (3, 4), 0.0),
        ((0, 4), (1, 2), 0.625),  # a quarter of the one, all of the other
        ((1, 1), (1, 1), 1.0),
        ((1, 1), (0, 2), 0.5),
    ],
)
def test_intervals_overlap(first, second, expected):
    low, high = (Estimate(sum(ends) / 2, *ends) for ends in (first, second))
    assert interval_overlap(low, high) == expected


def test_a_lost_coefficient_does_not_overlap_and_one_that_never_was_is_not_counted():
    known = Estimate(0, -1, 1)
    assert interval_overlap(known, None) == 0
    assert interval_overlap(None, known) is None
