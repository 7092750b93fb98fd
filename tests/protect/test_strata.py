"""t as an exact fraction, and the group sizes that follow from it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import emd as reference
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.kinds.hierarchy import Hierarchy
from shoal.protect import Confidential, cluster_size, smallest_t
from shoal.protect.strata import bound, nested_counts, nested_subsets, strata_count, subset_sizes


def test_t_is_the_number_that_was_typed():
    assert exact(0.1) == Fraction(1, 10)
    assert exact(0.15) == Fraction(3, 20)
    assert exact(1 / 3) == Fraction(1, 3)
    assert exact(np.float64(0.05)) == Fraction(1, 20)
    assert exact(0) == 0
    assert exact(Fraction(2, 7)) == Fraction(2, 7)


@given(st.integers(0, 10**9))
def test_nine_decimals_are_kept(billionths):
    assert exact(billionths / 10**9) == Fraction(billionths, 10**9)


@pytest.mark.parametrize("t", [-0.1, 1.5, float("nan"), float("inf"), "much", None])
def test_t_outside_of_its_range_is_refused(t):
    with pytest.raises(PlanError, match="t must"):
        exact(t)


# Soria-Comas et al. 2015, Table 3: 1,080 records.
@pytest.mark.parametrize(
    ("k", "sizes"),
    [
        (2, [49, 10, 6, 4, 3, 3, 2]),
        (5, [49, 10, 6, 5, 5, 5, 5]),
        *((k, [49, *[k] * 6]) for k in (10, 15, 20, 25, 30)),
    ],
)
def test_table_3(k, sizes):
    assert [cluster_size(1080, k, t) for t in (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)] == sizes


@given(st.integers(2, 400), st.integers(2, 30), st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0]))
def test_sizes_leave_at_most_one_extra_record_per_group(n, k, t):
    if n < k:
        with pytest.raises(DataError):
            cluster_size(n, k, t)
        return
    size = cluster_size(n, k, t)
    assert k <= size <= n
    assert n % size < n // size or n == size


@given(st.integers(1, 8), st.integers(2, 8))
def test_proposition_1_is_a_bound_that_is_reached(ratio, k):
    n = ratio * k
    table = list(range(n))
    if n == 1:
        return
    middle = [i * ratio + (ratio - 1) // 2 for i in range(k)]
    assert smallest_t(n, k) <= float(reference.ordered(middle, table)) + 1e-12
    if ratio % 2:
        assert smallest_t(n, k) == pytest.approx(float(reference.ordered(middle, table)))


@given(st.integers(1, 6), st.integers(2, 6), st.data())
def test_proposition_2_holds_for_one_record_of_each_subset(ratio, k, data):
    n = ratio * k
    group = [i * ratio + data.draw(st.integers(0, ratio - 1)) for i in range(k)]
    assert reference.ordered(group, list(range(n))) <= Fraction(n - k, 2 * (n - 1) * k)


@pytest.mark.parametrize(("n", "k", "t"), [(5, 2, 0.13125), (10, 10, 0)])
def test_the_least_distance_is_that_of_proposition_1(n, k, t):
    assert smallest_t(n, k) == t


TREE = Hierarchy.of({"a": {"aa": ["p", "q"], "ab": ["r"]}, "b": ["s", "t"], "c": {"ca": {"caa": ["v", "w"]}}})
BUILDS = {
    "numbers": lambda sizes: Confidential.ordered(np.repeat(np.arange(len(sizes)), sizes)),
    "words": lambda sizes: Confidential.nominal(np.repeat(np.arange(len(sizes)), sizes)),
    "tree": lambda sizes: Confidential.hierarchical(np.repeat(list(TREE.leaves), sizes), TREE),
}


@pytest.mark.parametrize(
    ("kind", "sizes", "count", "distance"),
    [
        ("words", [4, 4], 2, 0),
        ("words", [3, 6], 2, Fraction(19, 30)),  # one subset of two categories, and a record more
        ("words", [1, 2, 3], 4, Fraction(1, 5)),  # a record more alone
        ("words", [2, 6, 7, 9, 11], 5, Fraction(3, 5)),
        ("tree", [2, 1, 2, 0, 1, 0, 0], 2, Fraction(5, 12)),
        ("tree", [0, 1, 2, 3, 0, 2, 0], 3, Fraction(7, 12)),
        ("tree", [11, 17, 5, 17, 12, 16, 3], 8, Fraction(14023, 31680)),
    ],
)
def test_a_bound_is_what_mixed_subsets_and_a_record_more_can_move(kind, sizes, count, distance):
    assert bound(BUILDS[kind](sizes), count) == distance


@pytest.mark.parametrize(
    ("kind", "sizes", "k", "t", "count"),
    [
        ("numbers", [3, 3, 4], 2, 0.1, 5),
        ("words", [11, 5], 2, 0.25, 3),
        ("words", [1, 4, 4, 1, 2], 3, 0.25, 6),  # just half the table
        ("words", [3, 3, 3, 3], 3, 0.15, 3),  # half of it is not enough, though less would be
        ("words", [10, 15, 16, 12, 11, 14, 16], 2, 0.3, 2),
        ("tree", [15, 12, 6, 7, 1, 1, 0], 3, 0.9, 3),
        ("tree", [15, 12, 6, 7, 1, 1, 0], 2, 0.3, 10),
        ("tree", [15, 12, 6, 7, 1, 1, 0], 4, 0.2, 14),
        ("tree", [0, 11, 12, 0, 7, 10, 10], 2, 0.05, 10),
    ],
)
def test_so_many_subsets_are_enough_or_else_as_many_as_without_ties(kind, sizes, k, t, count):
    attribute = BUILDS[kind](sizes)
    assert strata_count(attribute, k, t) == count


@pytest.mark.parametrize(
    ("n", "count", "size", "sizes"),
    [
        (11, 3, None, [3, 5, 3]),
        (11, 4, None, [2, 4, 3, 2]),
        (13, 4, 2, [2, 5, 4, 2]),
        (7, 1, None, [7]),
    ],
)
def test_the_rest_is_in_the_middle(n, count, size, sizes):
    assert subset_sizes(n, count, size).tolist() == sizes


def shuffled(kinds, n):
    """Attributes without ties, and attributes of two or three categories."""
    rows = np.arange(n)
    builds = {
        "numbers": lambda place: Confidential.ordered(7 * rows * (place + 1) % n),
        "words": lambda place: Confidential.nominal(rows * (place + 1) % (2 + place)),
    }
    return [builds[kind](place) for place, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "n", "k", "t", "counts"),
    [
        (["words", "numbers", "words"], 48, 3, [0.05, 0.4, 0.4], [12, 2]),
        (["words", "numbers", "numbers"], 52, 3, [0.4, 0.2, 0.4], [4]),
    ],
)
def test_attributes_cut_one_after_the_other_until_two_groups_are_left(kinds, n, k, t, counts):
    assert nested_counts(shuffled(kinds, n), k, t) == counts


@pytest.mark.parametrize(
    ("first", "second", "subsets"),
    [
        (range(14), range(14)[::-1], "11003332225544"),
        ([0, 7, 14, 21] * 7, [0, 14] * 14, "0124032403240325132513251345"),  # ties go by row
    ],
)
def test_each_subset_is_cut_by_the_next_attribute(first, second, subsets):
    attributes = [Confidential.ordered(first), Confidential.ordered(second)]
    assert nested_subsets(attributes, [3, 2]).tolist() == [int(subset) for subset in subsets]
