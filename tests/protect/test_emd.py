"""Distances of groups: the kernel gives the twin's fractions, and verdicts at the threshold are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import emd as reference
from shoal.constrain import emd
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.kinds.hierarchy import Hierarchy
from shoal.protect import Closeness, Confidential
from shoal.protect.rules import met

TREE = {"a": {"aa": ["p", "q"], "ab": ["r"]}, "b": ["s", "t", "u"], "c": {"ca": {"caa": ["v", "w"]}}}


@st.composite
def tables(draw, values):
    n = draw(st.integers(1, 40))
    column = draw(st.lists(values, min_size=n, max_size=n))
    groups = draw(st.integers(1, n))
    labels = [*range(groups), *draw(st.lists(st.integers(0, groups - 1), min_size=n - groups, max_size=n - groups))]
    return column, draw(st.permutations(labels))


numbers = st.one_of(st.integers(0, 3), st.integers(-(10**6), 10**6)).map(float)


@given(tables(numbers))
def test_ordered_distance_is_the_definition(table):
    column, labels = table
    expected = reference.by_group(reference.ordered, column, labels)
    assert emd(column, labels).tolist() == [float(value) for value in expected]


@given(tables(st.sampled_from("xyz")))
def test_equal_distance_is_the_definition(table):
    column, labels = table
    expected = reference.by_group(reference.equal, column, labels)
    assert emd(np.array(column, dtype=object), labels).tolist() == [float(value) for value in expected]


@given(tables(st.sampled_from("pqrstuvw")))
def test_hierarchical_distance_is_the_definition(table):
    column, labels = table
    expected = reference.by_group(reference.hierarchical, column, labels, Hierarchy.of(TREE))
    assert emd(Confidential.hierarchical(column, TREE), labels).tolist() == [float(value) for value in expected]


@given(tables(numbers), st.data())
def test_the_verdict_at_the_threshold_is_exact(table, data):
    column, labels = table
    attribute = Confidential.ordered(column)
    distances = reference.by_group(reference.ordered, column, labels)
    t = data.draw(st.sampled_from(distances))
    just_below = exact(max(t - Fraction(1, 10**8), Fraction(0)))
    for threshold in (t, just_below):
        verdicts = met([Closeness(attribute, threshold)], np.array(labels, dtype=np.int64), max(labels) + 1)
        assert verdicts.tolist() == [value <= threshold for value in distances]


def test_a_distance_that_rounding_would_miss():
    # Three groups of one and the same distance 3/10, which 0.1 + 0.2 is not.
    values, labels = [0.0] * 3 + [1.0] * 7, [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert emd(values, labels).tolist() == [0.7, 0.3]
    attribute = Confidential.ordered(values)
    assert met([Closeness(attribute, 0.3)], np.array(labels), 2).tolist() == [False, True]


def test_integers_of_the_work_pass_64_bits():
    n = 3_000_000
    values = np.arange(n, dtype=float)
    labels = (values >= n // 2).astype(np.int64)
    # Half the table on one side: everything moves half the way, (n/2) / (n-1) of the range at most.
    distance = Fraction(n // 2, 2 * (n - 1))
    assert emd(values, labels).tolist() == [float(distance)] * 2
    attribute = Confidential.ordered(values)
    assert met([Closeness(attribute, distance)], labels, 2).tolist() == [True, True]
    assert met([Closeness(attribute, 0.25)], labels, 2).tolist() == [False, False]


def test_a_constant_attribute_has_no_distance():
    assert emd([7.0] * 4, [0, 0, 1, 1]).tolist() == [0, 0]
    assert emd(["x"] * 4, [0, 0, 1, 1]).tolist() == [0, 0]


def test_several_attributes_give_one_column_each():
    table = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 6.0]])
    labels = [0, 1, 0, 1]
    together = emd(table, labels)
    assert together.shape == (2, 2)
    for j in range(2):
        assert together[:, j].tolist() == emd(table[:, j], labels).tolist()
    listed = emd([table[:, 0], Confidential.ordered(table[:, 1])], labels)
    assert listed.tolist() == together.tolist()


def test_missing_values_are_refused_or_a_category():
    values, labels = [1.0, np.nan, 2.0, np.nan], [0, 0, 1, 1]
    with pytest.raises(DataError, match="missing in 2 of 4"):
        emd(values, labels)
    assert emd(values, labels, missing="category").tolist() == emd([1.0, 3.0, 2.0, 3.0], labels).tolist()
    named = np.array(["x", None, "y", None], dtype=object)
    assert emd(named, labels, missing="category").tolist() == emd(["x", "?", "y", "?"], labels).tolist()
    dates = np.array(["2020-01-01", "NaT", "2021-01-01", "NaT"], dtype="datetime64[D]")
    assert emd(dates, labels, missing="category").tolist() == emd([1.0, 3.0, 2.0, 3.0], labels).tolist()
    with pytest.raises(PlanError, match="missing must be"):
        emd(values, labels, missing="drop")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 2], "without leaving one empty"),
        ([0.0, 1.0], "one integer"),
        ([-1, 0], "0, 1, 2"),
        ([0, 0, 0], "3 records"),
    ],
)
def test_labels_are_checked(labels, message):
    with pytest.raises(DataError, match=message):
        emd([1.0, 2.0], labels)


@settings(max_examples=30)
@given(tables(numbers))
def test_merged_groups_are_no_farther_than_the_farther_one(table):
    # Convexity: what merging relies on to end, and to put off computing distances.
    column, labels = table
    if max(labels) == 0:
        return
    distance = emd(column, labels)
    merged = emd(column, [max(label - 1, 0) for label in labels])
    assert merged[0] <= max(distance[:2]) + 1e-12
