"""The k-d tree answers as a scan of the records it holds, whatever came and went."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference.distance import farthest, nearest, squared_distances
from reference.points import mixed_points
from shoal._core import KdTree
from shoal.points import Points

kinds = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any)


def rows_of(values):
    return np.array(values, dtype=np.int32)


def assert_same_answers(tree, points, rows, row, count):
    rows = np.sort(rows)
    assert len(tree) == len(rows)
    np.testing.assert_array_equal(tree.nearest(row, count), nearest(points, rows, row, count))
    assert tree.farthest(row) == farthest(points, rows, points, row)
    distances = squared_distances(points, rows, points, row)
    assert tree.nearest_ties(points.records(), row) == (distances.min(), np.sum(distances == distances.min()))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 300), kinds=kinds, distinct=st.sampled_from([2, 50]))
def test_records_come_and_go(seed, n, kinds, distinct):
    rng = np.random.default_rng(seed)
    points = mixed_points(rng, n, *kinds, distinct=distinct, levels=90)
    order = rng.permutation(n)
    inside = list(order[: rng.integers(0, n) + 1])
    outside = list(order[len(inside) :])
    tree = KdTree(points.records(), rows_of(inside))
    for _ in range(8):
        assert_same_answers(tree, points, inside, int(rng.integers(n)), int(rng.integers(1, 40)))
        leaving = inside[: rng.integers(0, len(inside))]
        tree.remove(rows_of(leaving))
        arriving = outside[: rng.integers(0, len(outside) + 1)]
        for row in arriving:
            tree.insert(row)
        inside, outside = inside[len(leaving) :] + arriving, outside[len(arriving) :] + leaving


def test_a_long_life_crosses_every_rebuild():
    rng = np.random.default_rng(3)
    points = mixed_points(rng, 5000, 3, 0, 1, distinct=40, levels=200)
    tree = KdTree(points.records(), rows_of(range(2000)))
    inside = list(range(2000))
    for row in range(2000, 5000):
        tree.insert(row)
        inside.append(row)
        if row % 3 == 0:
            leaving = [inside.pop(int(rng.integers(len(inside)))) for _ in range(4)]
            tree.remove(rows_of(leaving))
        if row % 250 == 0:
            assert_same_answers(tree, points, inside, row, 7)


@pytest.mark.parametrize("d", [6, 7, 8, 12, 17, 60])  # around six, up to which boxes are floats, and the loops' widths
@every(shape=["normal", "few values", "heavy tails", "far apart", "constant but one", "equal"])
def test_boxes_in_bytes_rule_nobody_out(d, shape):
    rng = np.random.default_rng(d)
    n = 2500
    values = rng.standard_normal((n, d))
    if shape == "few values":
        values = np.trunc(2 * values)
    elif shape == "heavy tails":
        values = values / rng.uniform(1e-6, 1, (n, 1))
    elif shape == "far apart":  # clusters so tight that floats around the common centre just tell records apart
        values = 1e-6 * values + rng.integers(0, 5, (n, 1))
    elif shape == "constant but one":
        values[:, 1:] = 3.5
    elif shape == "equal":
        values[:] = -1.25
    points = Points.of(values)
    inside = list(rng.permutation(n))
    tree = KdTree(points.records(), rows_of(inside))
    while inside:
        for row in rng.integers(0, n, 3):
            assert_same_answers(tree, points, inside, int(row), int(rng.integers(1, 12)))
        inside, leaving = inside[400:], inside[:400]
        tree.remove(rows_of(leaving))


@pytest.mark.parametrize("d", [7, 13])
def test_boxes_in_bytes_beside_categories(d):
    rng = np.random.default_rng(d)
    points = mixed_points(rng, 1500, d, 1, 2, distinct=50, levels=90)
    inside = list(range(1500))
    tree = KdTree(points.records(), rows_of(inside))
    while inside:
        assert_same_answers(tree, points, inside, int(rng.integers(1500)), 5)
        leaving = [inside.pop(int(rng.integers(len(inside)))) for _ in range(min(150, len(inside)))]
        tree.remove(rows_of(leaving))


@pytest.mark.parametrize("d", [2, 9])
def test_an_empty_tree_finds_nobody(d):
    points = Points.of(np.zeros((3, d)))
    tree = KdTree(points.records(), rows_of([]))
    assert tree.farthest(0) == -1
    assert len(tree.nearest(0, 2)) == 0
    assert tree.nearest_ties(points.records(), 0) == (np.inf, 0)
    tree.insert(2)
    assert tree.farthest(0) == 2
    tree.remove(rows_of([2]))
    assert len(tree) == 0


@pytest.mark.parametrize("scale", [5e-324, 1e-160, 1e-150, 1.0, 1e140, 1e153, 1e200, 1e300])
@pytest.mark.parametrize("d", [3, 8])
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # the twin's, on purpose
def test_no_scale_breaks_the_bounds(scale, d):
    rng = np.random.default_rng(5)
    points = Points.of(np.trunc(rng.standard_normal((3000, d)) * 3) * scale)
    tree = KdTree(points.records(), rows_of(range(3000)))
    for row in range(0, 3000, 300):
        assert_same_answers(tree, points, np.arange(3000), row, 9)


def test_places_of_another_table():
    rng = np.random.default_rng(9)
    points, others = Points.of(rng.integers(0, 4, (2000, 2)) * 1.0), Points.of(rng.standard_normal((20, 2)) * 3)
    tree = KdTree(points.records(), rows_of(range(2000)))
    for row in range(20):
        distances = squared_distances(points, np.arange(2000), others, row)
        assert tree.nearest_ties(others.records(), row) == (distances.min(), np.sum(distances == distances.min()))


@every(
    shape=["normal", "equal", "few values", "outliers where samples are taken"],
    n=[31, 32, 33, 1023, 1024, 1025, 32768, 32769, 70_000],
)
def test_no_record_is_lost_however_many_fill_the_leaves(n, shape):
    rng = np.random.default_rng(n)
    values = np.zeros((n, 2))
    if shape == "normal":
        values = rng.standard_normal((n, 2))
    elif shape == "few values":
        values = rng.integers(0, 3, (n, 2)).astype(float)
    elif shape == "outliers where samples are taken":
        values[(2 * np.arange(127) + 1) * n // 254] = 1e9
    tree = KdTree(Points.of(values).records(), rows_of(range(n)))
    np.testing.assert_array_equal(np.sort(tree.nearest(0, n)), np.arange(1, n))
    assert tree.farthest(0) == farthest(Points.of(values), np.arange(n), Points.of(values), 0)


def test_a_tree_is_centred_anew_when_half_of_its_records_have_left():
    skewed = np.random.default_rng(8).exponential(size=(20_000, 4))
    points = Points.of(skewed)
    tree = KdTree(points.records(), rows_of(range(20_000)))
    order = np.argsort(((skewed - skewed.mean(axis=0)) ** 2).sum(axis=1))
    few = 100
    tree.remove(rows_of(order[10_000 - few :]))  # the farthest from the average record, as MDAV takes them
    rest = order[: 10_000 - few]
    fresh = KdTree(points.records(), rows_of(rest))
    middle = int(rest[np.argmin(((skewed[rest] - skewed[rest].mean(axis=0)) ** 2).sum(axis=1))])
    assert tree.farthest(middle) == fresh.farthest(middle)
    assert tree.far_visits(middle) <= 1.25 * fresh.far_visits(middle)
