"""k-first: the kernel swaps as the twin does, and what it returns is within k and t."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrain import inputs
from reference import constraints as rules
from reference import emd as reference_emd
from reference import k_first as reference
from reference import merge as reference_merge
from shoal import _core
from shoal.constrain import emd, k_first, merge
from shoal.errors import DataError, PlanError
from shoal.exact import exact
from shoal.points import Points
from shoal.protect import Closeness, Confidential


@settings(max_examples=100)
@given(st.data())
def test_k_first_is_the_twin(data):
    n = data.draw(st.integers(2, 30))
    k = data.draw(st.integers(2, min(n, 7)))
    points = data.draw(inputs.points(n))
    attributes = data.draw(st.lists(inputs.attributes(n), min_size=1, max_size=2))
    t = [data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5])) for _ in attributes]
    labels = k_first(points, [attribute for attribute, _, _ in attributes], k=k, t=t)
    triples = [(distance, values, exact(each)) for (_, values, distance), each in zip(attributes, t, strict=True)]
    formed = reference.k_first(points, k, triples)
    pairs = [(rules.closeness(distance, each), values) for distance, values, each in triples]
    assert labels.tolist() == reference_merge.merge(points, formed, pairs).tolist()
    assert np.bincount(labels).min() >= k
    for distance, values, each in triples:
        assert max(reference_emd.by_group(distance, values, labels)) <= each


@pytest.mark.parametrize(("seed", "t"), [(0, 0.02), (1, 0.08), (2, 0.15)])
def test_groups_that_look_at_every_record_are_those_of_the_twin(seed, t):
    rng = np.random.default_rng(seed)
    points, values = Points.of(rng.normal(size=(70, 2))), rng.integers(0, 40, 70)
    formed = _core.k_first(points.records(), 4, [Closeness(Confidential.ordered(values), t).kernel], None)
    assert (
        formed.tolist() == reference.k_first(points, 4, [(reference_emd.ordered, values.tolist(), exact(t))]).tolist()
    )


def test_candidates_beyond_the_first_batch_are_found_in_order():
    # Two far apart clumps with opposite values: partners are on the other side, hundreds of records away.
    rng = np.random.default_rng(0)
    side = np.arange(700) % 2
    points = rng.normal(size=(700, 2)) + 50.0 * side[:, None]
    values = side + rng.random(700) / 2
    labels = _core.k_first(Points.of(points).records(), 2, [Closeness(Confidential.ordered(values), 0.3).kernel], None)
    triples = [(reference_emd.ordered, values.tolist(), exact(0.3))]
    for number, group in enumerate(islice(reference.groups(Points.of(points), 2, triples), 6)):
        assert np.flatnonzero(labels == number).tolist() == sorted(group)


def test_swaps_leave_smaller_groups_than_merging_alone():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(400, 2))
    values = points[:, 0] + rng.normal(size=400) / 2
    swapped, merged = (f(points, values, k=4, t=0.12).max() + 1 for f in (k_first, merge))
    assert swapped > 1.5 * merged


def test_options_change_the_result():
    rng = np.random.default_rng(2)
    points, values = rng.normal(size=(90, 2)), rng.normal(size=90)
    base = k_first(points, values, k=3, t=0.2).tolist()
    assert k_first(points, values, k=4, t=0.2).tolist() != base
    assert k_first(points, values, k=3, t=0.1).tolist() != base
    assert k_first(points, np.column_stack([values, rng.normal(size=90)]), k=3, t=0.2).tolist() != base
    values[3] = np.nan
    with pytest.raises(DataError, match="missing"):
        k_first(points, values, k=3, t=0.2)
    assert k_first(points, values, k=3, t=0.2, missing="category").tolist() != base
    heard = []
    k_first(points, Confidential.ordered(rng.normal(size=90)), k=3, t=0.2, progress=lambda *done: heard.append(done))
    assert heard[-1] == (90, 90)


def test_arguments_are_checked():
    with pytest.raises(PlanError, match="k must be at least 2"):
        k_first([[0.0], [1.0]], [1.0, 2.0], k=1, t=0.1)
    with pytest.raises(DataError, match="only 2 records"):
        k_first([[0.0], [1.0]], [1.0, 2.0], k=3, t=0.1)
    with pytest.raises(PlanError, match="t must lie from 0 to 1"):
        k_first([[0.0], [1.0]], [1.0, 2.0], k=2, t=1.1)


def test_several_attributes_are_steered_together():
    rng = np.random.default_rng(6)
    points, table = rng.normal(size=(300, 2)), rng.normal(size=(300, 2))
    labels = k_first(points, table, k=8, t=0.15)
    assert emd(table, labels).max() <= 0.15
    assert np.bincount(labels).mean() < 16


@pytest.mark.parametrize(("n", "categories", "t"), [(40, 12, 0.1), (40, 40, 0.3), (60, 25, 0.5)])
def test_many_categories_are_swapped_as_the_twin_does(n, categories, t):
    rng = np.random.default_rng(categories)
    values = np.floor(categories * rng.random(n) ** 2).astype(int).tolist()
    points = Points.of(rng.normal(size=(n, 2)))
    formed = _core.k_first(points.records(), 4, [Closeness(Confidential.nominal(values), t).kernel], None)
    assert formed.tolist() == reference.k_first(points, 4, [(reference_emd.equal, values, exact(t))]).tolist()


@pytest.mark.parametrize("grid", [True, False])
def test_many_records_that_improve_a_group_are_found_in_their_order(grid):
    # Rare categories in one place and common ones far from it: so many improve that they are not set aside. The same
    # attribute twice is the same question, for which records are looked at one by one.
    rng = np.random.default_rng(0)
    values = [*range(1_000, 1_200), *np.repeat(np.arange(150), 12).tolist()]
    far = rng.integers(0, 12, (1_800, 2)) if grid else rng.normal(size=(1_800, 2))
    records = Points.of(np.concatenate([rng.normal(size=(200, 2)), 40.0 + far])).records()
    rule = Closeness(Confidential.nominal(values), 0.2).kernel
    formed = _core.k_first(records, 3, [rule], None)
    assert formed.tolist() == _core.k_first(records, 3, [rule, rule], None).tolist()
