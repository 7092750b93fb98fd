"""The generalization that shoal is compared with does what its authors describe."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmark_scripts import benchmark


@pytest.fixture(scope="module")
def script():
    return benchmark("mondrian")


tables = st.tuples(st.integers(1, 40), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 6))
)


@given(values=tables, k=st.integers(1, 6))
def test_groups_have_k_records_and_cannot_be_cut_again(script, values, k):
    labels = script.mondrian(values, k)
    sizes = np.bincount(labels)
    assert sizes.sum() == len(values)
    assert sizes.min() >= min(k, len(values))
    for group in range(len(sizes)):
        part = values[labels == group]
        for column in part.T:
            # Neither side of the median may keep k records on both sides.
            median = np.sort(column)[(len(column) - 1) // 2]
            for lower in ((column <= median).sum(), (column < median).sum()):
                assert not k <= lower <= len(column) - k


def test_cuts_fall_at_the_median_of_the_widest_column(script):
    values = np.array([[0, 0], [0, 1], [9, 2], [9, 3]], dtype=float)  # as wide by both: the first is cut
    assert script.mondrian(values, 2).tolist() == [0, 0, 1, 1]
    narrower = np.array([[0, 0], [1, 9], [0, 1], [1, 8], [9, 9]], dtype=float)
    labels = script.mondrian(narrower, 2)
    assert labels[0] == labels[2] != labels[1]


def test_a_group_stands_for_intervals_and_sets(script):
    frame = pl.DataFrame({"age": [20, 30, 60, 70, 80], "job": ["clerk", "nurse", "nurse", "clerk", "nurse"]})
    case = script.Case("people", frame, ("age",), ("job",))
    labels = np.array([0, 0, 1, 1, 1])
    assert script.generalized(case, labels).rows() == [(25.0, "nurse")] * 2 + [(70.0, "nurse")] * 3
    assert script.averaged(case, labels).rows() == [(25.0, "clerk")] * 2 + [(70.0, "nurse")] * 3


def test_it_prints_both_tables(script):
    rng = np.random.default_rng(0)
    case = script.Case("small", pl.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)}), ("a", "b"))
    told = [line for line in script.lines(case, [3]) if line.startswith("| 3")]
    assert [line.split(" | ")[1] for line in told] == ["Mondrian, generalized", "Mondrian, averaged", "MDAV"]
    losses = [float(line.split(" | ")[4]) for line in told]
    assert losses[0] > losses[1] > 0
    assert len(list(script.equal_risk(case, [3]))) == 4
