"""Cells of space, strata of a confidential attribute, and how both make fragments: without a session."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from shoal.points import Points
from shoal.protect import Confidential
from shoal.spark.column_sums import Moments
from shoal.spark.cuts import Cuts, Layout
from shoal.spark.fragments import join
from shoal.spark.strata import Strata


def located(points: Points, depth: int, strata: np.ndarray | None = None, count: int = 1) -> np.ndarray:
    strata = np.zeros(len(points), dtype=np.int64) if strata is None else strata
    cuts = Cuts.learn(points, np.ones(len(points), dtype=np.int64), strata, count, depth)
    return cuts.locate(points, strata)


def test_cells_are_of_one_size_and_do_not_depend_on_the_order_of_records():
    rng = np.random.default_rng(0)
    points = Points.of(rng.normal(size=(1024, 3)))
    cells = located(points, 5)
    assert np.bincount(cells, minlength=32).tolist() == [32] * 32
    order = rng.permutation(1024)
    cuts = Cuts.learn(points, np.ones(1024, dtype=np.int64), np.zeros(1024, dtype=np.int64), 1, 5)
    again = Cuts.learn(points.take(order), np.ones(1024, dtype=np.int64), np.zeros(1024, dtype=np.int64), 1, 5)
    assert (cuts.values == again.values).all()
    assert (cuts.locate(points.take(order), np.zeros(1024, dtype=np.int64)) == cells[order]).all()


def test_records_that_share_the_value_of_a_cut_go_by_further_columns():
    values = np.column_stack([np.repeat([0.0, 100.0], 32), np.tile(np.arange(32.0), 2)])
    values[:, 0] = 7.0  # all alike in the first column but for its scale
    cells = located(Points.of(values[:32]), 3)
    assert np.bincount(cells, minlength=8).tolist() == [4] * 8


def test_records_that_are_alike_stay_in_one_cell():
    points = Points.of(np.concatenate([np.zeros((500, 2)), np.random.default_rng(1).normal(size=(500, 2))]))
    cells = located(points, 4)
    assert len(set(cells[:500])) == 1


def test_categories_are_cut_too():
    codes = np.repeat([0, 1, 2, 3], 16)[:, None]
    cells = located(Points.build(codes=codes, code_weights=[1.0], code_levels=[4]), 2)
    assert [len(set(cells[i * 16 : i * 16 + 16])) for i in range(4)] == [1, 1, 1, 1]
    assert len(set(cells)) == 4


def test_every_stratum_is_cut_at_its_own_medians():
    rng = np.random.default_rng(2)
    strata = np.repeat([0, 1], 512)
    points = Points.of(rng.normal(size=(1024, 2)) + 50.0 * strata[:, None])
    cells = located(points, 4, strata, 2)
    for stratum in (0, 1):
        assert np.bincount(cells[strata == stratum], minlength=16).tolist() == [32] * 16


def test_fragments_hold_equally_many_records_of_each_stratum():
    layout = Layout.of([1000], 100, 2, exact=True)
    cells = np.zeros((2, 4), dtype=np.int64)
    cells[0], cells[1] = [400, 50, 25, 25], [10, 10, 470, 10]
    counted = replace(layout, cells=cells)
    for part in range(2):
        sizes = np.zeros(layout.count, dtype=np.int64)
        for cell in range(4):
            reach = counted.place(np.array([part]), np.array([cell]))
            places = (reach.start[0] + np.arange(cells[part, cell])) * 10 // 500
            assert places[0] == reach.first[0]
            sizes += np.bincount(places, minlength=layout.count)
        assert sizes.tolist() == [50] * 10


def test_small_domains_share_a_fragment_and_large_ones_have_their_own():
    layout = Layout.of(np.array([30, 250, 40, 50, 260]), 100, 1, exact=False)
    assert layout.fragments.tolist() == [1, 3, 1, 1, 3]
    assert layout.first[[0, 2, 3]].tolist() == [0, 0, 1]
    assert sorted(layout.first[[1, 4]].tolist()) == [2, 5]
    assert layout.count == 8


def test_a_cell_of_equal_records_is_divided_where_it_is_large_and_stays_whole_where_it_is_small():
    layout = replace(Layout.of([1000], 250, 1, exact=False), cells=np.array([[500, 20, 480]]))
    reach = layout.place(np.zeros(3, dtype=np.int64), np.arange(3))
    assert reach.first.tolist() == [0, 2, 2]
    assert reach.span.tolist() == [2, 1, 2]


@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_strata_are_cut_by_rank_and_a_value_on_a_border_is_one_by_itself(count):
    rng = np.random.default_rng(count)
    values = np.sort(rng.integers(0, 40, 500)).astype(float)
    distinct, records = np.unique(values, return_counts=True)
    attribute = Confidential.ordered(distinct)
    attribute = type(attribute)(attribute.codes, records, "ordered", attribute.parents, attribute.climbs)
    strata = Strata.of("pay", pa.array(distinct), attribute, count)
    found = strata.bounds().locate(pa.chunked_array([values]))
    assert (found == strata.stratum[np.searchsorted(distinct, values)]).all()
    assert (np.diff(found) >= 0).all()
    borders = np.cumsum([500 // count] * count)[:-1]
    for border in borders[: count // 2]:  # before the middle, in which the rest is
        inside = found[border - 1] != found[border]
        alone = len(set(values[found == found[border]])) == 1
        assert inside or alone


def test_missing_values_are_a_stratum_after_all_others():
    values = pa.array([1.0, 2.0, None])
    strata = Strata("pay", values, np.array([0, 1, 1]))
    assert strata.locate(pa.chunked_array([[None, 1.0, 2.0, float("nan")]])).tolist() == [1, 0, 1, 1]


def test_moments_are_those_of_the_values():
    steps = np.random.default_rng(3).integers(0, 1 << 30, 1000)
    moments = Moments.of(1000, int(steps.sum()), sum(int(step) ** 2 for step in steps))
    near = steps / (1 << 30)
    assert moments.mean == pytest.approx(near.mean(), rel=1e-14)
    assert moments.deviation == pytest.approx(near.std(ddof=1), rel=1e-12)


def test_joined_fragments_keep_their_line():
    assert join(np.arange(5), np.array([0])).tolist() == [0, 0, 1, 2, 3]
    assert join(np.arange(3), np.array([0, 1, 2])).tolist() == [0, 0, 0]
    assert join(np.arange(2), np.array([1])).tolist() == [0, 0]


def test_decimals_and_truth_values_have_strata_too():
    decimals = pa.array([1, 2, 3, 4]).cast(pa.decimal128(23, 2))
    strata = Strata("pay", decimals, np.array([0, 0, 1, 1])).bounds()
    assert strata.locate(pa.chunked_array([decimals])).tolist() == [0, 0, 1, 1]
    truth = Strata("ill", pa.array([False, True]), np.array([0, 0])).bounds()
    assert truth.locate(pa.chunked_array([[True, False, None]])).tolist() == [0, 0, 0]
