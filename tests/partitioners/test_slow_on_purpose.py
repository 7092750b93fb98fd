"""Tables that make every record a tie, or float images one point: the same labels from tree, scan and twin."""

from __future__ import annotations

import numpy as np
import pytest

from reference import mdav as slow_mdav
from reference.distance import farthest, nearest
from shoal._core import KdTree
from shoal.partitioners import mdav
from slow_shapes import SHAPES


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("n", "k"), [(7, 4), (90, 3)])
def test_labels_are_those_of_the_twin(shape, n, k):
    points = SHAPES[shape](n, n)
    expected = slow_mdav.mdav(points, k)
    for engine in ("tree", "scan", "auto"):
        np.testing.assert_array_equal(mdav(points, k, engine=engine), expected, err_msg=engine)


@pytest.mark.parametrize("shape", SHAPES)
def test_labels_of_the_tree_are_those_of_the_scan_over_several_levels(shape):
    points = SHAPES[shape](2_500, 1)
    np.testing.assert_array_equal(mdav(points, 5, engine="tree"), mdav(points, 5, engine="scan"))


@pytest.mark.parametrize("shape", SHAPES)
def test_labels_are_the_same_where_records_share_subjects(shape):
    points = SHAPES[shape](1_500, 2).about(np.random.default_rng(0).integers(0, 600, 1_500))
    np.testing.assert_array_equal(mdav(points, 4, engine="tree"), mdav(points, 4, engine="scan"))


@pytest.mark.parametrize("shape", ["all different", "half common", "decades", "outlier"])
def test_a_tree_of_ties_answers_as_a_scan_while_records_leave(shape):
    rng = np.random.default_rng(3)
    points = SHAPES[shape](1_300, 4)
    tree = KdTree(points.records(), np.arange(1_300, dtype=np.int32))
    inside = np.arange(1_300)
    while len(inside) > 40:
        row = int(rng.choice(inside))
        np.testing.assert_array_equal(tree.nearest(row, 9), nearest(points, inside, row, 9))
        assert tree.farthest(row) == farthest(points, inside, points, row)
        leaving = rng.choice(inside, 60, replace=False).astype(np.int32)
        tree.remove(leaving)
        inside = np.setdiff1d(inside, leaving)
