"""Individual ranking is optimal univariate, attribute by attribute."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import DataError, PlanError
from shoal.partitioners import individual, univariate
from shoal.points import Points


@pytest.mark.parametrize("d", [1, 2, 13])
def test_each_column_is_univariate(d):
    table = np.round(np.random.default_rng(d).standard_normal((400, d)) * 20)
    labels = individual(table, 5)
    assert labels.shape == (400, d)
    for j in range(d):
        np.testing.assert_array_equal(labels[:, j], univariate(table[:, j], 5))


def test_k_changes_the_groups():
    table = np.random.default_rng(1).standard_normal((100, 3))
    assert individual(table, 10).max() < individual(table, 2).max()


def test_ordinal_attributes_take_part_by_rank():
    rng = np.random.default_rng(2)
    points = Points.build(
        coords=rng.standard_normal((30, 1)),
        ranks=rng.integers(0, 5, (30, 1)),
        rank_steps=[0.2],
        rank_levels=[5],
        rank_convex=[False],
    )
    np.testing.assert_array_equal(individual(points, 3)[:, 1], univariate(points.ranks[:, 0].astype(float), 3))


def test_progress_adds_up_over_attributes():
    calls = []
    individual(np.random.default_rng(3).standard_normal((20_000, 6)), 3, progress=lambda *call: calls.append(call))
    assert calls[-1] == (120_000, 120_000)
    assert calls == sorted(calls)


def test_an_exception_in_the_callback_stops_every_attribute():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        individual(np.random.default_rng(4).standard_normal((5000, 8)), 3, progress=stop)


def test_refusals():
    with pytest.raises(PlanError, match="k must be at least 2"):
        individual(np.zeros((5, 2)), 1)
    with pytest.raises(DataError, match="only 5 records"):
        individual(np.zeros((5, 2)), 6)
    nominal = Points.build(codes=np.zeros((5, 1)), code_weights=[1.0], code_levels=[1])
    with pytest.raises(DataError, match="nominal: take mdav, vmdav or cells"):
        individual(nominal, 2)
