"""The figures of Domingo-Ferrer and Soria-Comas 2017: the weight at which steering reaches t, and what it loses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.reproduce.domingo_ferrer_2017 import against_t_first, perfectly_correlated, weight_curve
from shoal.steer import bucket_count


def test_the_largest_distance_falls_below_t_between_98_and_99():
    below, at = weight_curve(*perfectly_correlated(), [98, 99], t=0.05)
    assert below.emd_max == pytest.approx(0.0999, abs=5e-5)
    assert at.emd_max == pytest.approx(0.0495, abs=5e-5)


def test_weight_trades_likeness_for_closeness():
    rows = weight_curve(*perfectly_correlated(), [0, 25, 50, 75, 90, 99], t=0.05)
    assert rows[0].emd_max == pytest.approx(0.5, abs=0.01)  # "around 0.5, the maximum possible value"
    assert np.all(np.diff([row.emd_max for row in rows]) < 0)
    assert np.all(np.diff([row.emd_avg for row in rows]) < 0)
    assert np.all(np.diff([row.mse for row in rows]) > 0)
    assert np.all(np.diff([row.mae for row in rows]) > 0)


@pytest.fixture(scope="module")
def census(reference_data):
    return pl.read_csv(reference_data / "census.csv")


def table(census, confidential):
    return census.select("TAXINC", "POTHVAL").to_numpy().astype(float), census[confidential].to_numpy().astype(float)


def test_moderately_correlated_data_reach_t_below_the_bound_of_the_proposition(census):
    x, y = table(census, "FEDTAX")
    buckets = len(y) // bucket_count(len(y), 2, 0.1)
    assert buckets == 216  # the paper's bound, which leaves out √m
    early, *late = weight_curve(x, y, [100, 216, buckets * 2**0.5], t=0.1)
    assert early.emd_max > 0.1
    assert all(row.emd_max <= 0.1 for row in late)


@pytest.mark.parametrize("confidential", ["FEDTAX", "FICA"])
def test_steering_loses_little_more_than_t_first(census, confidential):
    rows = against_t_first(*table(census, confidential), ks=[2, 10], ts=[0.05, 0.1, 0.2])
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert (first.method, second.method) == ("t_first", "steered")
        assert second.emd_max <= second.t
        assert second.groups == first.groups
        # The best method takes records to a group; the numbers drift from bucket to bucket.
        assert first.normalised_sse < second.normalised_sse < 1.7 * first.normalised_sse
