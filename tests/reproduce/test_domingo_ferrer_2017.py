"""Domingo-Ferrer and Soria-Comas 2017, Figure 3: the heavier the position, the less reordering and the more loss."""

import numpy as np
import pytest

from shoal.reproduce.domingo_ferrer_2017 import position_curve
from shoal.stream.engine import ContinuousSetting, StreamSettings


def test_weight_trades_order_for_homogeneity():
    x = np.random.default_rng(2).lognormal(size=(1080, 2))
    rows = position_curve(x, [0.0, 0.02, 5.0])
    assert rows[0].mse < rows[1].mse < rows[2].mse
    assert rows[0].displacement_avg > rows[1].displacement_avg > rows[2].displacement_avg == 0
    assert rows[0].difference_avg > rows[1].difference_avg > rows[2].difference_avg == 9
    # Without a weight the buffer may run low when a remote tuple must leave; with one, groups leave in turn.
    assert rows[0].dropped < 5
    assert rows[1].dropped == rows[2].dropped == 0


def test_the_bound_of_proposition_2_is_enough():
    x = np.random.default_rng(3).random((500, 2))
    bound = StreamSettings(k=10, coords=(ContinuousSetting(),) * 2).no_reordering
    assert bound == pytest.approx(9 * np.sqrt(2 / 19))
    (row,) = position_curve(x, [bound * 1.0001])
    assert row.displacement_max == 0


def test_a_longer_delay_and_swaps_lose_less():
    x = np.random.default_rng(4).random((2000, 2))
    losses = [position_curve(x, [0.0], max_delay=delay, sweeps=s)[0].mse for delay, s in ((50, 0), (50, 2), (400, 2))]
    assert losses == sorted(losses, reverse=True)


def test_census_at_weight_zero_reorders_as_published(reference_data):
    from shoal.reproduce.reference import Reference

    columns = Reference.at(reference_data).columns("census")
    x = np.column_stack([columns["TAXINC"], columns["POTHVAL"]])
    (row,) = position_curve(x, [0.0])
    assert row.displacement_max == pytest.approx(80, abs=10)
    assert row.displacement_avg == pytest.approx(25, abs=2)
