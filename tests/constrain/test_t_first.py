"""t-first: the kernel gives the twin's labels, and what it returns is within k and t."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrain import inputs
from reference import constraints as rules
from reference import emd as reference_emd
from reference import merge as reference_merge
from reference import t_first as reference
from shoal import _core
from shoal.constrain import WAYS, emd, t_first
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.points import Points
from shoal.protect import Closeness, Spread, cluster_size
from shoal.protect.confidential import Confidential, confidentials
from shoal.protect.strata import bound, nested_subsets, strata_count


@settings(max_examples=150)
@given(st.data())
def test_t_first_is_the_twin(data):
    n = data.draw(st.integers(2, 40))
    k = data.draw(st.integers(2, min(n, 7)))
    points = data.draw(inputs.points(n))
    attributes = data.draw(st.lists(inputs.attributes(n), min_size=1, max_size=2))
    stratify = data.draw(st.integers(0, len(attributes) - 1))
    t = [data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5])) for _ in attributes]
    labels = t_first(points, [attribute for attribute, _, _ in attributes], k=k, t=t, stratify=stratify)
    leading = attributes[stratify][0]
    if leading.distance == "ordered":
        size = reference.size(n, k, exact(t[stratify]))
    else:
        size = strata_count(leading, k, t[stratify])
    formed = reference.t_first(points, leading.codes, size)
    pairs = [
        (rules.closeness(distance, exact(each)), values)
        for (_, values, distance), each in zip(attributes, t, strict=True)
    ]
    assert labels.tolist() == reference_merge.merge(points, formed, pairs).tolist()
    assert np.bincount(labels).min() >= k
    for (_, values, distance), each in zip(attributes, t, strict=True):
        assert max(reference_emd.by_group(distance, values, labels)) <= exact(each)


@pytest.mark.parametrize(("n", "k"), [(600, 2), (601, 2), (900, 3), (907, 4)])
def test_far_subsets_are_searched_one_by_one(n, k):
    # Values follow the points, so that all records near one are in its own subset: the common search is given up.
    rng = np.random.default_rng(n)
    points = Points.of(rng.normal(size=(n, 2)))
    attribute = Confidential.ordered(points.coords[:, 0])
    formed = _core.t_first(points.records(), nested_subsets([attribute], [k]), k, k, None)
    assert formed.tolist() == reference.t_first(points, attribute.codes, k).tolist()


@given(st.data())
def test_one_record_of_each_subset_of_categories_is_within_the_bound(data):
    n = data.draw(st.integers(2, 60))
    attribute, values, distance = data.draw(inputs.attributes(n).filter(lambda drawn: drawn[0].distance != "ordered"))
    count = data.draw(st.integers(1, n).filter(lambda count: n % count < n // count))
    subset_of = nested_subsets([attribute], [count])
    drawn = [data.draw(st.sampled_from(np.flatnonzero(subset_of == subset).tolist())) for subset in range(count)]
    if n % count:
        middle = data.draw(st.sampled_from([(count - 1) // 2, count // 2]))
        drawn.append(data.draw(st.sampled_from(np.flatnonzero(subset_of == middle).tolist())))
    assert distance([values[row] for row in drawn], values) <= bound(attribute, count)


def test_categories_get_groups_that_need_no_repair():
    rng = np.random.default_rng(3)
    values = rng.choice(list("abcdefgh"), 800, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])
    points = np.column_stack([rng.normal(size=800), values > "b"])
    for t in (0.05, 0.1, 0.2):
        count = strata_count(Confidential.nominal(values), 3, t)
        assert count > cluster_size(800, 3, t)
        labels = t_first(points, values, k=3, t=t)
        assert set(np.bincount(labels)) <= {count, count + 1}
        assert emd(values, labels).max() <= t


@given(st.integers(2, 300), st.integers(2, 12), st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_subsets_are_equal_but_for_the_middle(n, k, t):
    if n < k:
        return
    count = cluster_size(n, k, t)
    sizes = np.bincount(nested_subsets([Confidential.ordered(np.arange(n)[::-1])], [count]))
    base, extras = divmod(n, count)
    middle = {(count - 1) // 2, count // 2}
    assert all(size == base for i, size in enumerate(sizes) if i not in middle)
    assert sum(sizes) == n
    if count % 2 == 0:
        assert sizes[count // 2 - 1] - sizes[count // 2] == extras % 2


@given(st.integers(1, 12), st.integers(2, 8), st.sampled_from([0.03, 0.1, 0.2, 0.4]), st.integers(0, 2**32))
def test_without_ties_or_remainder_nothing_needs_repair(groups, k, t, seed):
    rng = np.random.default_rng(seed)
    k = max(k, 1)
    n = groups * k
    size = cluster_size(n, k, t)
    n = groups * size  # the size may grow or shrink with n, so ask again
    if n % cluster_size(n, size, t):
        return
    labels = t_first(rng.normal(size=(n, 2)), rng.permutation(n).astype(float), k=size, t=t)
    assert set(np.bincount(labels)) == {cluster_size(n, size, t)}


@pytest.mark.parametrize(("k", "t", "size"), [(2, 0.01, 49), (2, 0.05, 10), (2, 0.09, 6), (5, 0.13, 5), (30, 0.21, 30)])
def test_table_3_on_1080_records_without_ties(k, t, size):
    rng = np.random.default_rng(7)
    values = rng.permutation(1080).astype(float)
    labels = t_first(rng.normal(size=(1080, 2)), values, k=k, t=t)
    sizes = np.bincount(labels)
    assert sizes.min() == size
    assert round(sizes.mean()) == size
    assert emd(values, labels).max() <= t


def test_cutting_by_all_attributes_spares_the_repair():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(3000, 2))
    # The second attribute follows the quasi-identifiers and the first does not: near records differ in one only.
    table = np.column_stack([rng.normal(size=3000), points.sum(axis=1)])
    first = t_first(points, table, k=3, t=0.1)
    nested = t_first(points, table, k=3, t=0.1, stratify="all")
    assert emd(table, nested).max() <= 0.1
    assert set(np.bincount(nested)) == {25}
    assert np.bincount(first).mean() > 4 * 25


@given(st.integers(4, 200), st.lists(st.sampled_from([0.05, 0.1, 0.2, 0.4]), min_size=2, max_size=3), st.integers(2, 5))
def test_nested_groups_are_within_k_and_t(n, t, k):
    if n < k:
        return
    rng = np.random.default_rng(n)
    table = rng.integers(0, n, (n, len(t))).astype(float)
    labels = t_first(rng.normal(size=(n, 1)), table, k=k, t=t, stratify="all")
    assert np.bincount(labels).min() >= k
    assert (emd(table, labels).max(axis=0) <= t).all()


@pytest.mark.parametrize(("strata", "stratify", "spread"), [("first", 0, Spread(5, 1)), ("all", "all", Spread(15, 2))])
def test_a_plan_says_over_which_attributes_groups_are_spread(strata, stratify, spread):
    rng = np.random.default_rng(5)
    points, table = Points.of(rng.normal(size=(300, 2))), rng.normal(size=(300, 2))
    rules = [Closeness(attribute, t) for attribute, t in zip(confidentials(table, 300), (0.1, 0.2), strict=True)]
    way = WAYS["t_first"]
    options = way.options(strata=strata)
    assert way.spread(rules, 3, options) == spread
    labels = way.form(points, rules, 3, options, guarantee=True, progress=None)
    assert labels.tolist() == t_first(points, table, k=3, t=[0.1, 0.2], stratify=stratify).tolist()


def test_options_change_the_result():
    rng = np.random.default_rng(2)
    points, table = rng.normal(size=(90, 2)), rng.normal(size=(90, 2))
    base = t_first(points, table, k=3, t=0.2).tolist()
    assert t_first(points, table, k=7, t=0.2).tolist() != base
    assert t_first(points, table, k=3, t=0.05).tolist() != base
    assert t_first(points, table, k=3, t=0.2, stratify=1).tolist() != base
    turned = t_first(points, table[:, ::-1], k=3, t=0.2).tolist()
    assert t_first(points, table, k=3, t=0.2, stratify=1).tolist() == turned
    assert emd(table, base).max() <= 0.2
    with pytest.raises(PlanError, match="one of 2 attributes"):
        t_first(points, table, k=3, t=0.2, stratify=2)
    table[::3, 0] = np.nan
    with pytest.raises(DataError, match="missing"):
        t_first(points, table, k=3, t=0.2)
    assert t_first(points, table, k=3, t=0.2, missing="category").tolist() != base
    heard = []
    t_first(points, table[:, 1], k=3, t=0.2, progress=lambda *done: heard.append(done))
    assert heard[-1] == (90, 90)
