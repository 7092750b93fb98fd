"""Confidential attributes from arrays, orders and trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.constrain import emd
from shoal.errors import DataError, PlanError
from shoal.kinds.hierarchy import Hierarchy
from shoal.protect import Confidential
from shoal.protect.confidential import confidentials

ILLNESS = {"lungs": ["flu", "asthma"], "stomach": {"upper": ["ulcer", "gastritis"], "lower": ["colitis"]}}


def test_an_order_counts_only_the_categories_that_occur():
    order = ["none", "primary", "secondary", "degree"]
    attribute = Confidential.ranked(["degree", "none", "secondary"], order)
    assert attribute.codes.tolist() == [2, 0, 1]
    assert attribute.levels == 3


def test_the_order_changes_the_distance():
    values, labels = ["low", "mid", "high", "high"], [0, 0, 1, 1]
    natural = emd(Confidential.ranked(values, ["low", "mid", "high"]), labels)
    other = emd(Confidential.ranked(values, ["low", "high", "mid"]), labels)
    equal = emd(np.array(values), labels)
    assert natural.tolist() == [0.375, 0.375]
    assert other.tolist() == [0.25, 0.25]
    assert equal.tolist() == [0.5, 0.5]


def test_values_outside_of_the_order_or_tree_are_refused_without_being_named():
    with pytest.raises(DataError, match="2 categories that its order") as caught:
        Confidential.ranked(["a", "secret", "hidden"], ["a"], name="illness")
    assert "secret" not in str(caught.value)
    assert "illness" in str(caught.value)
    with pytest.raises(DataError, match="has 1 category that its hierarchy"):
        Confidential.hierarchical(["flu", "gout"], ILLNESS)
    with pytest.raises(DataError, match="has 1 category that its hierarchy"):
        Confidential.marginal(["flu", "gout"], ILLNESS)


def test_missing_joins_as_the_last_category_or_right_below_the_root():
    values = np.array(["flu", None, "ulcer"], dtype=object)
    ranked = Confidential.ranked(values, ["ulcer", "flu"], missing="category")
    assert ranked.codes.tolist() == [1, 2, 0]
    tree = Confidential.hierarchical(values, ILLNESS, missing="category")
    assert tree.levels == 6
    assert tree.codes.tolist() == [0, 5, 2]
    assert emd(tree, [0, 1, 2]).tolist() == pytest.approx([2 / 3] * 3)
    marginal = Confidential.marginal(values, ILLNESS, missing="category")
    assert marginal.codes.tolist() == [0, 2, 1]
    for build in (Confidential.ranked, Confidential.hierarchical, Confidential.marginal):
        with pytest.raises(DataError, match="missing in 1 of 3"):
            build(values, ["ulcer", "flu"] if build == Confidential.ranked else ILLNESS)


BUILDS = {
    "ordered": Confidential.ordered,
    "nominal": Confidential.nominal,
    "ranked": lambda values, **keys: Confidential.ranked(values, ["flu", "ulcer"], **keys),
    "hierarchical": lambda values, **keys: Confidential.hierarchical(values, ILLNESS, **keys),
    "marginal": lambda values, **keys: Confidential.marginal(values, ILLNESS, **keys),
}


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
@pytest.mark.parametrize(("keys", "name"), [({}, "confidential"), ({"name": "illness"}, "illness")])
def test_an_attribute_is_called_by_its_name(build, keys, name):
    assert build(["flu", "ulcer"], **keys).name == name
    with pytest.raises(DataError, match=f"^{name} is missing in 1 of 2"):
        build(np.array(["flu", None], dtype=object), **keys)


@pytest.mark.parametrize(("column", "known"), [([1.0, np.nan], 1.0), (np.array(["a", None], dtype=object), "a")])
def test_so_is_each_column_of_a_table_and_one_that_has_no_name(column, known):
    table = np.column_stack([np.full_like(column, known), column])
    with pytest.raises(DataError, match=r"^confidential is missing in 1 of 2"):
        confidentials(column, 2)
    with pytest.raises(DataError, match=r"^confidential column 1 is missing in 1 of 2"):
        confidentials(table, 2)
    names = [attribute.name for attribute in confidentials(table, 2, missing="category")]
    assert names == ["confidential column 0", "confidential column 1"]


def test_categories_without_an_order_are_a_tree_of_height_one():
    flat, tree = Confidential.nominal(["a", "b", "a"]), Hierarchy.of(["a", "b"])
    assert (flat.parents.tolist(), flat.climbs.tolist()) == (tree.parents.tolist(), tree.climbs.tolist())
    assert flat.height == tree.height == 1


def test_tree_distances_are_the_heights_where_categories_meet():
    tree = Hierarchy.of(ILLNESS)
    assert tree.leaves == ("flu", "asthma", "ulcer", "gastritis", "colitis")
    assert tree.height == 3
    assert tree.distance("ulcer", "ulcer") == 0
    assert tree.distance("ulcer", "gastritis") == Fraction(1, 3)
    assert tree.distance("ulcer", "colitis") == Fraction(2, 3)
    assert tree.distance("flu", "asthma") == Fraction(1, 3)
    assert tree.distance("flu", "ulcer") == 1


def test_a_flat_list_of_categories_is_the_equal_distance():
    values, labels = ["x", "y", "z", "x", "x"], [0, 0, 1, 1, 2]
    flat = Confidential.hierarchical(values, {"all": ["x", "y", "z"]})
    assert (2 * emd(flat, labels)).tolist() == pytest.approx(emd(np.array(values), labels).tolist())


@given(st.lists(st.sampled_from(["flu", "asthma", "ulcer", "gastritis", "colitis"]), min_size=1, max_size=30))
def test_marginality_is_the_sum_of_distances_to_the_records(values):
    tree = Hierarchy.of(ILLNESS)
    counts = np.array([values.count(leaf) for leaf in tree.leaves])
    marginality = [sum(tree.distance(leaf, value) for value in values) for leaf in tree.leaves]
    expected = sorted(range(5), key=lambda leaf: (marginality[leaf], leaf))
    assert tree.by_marginality(counts).tolist() == expected
    present = [tree.leaves[leaf] for leaf in expected if counts[leaf]]
    assert Confidential.marginal(values, tree).codes.tolist() == [present.index(value) for value in values]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"a": ["x"], "b": ["x"]}, "repeats x"),
        ({"a": []}, "hierarchy.a is empty"),
        ({"a": "x"}, "hierarchy.a must be a list"),
        ({"a": ["x", ["y"]]}, "plain categories"),
    ],
)
def test_trees_are_checked(tree, message):
    with pytest.raises(PlanError, match=message):
        Hierarchy.of(tree)


def test_plain_arrays_are_read_by_their_type():
    kinds = {
        "numbers": (np.array([1, 2, 2]), "ordered"),
        "dates": (np.array(["2020-01-01", "2020-01-02", "2020-01-02"], dtype="datetime64[D]"), "ordered"),
        "words": (np.array(["a", "b", "b"]), "equal"),
        "list": ([1.0, 2.0, 2.0], "ordered"),
    }
    for values, distance in kinds.values():
        (attribute,) = confidentials(values, 3)
        assert attribute.distance == distance
        assert attribute.codes.tolist() == [0, 1, 1]


def test_what_cannot_be_read_is_refused():
    with pytest.raises(DataError, match="has 2 values for 3 records"):
        confidentials([1.0, 2.0], 3)
    with pytest.raises(DataError, match="cannot be compared"):
        confidentials(np.array([1, "a", 2.5], dtype=object), 3)
    with pytest.raises(DataError, match="one column"):
        Confidential.ordered([[1.0], [2.0]])
    with pytest.raises(PlanError, match="each category once"):
        Confidential.ranked(["a"], ["a", "a"])
    with pytest.raises(PlanError, match="at least one attribute"):
        confidentials(np.empty((3, 0)), 3)
