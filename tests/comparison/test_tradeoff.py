"""The sweep over λ: rows as asked, changes against λ = 0, and the weight a budget allows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.comparison.tradeoff import WEIGHTS, TradeOff, largest_weight, trade_offs
from shoal.errors import PlanError
from shoal.measures import Pair, d_x, d_y, l_avg
from shoal.reproduce.rebollo_monedero_2016 import dependence_curves, gaussian


def row(weight, change, k=5):
    return TradeOff(k, weight, 0.1 * (1 + change), 0.5, change, 0.0, 3.0)


def test_rows_hold_the_measures_and_their_changes():
    rows = dependence_curves(*gaussian(0.5, n=400), ks=[8, 4], weights=[0.5, 0.2])
    assert [(one.k, one.weight) for one in rows] == [(4, 0), (4, 0.2), (4, 0.5), (8, 0), (8, 0.2), (8, 0.5)]
    for one in rows:
        plain = next(other for other in rows if other.k == one.k and other.weight == 0)
        assert one.d_x_change == pytest.approx(one.d_x / plain.d_x - 1)
        assert one.d_y_change == pytest.approx(one.d_y / plain.d_y - 1)
    assert len({tuple(one.to_dict().values()) for one in rows}) == 6


def test_values_are_those_of_the_measures():
    pair = Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0], confidential=[1.0, 3.0, 5.0, 7.0])
    (one,) = trade_offs(lambda k, weight: pair, ks=[2], weights=[])
    assert (one.d_x, one.d_y, one.l_avg) == (d_x(pair).value, d_y(pair).value, l_avg(pair).value)


def test_changes_from_nothing():
    lossless = Pair.of([0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], confidential=[1.0, 1.0, 2.0, 2.0])
    lossy = Pair.of([0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5], confidential=[1.0, 1.0, 2.0, 2.0])
    rows = trade_offs(lambda k, weight: lossy if weight == 1 else lossless, ks=[2], weights=[0.5, 1])
    assert [one.d_x_change for one in rows] == [0.0, 0.0, math.inf]


def test_progress_counts_releases():
    seen = []
    pair = Pair.of([0.0, 1.0], [0.5, 0.5], confidential=[1.0, 2.0])
    trade_offs(lambda k, weight: pair, ks=[2, 3], weights=[1], progress=lambda *now: seen.append(now))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_the_usual_weights_are_tenths():
    np.testing.assert_allclose(WEIGHTS, np.arange(11) / 10)


@pytest.mark.parametrize(("percent", "expected"), [(0, 0.0), (4.9, 0.0), (5, 0.1), (19, 0.3), (100, 0.4)])
def test_the_largest_weight_within_a_budget(percent, expected):
    # A heuristic may dip: 0.3 costs less than 0.2, so whoever can pay for 0.3 gets it.
    rows = [row(0.0, 0.0), row(0.1, 0.05), row(0.2, 0.2), row(0.3, 0.15), row(0.4, 0.5)]
    assert largest_weight(rows, percent) == expected


def test_the_largest_weight_of_one_k():
    rows = [row(0.0, 0.0), row(0.1, 0.5), row(0.0, 0.0, k=9), row(0.1, 0.01, k=9)]
    assert largest_weight(rows, 10, k=5) == 0.0
    assert largest_weight(rows, 10, k=9) == 0.1
    with pytest.raises(PlanError, match="k must be given to pick a weight: the rows hold 5, 9"):
        largest_weight(rows, 10)
    with pytest.raises(PlanError, match="k = 7 is not among the rows"):
        largest_weight(rows, 10, k=7)
    with pytest.raises(PlanError, match="percent must be a finite number of at least 0"):
        largest_weight(rows, -1, k=5)
