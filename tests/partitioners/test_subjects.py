"""Groups of k subjects: the kernels give the twins' labels, on every input, by every engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import mdav as slow_mdav
from reference import vmdav as slow_vmdav
from reference.about import SUBJECTS, fewest_subjects
from reference.adversarial import TABLES
from reference.points import mixed_points, repeated_points
from reference.subjects import gather
from shoal._core import KdTree
from shoal.partitioners import mdav, vmdav
from shoal.points import Points

ENGINES = ("scan", "tree", "auto")
METHODS = {
    "mdav": (mdav, slow_mdav.mdav, {}),
    "vmdav": (vmdav, slow_vmdav.vmdav, {"gain": 1.1}),
}


def assert_same(points, k, *, twin=True):
    for name, (fast, slow, options) in METHODS.items():
        expected = slow(points, k, *options.values()) if twin else fast(points, k, engine="scan", **options)
        assert fewest_subjects(expected, points.subjects) >= k
        for engine in ENGINES:
            labels = fast(points, k, engine=engine, **options)
            np.testing.assert_array_equal(labels, expected, err_msg=f"{name} {engine}")


names = st.sampled_from(sorted(SUBJECTS))


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    name=names,
    n=st.integers(2, 70),
    k=st.integers(2, 7),
    kinds=st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)).filter(any),
    distinct=st.sampled_from([2, 4, 30]),
)
def test_mixed_attributes_with_ties(seed, name, n, k, kinds, distinct):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    assert_same(mixed_points(rng, n, *kinds, distinct=distinct).about(SUBJECTS[name](rng, n, k)), k)


@settings(max_examples=100)
@given(
    table=st.sampled_from(sorted(TABLES)),
    name=names,
    seed=st.integers(0, 2**32),
    n=st.integers(2, 100),
    d=st.integers(1, 20) | st.sampled_from([30, 60]),
    k=st.integers(2, 7),
)
def test_adversarial_tables(table, name, seed, n, d, k):
    rng = np.random.default_rng(seed)
    n = max(n, k)
    assert_same(Points.of(TABLES[table](rng, n, d)).about(SUBJECTS[name](rng, n, k)), k)


@pytest.mark.parametrize("table", ["duplicates", "lattice", "heavy tails", "squares underflow"])
@every(d=[1, 4, 12], name=SUBJECTS)
def test_tables_that_fill_several_levels_of_the_tree(table, d, name):
    rng = np.random.default_rng(d)
    assert_same(Points.of(TABLES[table](rng, 1300, d)).about(SUBJECTS[name](rng, 1300, 5)), 5, twin=False)


@every(different=[1, 30], kinds=[(1, 0, 0), (2, 1, 1), (0, 0, 2), (12, 1, 1)], name=SUBJECTS)
def test_many_equal_records(kinds, different, name):
    rng = np.random.default_rng(different)
    assert_same(repeated_points(rng, 150, different, *kinds).about(SUBJECTS[name](rng, 150, 4)), 4)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("name", ["four records each", "a few more than k", "one has most"])
def test_chains_of_equal_records_go_from_the_tree_to_the_scan(name, d):
    rng = np.random.default_rng(d)
    positions = rng.standard_normal((1500, d))[rng.integers(0, 1500, 8000)]  # enough for auto to begin as a tree
    assert_same(Points.of(positions).about(SUBJECTS[name](rng, 8000, 4)), 4, twin=False)


@every(
    n=[5, 9, 10, 14, 15, 16, 1000],
    table=["sphere", "duplicates", "lattice", "all equal"],
    method=METHODS,
    engine=ENGINES,
)
def test_a_subject_per_record_changes_nothing(n, table, method, engine):
    points = Points.of(TABLES[table](np.random.default_rng(n), n, 3))
    fast, _, options = METHODS[method]
    names = np.random.default_rng(0).permutation(n)
    expected = fast(points, 5, engine=engine, **options)
    np.testing.assert_array_equal(fast(points.about(names), 5, engine=engine, **options), expected)


@pytest.mark.parametrize("method", METHODS)
def test_subjects_change_the_groups(method):
    points = Points.of(np.sort(np.random.default_rng(0).standard_normal(200)))
    fast, _, options = METHODS[method]
    named = points.about(np.arange(200) // 4)
    assert fast(named, 4, **options).max() < fast(points, 4, **options).max()
    assert fewest_subjects(fast(points, 4, **options), named.subjects) == 1


@pytest.mark.parametrize("method", METHODS)
def test_equal_records_of_a_subject_stay_together(method):
    rng = np.random.default_rng(3)
    subjects = rng.integers(0, 60, 400)
    positions = rng.standard_normal((60, 2, 3))  # two for each subject
    which = rng.integers(0, 2, 400)
    fast, _, options = METHODS[method]
    labels = fast(Points.of(positions[subjects, which]).about(subjects), 5, **options)
    for subject in range(60):
        for position in range(2):
            assert len(set(labels[(subjects == subject) & (which == position)])) <= 1


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 300), d=st.integers(1, 9), distinct=st.sampled_from([2, 40]))
def test_the_tree_finds_the_nearest_subjects_of_those_that_remain(seed, n, d, distinct):
    rng = np.random.default_rng(seed)
    values = np.unique(rng.integers(0, distinct, (n, d)).astype(float), axis=0)  # so that nothing is a repeat
    points = Points.of(values).about(rng.integers(0, 1 + len(values) // 3, len(values)))
    rows = np.arange(len(points))
    tree = KdTree(points.records(), rows.astype(np.int32))
    while len(np.unique(points.subjects[rows])) >= 2:
        k = int(rng.integers(2, len(np.unique(points.subjects[rows])) + 1))
        row = int(rng.choice(rows))
        found = np.append(tree.nearest_subjects(row, k - 1), row)
        np.testing.assert_array_equal(np.sort(found), gather(points, rows, row, k))
        tree.remove(found.astype(np.int32))
        rows = np.setdiff1d(rows, found)


def test_the_example_of_the_documentation():
    points = Points.of([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    stays = points.about(["ann", "ann", "ann", "bo", "cy", "cy", "di", "di"])
    assert fewest_subjects(mdav(points, 2), stays.subjects) == 1
    assert fewest_subjects(mdav(stays, 2), stays.subjects) == 2


@pytest.mark.parametrize("method", METHODS)
def test_progress_counts_records(method):
    heard = []
    points = Points.of(np.arange(400.0) // 2).about(np.arange(400) // 4)
    METHODS[method][0](points, 3, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (400, 400)
    assert all(done <= total for done, total in heard)
