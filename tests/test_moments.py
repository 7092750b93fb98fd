"""Means and covariances: exact where they can be, stable where others fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.measures import il
from shoal.measures.pair import Pair
from shoal.moments import BLOCK, moments


def exact_covariance(a, b):
    a, b = [Fraction(float(v)) for v in a], [Fraction(float(v)) for v in b]
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    return float(sum((p - mean_a) * (q - mean_b) for p, q in zip(a, b, strict=True)) / (len(a) - 1))


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
def test_covariance_is_stable_under_offsets(offset):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=200).round(3) + offset, rng.normal(size=200).round(3) + offset
    found = moments([a, b]).covariance
    assert found[0, 1] == pytest.approx(exact_covariance(a, b), rel=1e-9)
    assert found[0, 0] == pytest.approx(exact_covariance(a, a), rel=1e-9)


def test_many_blocks_agree_with_one(monkeypatch):
    import shoal.moments

    rng = np.random.default_rng(1)
    columns = [rng.normal(5, 2, 1000) for _ in range(3)]
    whole = moments(columns)
    monkeypatch.setattr(shoal.moments, "BLOCK", 13)
    parts = moments(columns)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-14)
    np.testing.assert_allclose(parts.covariance, whole.covariance, rtol=1e-12)
    np.testing.assert_allclose(whole.covariance, np.cov(columns), rtol=1e-12)
    np.testing.assert_allclose(whole.correlation, np.corrcoef(columns), rtol=1e-12)


def test_a_constant_column_has_no_deviation_to_the_last_bit():
    found = moments([np.full(2 * BLOCK + 5, 0.1), np.arange(2 * BLOCK + 5.0)])
    assert found.mean[0] == 0.1
    assert found.deviation[0] == 0.0
    assert found.correlation[0, 1] == 0.0


def test_one_record_has_no_deviation():
    found = moments([np.array([3.0])])
    assert (found.mean[0], found.deviation[0]) == (3.0, 0.0)


def test_a_mean_of_zero_up_to_rounding_is_zero():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    x = (x - x.mean()) / x.std()
    released = x.reshape(100, 3).mean(axis=1).repeat(3)
    assert il(Pair.of(x, released)).parts["means"] == 0.0
