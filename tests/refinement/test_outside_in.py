"""Groups made from lists of near records: what refinement starts from where attributes are many."""

from __future__ import annotations

import numpy as np
import pytest

from reference import refine as slow
from reference.points import mixed_points
from shoal import _core
from shoal.classes import equivalence_classes
from shoal.partitioners import cells, mdav
from shoal.points import Points
from shoal.refinement import refine, refinement

LENGTH = 8


@pytest.mark.parametrize("reach", [0.0, 1.0])
@pytest.mark.parametrize("k", [2, 3, 5, 9])
@pytest.mark.parametrize(
    "points",
    [
        Points.of(np.random.default_rng(0).standard_normal((400, 5))),
        Points.of(np.random.default_rng(1).standard_normal((37, 2))),
        Points.of(np.ones((40, 3))),
        mixed_points(np.random.default_rng(2), 300, 3, 1, 2, distinct=300),
    ],
    ids=["normal", "few", "equal", "mixed"],
)
def test_fast_is_slow(points, k, reach):
    lists = _core.near_rows(points.records(), LENGTH, reach).reshape(-1, LENGTH)
    fast, expected = _core.outside_in(points.records(), k, LENGTH, reach), slow.outside_in(points, lists, k)
    sizes = np.bincount(fast)
    assert sizes.min() >= k
    assert (sizes != k).sum() <= 1
    assert sizes.max() < 2 * k
    made = expected >= 0
    if (~made).sum() >= k:  # fewer than k join a group that was made
        np.testing.assert_array_equal(equivalence_classes([fast[made]]), equivalence_classes([expected[made]]))
        assert not np.isin(fast[~made], fast[made]).any()
    elif made.any():
        last = expected == expected.max()
        first = made & ~last
        np.testing.assert_array_equal(equivalence_classes([fast[first]]), equivalence_classes([expected[first]]))
        assert len(np.unique(fast[last | ~made])) == 1


def test_with_many_attributes_any_start_ends_below_mdav():
    points = np.random.default_rng(3).standard_normal((50_400, 11))
    start = cells(points, 3, cell=300)
    found = refinement(points, start, 3, effort="quick")
    assert np.bincount(found.labels).min() >= 3
    own = mdav(points, 3)
    assert found.after < 0.99 * _core.group_losses(Points.of(points).records(), own, int(own.max()) + 1).sum()
    assert found.before > 1.2 * found.after


def test_k_subjects_are_kept_where_groups_are_not_made_anew():
    rng = np.random.default_rng(4)
    points = Points.of(rng.standard_normal((50_400, 11))).about(np.arange(50_400) // 2)
    start = np.arange(50_400) // 7  # of four subjects each
    labels = refine(points, start, 3, effort="quick")
    pairs = np.unique(np.column_stack([labels, points.subjects]), axis=0)
    assert np.bincount(pairs[:, 0]).min() >= 3
