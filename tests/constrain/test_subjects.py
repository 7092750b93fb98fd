"""Ways to closeness with several records of a subject: the kernels are the twins, and every group holds k subjects."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrain import inputs
from reference import constraints as rules
from reference import emd as reference_emd
from reference import k_first as slow_k_first
from reference import merge as slow_merge
from reference import neighbourhood as slow_neighbourhood
from reference import steered as slow_steered
from reference import t_first as slow_t_first
from reference.about import SUBJECTS, fewest_subjects
from shoal import _core
from shoal.constrain import emd, k_first, merge, repair, steered, t_first
from shoal.constrain._steered import group_size
from shoal.errors import DataError
from shoal.exact import exact
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential, DistinctDiversity
from shoal.protect.strata import strata_count
from shoal.steer import separating_weight

T = [0.0, 0.05, 0.1, 0.25, 0.5]


@st.composite
def tables(draw, least=2, most=30):
    """Records of subjects, k, and one or two attributes with their t."""
    n = draw(st.integers(least, most))
    k = draw(st.integers(2, min(n, 6)))
    points = draw(inputs.points(n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    points = points.about(SUBJECTS[draw(st.sampled_from(sorted(SUBJECTS)))](rng, n, k))
    attributes = draw(st.lists(inputs.attributes(n), min_size=1, max_size=2))
    t = [draw(st.sampled_from(T)) for _ in attributes]
    return points, k, attributes, t


def assert_repaired(labels, formed, points, k, attributes, t):
    """Compare labels with the repair of the groups that a twin formed, and with what was asked."""
    pairs = [
        (rules.closeness(distance, exact(each)), values)
        for (_, values, distance), each in zip(attributes, t, strict=True)
    ]
    pairs.append((rules.distinct(k), points.subjects.tolist()))
    assert labels.tolist() == slow_merge.merge(points, formed, pairs).tolist()
    assert fewest_subjects(labels, points.subjects) >= k
    for (_, values, distance), each in zip(attributes, t, strict=True):
        assert max(reference_emd.by_group(distance, values, labels)) <= exact(each)


@settings(max_examples=100)
@given(tables())
def test_t_first_is_the_twin(table):
    points, k, attributes, t = table
    leading = attributes[0][0]
    ordered = leading.distance == "ordered"
    size = slow_t_first.size(len(points), k, exact(t[0])) if ordered else strata_count(leading, k, t[0])
    labels = t_first(points, [attribute for attribute, _, _ in attributes], k=k, t=t)
    assert_repaired(labels, slow_t_first.t_first(points, leading.codes, size, k), points, k, attributes, t)


@settings(max_examples=100)
@given(tables())
def test_k_first_is_the_twin(table):
    points, k, attributes, t = table
    triples = [(distance, values, exact(each)) for (_, values, distance), each in zip(attributes, t, strict=True)]
    labels = k_first(points, [attribute for attribute, _, _ in attributes], k=k, t=t)
    assert_repaired(labels, slow_k_first.k_first(points, k, triples), points, k, attributes, t)


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("t", [0.03, 0.12])
def test_swaps_that_look_at_every_record_are_those_of_the_twin(name, t):
    rng = np.random.default_rng(1)
    points = Points.of(rng.normal(size=(60, 2))).about(SUBJECTS[name](rng, 60, 4))
    values = rng.integers(0, 40, 60)
    formed = _core.k_first(points.records(), 4, [Closeness(Confidential.ordered(values), t).kernel], None)
    twin = slow_k_first.k_first(points, 4, [(reference_emd.ordered, values.tolist(), exact(t))])
    kept = formed >= 0
    assert formed[kept].tolist() == twin[kept].tolist()


def test_groups_of_few_subjects_with_very_many_records_are_not_swapped():
    rng = np.random.default_rng(2)
    # All but four records are of one subject, and k = 3: the first group has to reach across 200 of them, and most of
    # these come along.
    subjects = np.zeros(300, dtype=int)
    subjects[[3, 200, 201, 299]] = 1, 2, 3, 4
    points, values = Points.of(np.arange(300.0)).about(subjects), rng.permutation(300)
    formed = _core.k_first(points.records(), 3, [Closeness(Confidential.ordered(values), 0.01).kernel], None)
    assert np.flatnonzero(formed == 0).tolist() == [*range(150), 200]
    twin = slow_k_first.k_first(points, 3, [(reference_emd.ordered, values.tolist(), exact(0.01))])
    assert formed[formed >= 0].tolist() == twin[formed >= 0].tolist()


def test_candidates_beyond_the_first_batch_are_found_in_order():
    # Two far apart clumps with opposite values: partners are on the other side, hundreds of records away.
    rng = np.random.default_rng(0)
    side = np.arange(700) % 2
    points = Points.of(rng.normal(size=(700, 2)) + 50.0 * side[:, None]).about(rng.integers(0, 90, 700))
    values = side + rng.random(700) / 2
    labels = _core.k_first(points.records(), 2, [Closeness(Confidential.ordered(values), 0.3).kernel], None)
    triples = [(reference_emd.ordered, values.tolist(), exact(0.3))]
    for number, group in enumerate(islice(slow_k_first.groups(points, 2, triples), 5)):
        assert np.flatnonzero(labels == number).tolist() == sorted(group)


@settings(max_examples=80)
@given(tables(), st.sampled_from([0.0, 0.3, 0.999, None]), st.booleans())
def test_steered_is_the_twin(table, share, guarantee):
    points, k, attributes, t = table
    given_attributes = [attribute for attribute, _, _ in attributes]
    count = group_size(given_attributes[0], k, t[0])
    separating = separating_weight(points, len(points) // count)
    weight = None if share is None else share * separating
    labels = steered(points, given_attributes, k=k, t=t, weight=weight, guarantee=guarantee)
    if weight is None:
        formed = slow_steered.numbered(points, given_attributes[0].codes, count)
    else:
        formed = slow_steered.steered(points, given_attributes[0].codes, count, weight)
    if guarantee:
        assert_repaired(labels, formed, points, k, attributes, t)
    else:
        enough = [(rules.distinct(k), points.subjects.tolist())]
        assert labels.tolist() == slow_merge.merge(points, formed, enough).tolist()
        assert fewest_subjects(labels, points.subjects) >= k


@settings(max_examples=80)
@given(tables(most=24), st.data())
def test_repair_is_the_twin_whatever_the_groups(table, data):
    points, k, attributes, t = table
    groups = data.draw(st.integers(1, len(points)))
    rest = len(points) - groups
    others = data.draw(st.lists(st.integers(0, groups - 1), min_size=rest, max_size=rest))
    labels = data.draw(st.permutations([*range(groups), *others]))
    asked = [Closeness(attribute, each) for (attribute, _, _), each in zip(attributes, t, strict=True)]
    assert_repaired(repair(points, labels, asked, k=k), labels, points, k, attributes, t)
    assert merge(points, [a for a, _, _ in attributes], labels, t=t, k=k).tolist() == (
        repair(points, labels, asked, k=k).tolist()
    )
    alone = repair(points, labels, [], k=k)
    assert alone.tolist() == slow_merge.merge(points, labels, [(rules.distinct(k), points.subjects.tolist())]).tolist()


@settings(max_examples=60)
@given(tables(most=24), st.integers(1, 26), st.data())
def test_neighbourhoods_come_after_k(table, n, data):
    points, k, attributes, t = table
    labels = np.array(data.draw(st.permutations([row // 2 for row in range(len(points))])))
    triples = [(distance, values, exact(t[0])) for _, values, distance in attributes]
    merged = merge(points, [attribute for attribute, _, _ in attributes], labels, t=t[0], k=k, n=n)
    formed = slow_merge.merge(points, labels, [(rules.distinct(k), points.subjects.tolist())])
    assert merged.tolist() == slow_neighbourhood.merge(points, formed, triples, n).tolist()
    assert fewest_subjects(merged, points.subjects) >= k


def test_repair_counts_records_where_each_is_its_own_subject():
    points, labels = np.arange(12.0), np.arange(12) // 2
    repaired = repair(points, labels, [], k=4)
    assert np.bincount(repaired).min() >= 4
    assert repaired.tolist() == repair(Points.of(points).about(np.arange(12)), labels, [], k=4).tolist()
    assert repair(points, labels, [], k=2).tolist() == labels.tolist()
    assert repair(points, labels, []).tolist() == labels.tolist()


def test_repair_merges_for_rules_and_subjects_together():
    rng = np.random.default_rng(3)
    points = Points.of(rng.normal(size=(200, 2))).about(rng.integers(0, 40, 200))
    illness = rng.choice(list("abc"), 200)
    rule = DistinctDiversity(Confidential.nominal(illness), 3)
    labels = repair(points, np.arange(200) // 2, [rule], k=7)
    assert fewest_subjects(labels, points.subjects) >= 7
    assert min(len(set(illness[labels == group])) for group in range(labels.max() + 1)) == 3


@pytest.mark.parametrize("form", [t_first, k_first, merge, steered])
def test_too_few_subjects_are_refused_though_there_are_records(form):
    points = Points.of(np.arange(20.0)).about(np.arange(20) % 3)
    with pytest.raises(DataError, match="only 3 different subjects"):
        form(points, np.arange(20.0), k=4, t=0.2)
    with pytest.raises(DataError, match="only 3 different subjects"):
        repair(points, np.zeros(20, dtype=int), [], k=4)


@pytest.mark.parametrize("form", [t_first, k_first, steered])
def test_where_each_record_is_a_subject_of_its_own_nothing_changes(form):
    rng = np.random.default_rng(4)
    points, values = Points.of(rng.normal(size=(300, 2))), rng.integers(0, 100, 300).astype(float)
    own = points.about(rng.permutation(300))
    for k, t in ((2, 0.05), (5, 0.15)):
        assert form(own, values, k=k, t=t).tolist() == form(points, values, k=k, t=t).tolist()


def test_steering_by_number_does_not_ask_for_a_subject_in_each_bucket():
    """Few subjects and a small t: buckets are more than there are subjects."""
    rng = np.random.default_rng(5)
    points = Points.of(rng.random((200, 2))).about(np.arange(200) % 8)
    values = rng.normal(size=200)
    labels = steered(points, values, k=5, t=0.03, weight=1.0)
    assert fewest_subjects(labels, points.subjects) >= 5
    assert emd(values, labels).max() <= 0.03


def test_rounds_and_records_that_come_along_lose_less_than_merging_groups_of_records():
    """Patients whose stays are near each other: what the ways do against forming groups of records, and merging."""
    rng = np.random.default_rng(6)
    home = rng.normal(size=(150, 3))
    subjects = np.repeat(np.arange(150), 4)
    x = home[subjects] + rng.normal(size=(600, 3)) / 10
    values = x[:, 0] + rng.normal(size=600) * 3
    points = Points.of(x).about(subjects)

    def loss(labels):
        return sum(((x[labels == g] - x[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1))

    rule = Closeness(Confidential.ordered(values), 0.2)
    formed = k_first(x, values, k=5, t=0.2)
    assert loss(k_first(points, values, k=5, t=0.2)) < loss(repair(points, formed, [rule], k=5))
    assert loss(k_first(points, values, k=5, t=1.0)) < loss(repair(points, mdav(x, 5), [rule], k=5))
