"""What every registered partitioner must do, whatever it is."""

import numpy as np
import pytest

from grids import every
from partitioners import PARTITIONERS
from reference.about import SUBJECTS, fewest_subjects
from shoal.errors import DataError, PlanError
from shoal.partitioners import METHODS
from shoal.points import Points

K = 4


def gaussian(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


CASES = {
    "one column": gaussian(50, 1),
    "two columns": gaussian(101, 2),
    "sixty columns": gaussian(40, 60),
    "ties": np.random.default_rng(1).integers(0, 3, (60, 2)).astype(float),
    "all equal": np.zeros((23, 3)),
    "a constant column": np.column_stack([gaussian(30, 1), np.ones(30)]),
    "duplicates": np.repeat(gaussian(10, 2), 5, axis=0),
    "a large offset": gaussian(50, 2) + 1e12,
    "an outlier": np.vstack([gaussian(40, 2), [[1e9, -1e9]]]),
    "exactly k": gaussian(K, 2),
    "2k - 1": gaussian(2 * K - 1, 2),
    "2k": gaussian(2 * K, 2),
    "3k - 1": gaussian(3 * K - 1, 2),
    "3k": gaussian(3 * K, 2),
}


def mixed(n=80, seed=3):
    rng = np.random.default_rng(seed)
    return Points.build(
        coords=rng.normal(size=(n, 2)),
        ranks=rng.integers(0, 4, (n, 1)),
        rank_steps=[0.25],
        rank_levels=[4],
        rank_convex=[False],
        codes=rng.integers(0, 3, (n, 1)),
        code_weights=[1.0],
        code_levels=[3],
    )


def assert_partition(labels, n, k):
    assert labels.shape == (n,)
    assert labels.dtype == np.int64
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert len(sizes) == len(np.unique(labels))


@pytest.fixture(params=PARTITIONERS, ids=str)
def partition(request):
    return PARTITIONERS[request.param]


@every(name=CASES)
def test_every_record_is_in_one_group_of_at_least_k(partition, name):
    points = CASES[name]
    before = points.copy()
    labels = partition(points, K)
    assert_partition(labels, len(points), K)
    assert np.array_equal(points, before), "the input was changed"


def test_the_same_input_gives_the_same_answer(partition):
    assert np.array_equal(partition(CASES["ties"], K), partition(CASES["ties"], K))


def test_k_to_2k_minus_1_records_are_one_group(partition):
    assert set(partition(CASES["2k - 1"], K)) == {0}


def test_the_order_of_records_does_not_matter_without_ties(partition):
    points = CASES["two columns"]
    order = np.random.default_rng(5).permutation(len(points))
    straight, shuffled = partition(points, K), partition(points[order], K)
    together = straight[order][:, None] == straight[order][None, :]
    assert np.array_equal(together, shuffled[:, None] == shuffled[None, :])


def test_a_larger_k_gives_larger_groups(partition):
    points = CASES["two columns"]
    assert partition(points, 10).max() < partition(points, 2).max()


def test_mixed_attributes_or_a_refusal(partition):
    method = next(m for m in METHODS.values() if m.partition is partition)
    points = mixed()
    if method.nominal:
        assert_partition(partition(points, K), len(points), K)
    else:
        with pytest.raises(DataError, match="nominal"):
            partition(points, K)


def test_progress_ends_at_the_number_of_records(partition):
    calls = []
    partition(CASES["two columns"], K, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (101, 101)


def test_an_exception_in_the_callback_stops_the_run(partition):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        partition(gaussian(3000, 2), 3, progress=stop)


@pytest.mark.parametrize("k", [-1, 0, 1])
def test_k_below_two_is_refused(partition, k):
    with pytest.raises(PlanError, match=f"k must be at least 2, not {k}"):
        partition(CASES["two columns"], k)


def test_fewer_than_k_records_are_refused(partition):
    with pytest.raises(DataError, match="only 3 records"):
        partition(gaussian(3, 2), K)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_points_must_be_finite(partition, bad):
    points = gaussian(20, 2)
    points[7, 1] = bad
    with pytest.raises(DataError, match="column 1"):
        partition(points, K)


def about(points, name, seed=7):
    points = Points.of(points)
    return points.about(SUBJECTS[name](np.random.default_rng(seed), len(points), K))


@every(name=CASES, subjects=SUBJECTS)
def test_every_group_has_at_least_k_subjects(partition, name, subjects):
    points = about(CASES[name], subjects)
    before = points.subjects.copy()
    labels = partition(points, K)
    assert_partition(labels, len(points), K)
    assert fewest_subjects(labels, points.subjects) >= K
    assert np.array_equal(points.subjects, before), "the subjects were changed"


@every(name=CASES)
def test_a_subject_for_each_record_changes_nothing(partition, name):
    assert np.array_equal(partition(about(CASES[name], "each its own"), K), partition(CASES[name], K))


@every(subjects=SUBJECTS)
def test_how_subjects_are_named_does_not_matter(partition, subjects):
    points = about(CASES["ties"], subjects)
    others = np.random.default_rng(2).permutation(points.subject_count)[points.subjects]
    assert np.array_equal(partition(points, K), partition(points.about(others), K))


def test_subjects_of_mixed_attributes_or_a_refusal(partition):
    method = next(m for m in METHODS.values() if m.partition is partition)
    points = about(mixed(), "four records each")
    if method.nominal:
        assert fewest_subjects(partition(points, K), points.subjects) >= K
    else:
        with pytest.raises(DataError, match="nominal"):
            partition(points, K)


def test_fewer_than_k_subjects_are_refused(partition):
    points = Points.of(gaussian(40, 2)).about(np.arange(40) % 3)
    with pytest.raises(DataError, match=f"k is {K} but there are only 3 different subjects"):
        partition(points, K)
