"""How far one column tells another, against a slow twin."""

import numpy as np
import pytest

from reference import determination as slow
from shoal.giveaways.dependencies import FEWEST, Determination, determination, repeats, runs
from shoal.giveaways.relations import _correlations, _standardised


def numbered(values):
    known = {}
    return np.array([known.setdefault(value, len(known)) for value in values.tolist()], dtype=np.int32)


@pytest.mark.parametrize("levels", [1, 2, 5, 40, 1000])
@pytest.mark.parametrize("others", [1, 2, 30])
def test_it_counts_as_the_slow_twin(levels, others):
    rng = np.random.default_rng(levels * others)
    for n in (1, 2, 7, 60, 300):
        determinant, dependent = (numbered(rng.integers(0, count, n)) for count in (levels, others))
        fast = determination(determinant, dependent)
        assert (fast.compared, fast.exceptions, fast.surprises) == slow.determination(determinant, dependent)


def test_what_tells_and_what_does_not():
    assert Determination(100, 0, FEWEST).determines
    assert not Determination(100, 0, FEWEST - 1).determines  # too few to be sure
    assert Determination(1000, 10, 200).determines
    assert not Determination(1000, 11, 200).determines
    assert not Determination(1000, 5, 5).determines  # nearly constant: few exceptions, and as many without the column


def test_values_repeat_where_half_of_the_records_share_theirs():
    assert repeats(np.array([0, 0, 1, 2]))
    assert not repeats(np.array([0, 0, 1, 2, 3]))


def test_runs_keep_equal_values_together():
    values = np.array([np.nan, 1, 1, 1, 1, 1, 1, 1, 2, 3, np.nan, 9])
    found = runs(values)
    assert len(set(found[1:8])) == 1
    assert found[0] == found[10]
    rng = np.random.default_rng(3)
    for levels in (1, 3, 50, 10_000):
        values = rng.integers(0, levels, 500).astype(float)
        found = runs(values)
        assert len(np.unique(found)) == found.max() + 1  # no gaps
        order = np.argsort(values, kind="stable")
        assert (np.diff(found[order]) >= 0).all()
        assert all(len(np.unique(found[values == value])) == 1 for value in values)


@pytest.mark.parametrize("levels", [2, 7, 10_000])
@pytest.mark.parametrize("absent", [0.0, 0.3])
def test_rank_correlations_are_those_of_the_slow_twin(levels, absent):
    rng = np.random.default_rng(levels)
    columns = rng.integers(0, levels, (6, 300)).astype(float)
    columns[3:] += columns[:3] * [[1], [-2], [50]]
    ranks = np.array([_standardised(column) for column in columns])
    expected = [[slow.spearman(one, other) for other in columns[3:]] for one in columns[:3]]
    assert _correlations(ranks[:3], ranks[3:]) == pytest.approx(np.array(expected))
    if absent:  # ranks are those among all present values, so nearly the same where both are there
        gone = columns.copy()
        gone[rng.random(gone.shape) < absent] = np.nan
        ranks = np.array([_standardised(column) for column in gone])
        expected = [[slow.spearman(one, other) for other in gone[3:]] for one in gone[:3]]
        assert _correlations(ranks[:3], ranks[3:]) == pytest.approx(np.array(expected), abs=0.03)
