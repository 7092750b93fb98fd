"""Steered t-closeness: the twin's groups, the figure of Domingo-Ferrer and Soria-Comas 2017, each option."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrain import inputs
from reference import constraints as rules
from reference import emd as reference_emd
from reference import merge as reference_merge
from reference import steered as reference
from shoal.constrain import emd, steered
from shoal.constrain._steered import group_size
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.points import Points
from shoal.protect import Confidential
from shoal.protect.strata import strata_count
from shoal.scaling import unit_range
from shoal.steer import bucket_count, number_buckets, separating_weight


def as_sets(labels):
    return {tuple(np.flatnonzero(labels == group)) for group in range(labels.max() + 1)}


@settings(max_examples=120)
@given(st.data())
def test_steered_is_the_twin(data):
    n = data.draw(st.integers(2, 40))
    k = data.draw(st.integers(2, min(n, 7)))
    points = data.draw(inputs.points(n))
    attributes = data.draw(st.lists(inputs.attributes(n), min_size=1, max_size=2))
    stratify = data.draw(st.integers(0, len(attributes) - 1))
    t = [data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5])) for _ in attributes]
    given_attributes = [attribute for attribute, _, _ in attributes]
    count = group_size(given_attributes[stratify], k, t[stratify])
    size = n // count
    share = data.draw(st.sampled_from([0.0, 0.1, 0.7, 0.999]))
    weight = share * separating_weight(points, size)
    options = {"k": k, "t": t, "stratify": stratify, "weight": weight}
    formed = reference.steered(points, given_attributes[stratify].codes, count, weight)
    assert steered(points, given_attributes, guarantee=False, **options).tolist() == formed.tolist()
    pairs = [
        (rules.closeness(distance, exact(each)), values)
        for (_, values, distance), each in zip(attributes, t, strict=True)
    ]
    labels = steered(points, given_attributes, **options)
    assert labels.tolist() == reference_merge.merge(points, formed, pairs).tolist()
    assert np.bincount(labels).min() >= k
    for (_, values, distance), each in zip(attributes, t, strict=True):
        assert max(reference_emd.by_group(distance, values, labels)) <= exact(each)


@settings(max_examples=80)
@given(st.data())
def test_without_a_weight_the_groups_are_those_of_a_separating_one(data):
    n = data.draw(st.integers(4, 40))
    k = data.draw(st.integers(2, min(n, 7)))
    points = data.draw(inputs.points(n))
    attribute, _, _ = data.draw(inputs.attributes(n))
    t = data.draw(st.sampled_from([0.05, 0.1, 0.25, 0.5]))
    count = group_size(attribute, k, t)
    weight = separating_weight(points, n // count)
    # Groups are numbered differently, so where the surplus is equally near to two of them it may join another one.
    kept = number_buckets(points, attribute.codes, count) >= 0
    free = as_sets(steered(points, attribute, k=k, t=t, guarantee=False)[kept])
    for factor in (1.0, 7.0):
        assert free == as_sets(reference.steered(points, attribute.codes, count, weight * factor)[kept])
        heavy = steered(points, attribute, k=k, t=t, weight=weight * factor, guarantee=False)
        assert free == as_sets(heavy[kept])


def test_as_many_buckets_as_the_attribute_needs():
    values = np.random.default_rng(0).permutation(437)
    assert group_size(Confidential.ordered(values), 3, 0.03) == bucket_count(437, 3, 0.03)
    nominal = Confidential.nominal(values % 3)
    assert group_size(nominal, 3, 0.1) == strata_count(nominal, 3, 0.1) > bucket_count(437, 3, 0.1)
    labels = steered(np.random.default_rng(1).random((437, 2)), nominal, k=3, t=0.1)
    assert labels.max() > 10  # and no need to merge all into one


@pytest.mark.parametrize(("weight", "largest"), [(98, 0.0999), (99, 0.0495), (None, 0.0495)])
def test_the_figure_of_perfectly_correlated_records(weight, largest):
    values = np.arange(1000.0)
    labels = steered(values[:, None], values, k=2, t=0.05, weight=weight, guarantee=False)
    assert emd(values, labels).max() == pytest.approx(largest, abs=5e-5)
    kept = steered(values[:, None], values, k=2, t=0.05, weight=weight)
    assert emd(values, kept).max() <= 0.05
    assert (kept.tolist() == labels.tolist()) == (largest <= 0.05)


def test_arrays_are_scaled_to_the_unit_range_and_points_are_not():
    rng = np.random.default_rng(0)
    x, values = rng.random((60, 2)) * [1000, 3], rng.standard_normal(60)
    options = {"k": 3, "t": 0.1, "weight": 4.0, "guarantee": False}
    scaled = steered(Points.of(unit_range(x)), values, **options)
    assert steered(x, values, **options).tolist() == scaled.tolist()
    assert steered(Points.of(x), values, **options).tolist() != scaled.tolist()


@pytest.mark.parametrize(("n", "count"), [(100, 10), (109, 10), (119, 40), (23, 20), (20, 20)])
def test_the_surplus_waits_and_joins_the_nearest_group(n, count):
    rng = np.random.default_rng(n)
    points, values = Points.of(rng.random((n, 2))), rng.standard_normal(n)
    labels = steered(points, values, k=count, t=1.0)
    numbers = number_buckets(points, values, count)
    assert (numbers == -1).sum() == n % count
    assert np.bincount(labels).min() >= count
    assert (labels[numbers >= 0] == numbers[numbers >= 0]).all()


def test_every_option_changes_the_groups():
    rng = np.random.default_rng(3)
    x = rng.random((200, 2))
    values = rng.random((200, 2))
    base = {"k": 4, "t": 0.15, "weight": 20.0}
    changes = [
        {"k": 15},
        {"t": 0.1},
        {"t": [0.15, 0.25]},
        {"weight": None},
        {"weight": 5.0},
        {"guarantee": False},
        {"stratify": 1},
    ]
    found = [steered(x, values, **base), *(steered(x, values, **{**base, **change}) for change in changes)]
    assert len({tuple(labels) for labels in found}) == len(found)


def test_missing_values_are_refused_or_a_category():
    values = np.array([1.0, 2.0, np.nan, 4.0, 5.0, 6.0])
    x = np.arange(6.0)
    with pytest.raises(DataError, match="missing in 1 of 6"):
        steered(x, values, k=2, t=0.5)
    assert np.bincount(steered(x, values, k=2, t=0.5, missing="category")).min() >= 2


def test_progress_is_reported():
    seen = []
    rng = np.random.default_rng(0)
    steered(rng.random((500, 2)), rng.random(500), k=5, t=0.1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (500, 500)
    x, values, heard = rng.random((91, 2)), rng.random(91), []
    keys = {"k": 3, "t": 0.05, "guarantee": False, "progress": lambda *done: heard.append(done)}
    for weight in (None, 0.5):
        steered(x, values, weight=weight, **keys)
        assert ((90, 90) in heard) == (weight is not None)  # without the record in the middle


def test_from_the_separating_weight_on_groups_have_the_numbers_of_their_records():
    rng = np.random.default_rng(5)
    points, values = Points.of(rng.random((91, 2))), rng.random(91)
    size = 91 // group_size(Confidential.ordered(values), 3, 0.05)
    weight = separating_weight(points, size)
    numbered = steered(points, values, k=3, t=0.05).tolist()
    assert steered(points, values, k=3, t=0.05, weight=weight).tolist() == numbered
    less = steered(points, values, k=3, t=0.05, weight=np.nextafter(weight, 0))
    assert as_sets(less) == as_sets(np.array(numbered))
    assert less.tolist() != numbered


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t": 1.5}, "t must lie from 0 to 1"),
        ({"weight": -1.0}, "weight must be a finite number"),
        ({"stratify": 1}, "stratify must be the place of one of 1 attributes"),
        ({"k": 1}, "k must be at least 2"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(PlanError, match=message):
        steered(np.arange(9.0), np.arange(9.0), **{"k": 2, "t": 0.1, **options})


def test_the_input_is_left_alone():
    x, values = np.arange(30.0)[:, None], np.arange(30.0)
    steered(x, values, k=3, t=0.1, weight=2.0)
    assert x.ravel().tolist() == values.tolist() == list(range(30))
