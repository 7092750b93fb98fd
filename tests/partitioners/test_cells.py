"""Cells: MDAV in each cell, and nothing across."""

from __future__ import annotations

import numpy as np
import pytest

from reference.points import mixed_points
from shoal.errors import PlanError
from shoal.partitioners import cells, mdav, mondrian
from shoal.refinement import refinement


@pytest.mark.parametrize("cell", [40, 77, 200])
def test_groups_are_those_of_mdav_in_each_cell(cell):
    rng = np.random.default_rng(cell)
    points = mixed_points(rng, 700, 3, 1, 1, distinct=50)
    labels, cut = cells(points, 4, cell=cell), mondrian(points, cell)
    for number in range(cut.max() + 1):
        rows = np.flatnonzero(cut == number)
        own = np.unique(labels[rows], return_inverse=True)[1]
        np.testing.assert_array_equal(own, mdav(points.take(rows), 4))
    assert np.bincount(labels).min() >= 4


def test_a_small_table_is_one_cell():
    points = np.random.default_rng(1).standard_normal((150, 2))
    np.testing.assert_array_equal(cells(points, 3), mdav(points, 3))
    np.testing.assert_array_equal(cells(points, 3, cell=76), mdav(points, 3))
    assert (cells(points, 3, cell=75) != mdav(points, 3)).any()


def test_k_counts_subjects_in_every_cell():
    rng = np.random.default_rng(2)
    subjects = rng.integers(0, 90, 400)
    points = mixed_points(rng, 400, 2, 0, 1, distinct=60).about(subjects)
    labels = cells(points, 3, cell=10)
    assert min(len(set(subjects[labels == group])) for group in range(labels.max() + 1)) >= 3


def test_progress_ends_with_all_records():
    seen = []
    cells(np.random.default_rng(3).standard_normal((500, 2)), 3, cell=60, progress=lambda *told: seen.append(told))
    assert seen[-1] == (500, 500)


def test_a_cell_of_one_is_refused():
    with pytest.raises(PlanError, match="cell"):
        cells(np.zeros((9, 2)), 2, cell=1)


def test_refined_it_loses_less_than_mdav():
    points = np.random.default_rng(9).standard_normal((2000, 8))
    found = refinement(points, cells(points, 3, cell=150), 3, effort="quick")
    plain = refinement(points, mdav(points, 3), 3, effort="quick").before
    assert found.after < plain < found.before
