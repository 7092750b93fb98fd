"""(n, t)-closeness: the kernel judges and merges as the twin does, and asks less than t-closeness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrain import inputs
from reference import neighbourhood as reference
from shoal.constrain import emd, merge
from shoal.errors import PlanError
from shoal.exact import exact
from shoal.points import Points
from shoal.protect import Closeness, Confidential, judge_near


@given(st.data())
def test_judging_and_merging_are_the_twin(data):
    records = data.draw(st.integers(2, 24))
    groups = data.draw(st.integers(1, records))
    rest = data.draw(st.lists(st.integers(0, groups - 1), min_size=records - groups, max_size=records - groups))
    labels = np.array(data.draw(st.permutations([*range(groups), *rest])))
    points = data.draw(inputs.points(records))
    attributes = data.draw(st.lists(inputs.attributes(records), min_size=1, max_size=2))
    n = data.draw(st.integers(1, records + 3))
    t = data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5]))
    triples = [(distance, values, exact(t)) for _, values, distance in attributes]
    found = judge_near(points, labels, [Closeness(attribute, t) for attribute, _, _ in attributes], n)
    twin = reference.verdicts(points, [np.flatnonzero(labels == g) for g in range(groups)], triples, n)
    assert found.met.tolist() == [met for _, met in twin]
    worse = ~found.met  # of a group within t, the distance to the table is told, not the smaller one
    assert found.shortfall[worse] == pytest.approx(np.array([shortfall for shortfall, _ in twin])[worse])
    merged = merge(points, [attribute for attribute, _, _ in attributes], labels, t=t, n=n)
    assert merged.tolist() == reference.merge(points, labels, triples, n).tolist()


def test_neighbourhoods_of_many_groups_need_more_than_one_search():
    rng = np.random.default_rng(0)
    points, values = rng.normal(size=(300, 2)), rng.integers(0, 50, 300)
    labels = np.arange(300) // 2
    found = judge_near(points, labels, [Closeness(Confidential.ordered(values), 0.2)], 150)
    groups = [np.flatnonzero(labels == g) for g in range(150)]
    triples = [(reference.emd.ordered, values.tolist(), exact(0.2))]
    assert found.met.tolist() == [met for _, met in reference.verdicts(Points.of(points), groups, triples, 150)]


def test_fewer_records_ask_for_less_and_all_records_for_t_closeness():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(400, 1))
    values = points[:, 0] + rng.normal(size=400) / 4  # near people earn alike: the table is far from every group
    counts = [merge(points, values, k=3, t=0.15, n=n).max() + 1 for n in (60, 120, 200)]
    assert counts[0] > counts[1] > counts[2]
    whole = merge(points, values, k=3, t=0.15, n=400)
    assert emd(values, whole).max() <= 0.15


def test_t_close_groups_are_near_close_for_every_n():
    rng = np.random.default_rng(2)
    points, values = rng.normal(size=(100, 2)), rng.normal(size=100)
    labels = merge(points, values, k=3, t=0.1)
    for n in (1, 20, 60, 100, 1000):
        assert merge(points, values, labels, t=0.1, n=n).tolist() == labels.tolist()


@pytest.mark.parametrize("n", [0, -3, 2.5])
def test_n_is_checked(n):
    with pytest.raises(PlanError, match="n must be a whole number"):
        merge([[0.0], [1.0]], [1.0, 2.0], t=0.1, n=n)


def test_a_run_is_stopped_before_its_first_round_is_over():
    class Stopped(Exception):
        pass

    def stop(done, total):
        raise Stopped(done, total)

    values = np.arange(100_000.0)
    with pytest.raises(Stopped) as caught:  # where judging all groups takes seconds
        merge(values, values, np.arange(100_000) // 2, t=0.001, n=5000, progress=stop)
    assert caught.value.args == (0, 50_000)
