"""Tables that make every record a tie, or float images one point: the same labels from tree, scan and twin."""

from __future__ import annotations

import numpy as np
import pytest

from reference import mdav as slow_mdav
from reference.distance import farthest, nearest
from shoal._core import KdTree
from shoal.partition import mdav
from shoal.points import Points


def nominal(codes, weights=None):
    codes = np.asarray(codes)
    levels = codes.max(axis=0) + 1
    return Points.build(
        codes=codes, code_weights=np.ones(len(levels)) if weights is None else weights, code_levels=levels
    )


def ordinal(n, seed, *, convex, spread=1):
    ranks = spread * np.random.default_rng(seed).permutation(n)[:, None]
    levels = [int(ranks.max()) + 1]
    return Points.build(ranks=ranks, rank_steps=[1 / levels[0]], rank_levels=levels, rank_convex=[convex])


def all_different(n, seed):
    return nominal(np.random.default_rng(seed).permutation(n)[:, None])


def three_columns(n, seed):
    return nominal(np.random.default_rng(seed).integers(0, max(n // 20, 2), (n, 3)), [1.0, 0.5, 1.0])


def half_common(n, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n, 2)) < 0.4, 0, rng.integers(0, n, (n, 2)))
    return nominal(codes)


def decades(n, seed):
    return Points.of(10.0 ** np.random.default_rng(seed).uniform(-130, 130, (n, 2)))


def outlier(n, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3))
    values[n // 2] = 1e12
    return Points.of(values)


def decades_and_codes(n, seed):
    rng = np.random.default_rng(seed)
    return Points.build(
        coords=10.0 ** rng.uniform(-100, 100, (n, 1)),
        codes=rng.integers(0, 70, (n, 1)),
        code_weights=[1e20],
        code_levels=[70],
    )


SHAPES = {
    "all different": all_different,
    "three columns": three_columns,
    "half common": half_common,
    "decades": decades,
    "outlier": outlier,
    "decades and codes": decades_and_codes,
    "levels as records": lambda n, seed: ordinal(n, seed, convex=True),
    "levels far apart": lambda n, seed: ordinal(n, seed, convex=True, spread=7),
    "medians of many levels": lambda n, seed: ordinal(n, seed, convex=False, spread=3),
}


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
