"""Merging: the kernel gives the twin's labels, ends within every constraint, and refuses what cannot be had."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrain import inputs
from reference import constraints as rules
from reference import emd as reference_emd
from reference import merge as reference
from shoal.constrain import emd, k_first, merge, repair, steered, t_first
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.exact import exact
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential, DistinctDiversity, EntropyDiversity, RecursiveDiversity


@st.composite
def partitions(draw):
    n = draw(st.integers(2, 24))
    groups = draw(st.integers(1, n))
    labels = [*range(groups), *draw(st.lists(st.integers(0, groups - 1), min_size=n - groups, max_size=n - groups))]
    return draw(inputs.points(n)), draw(st.permutations(labels))


@given(partitions(), st.data())
def test_merge_is_the_twin(partition, data):
    points, labels = partition
    attributes = data.draw(st.lists(inputs.attributes(len(points)), min_size=1, max_size=2))
    t = [data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5])) for _ in attributes]
    twin = [
        (rules.closeness(distance, exact(each)), values)
        for (_, values, distance), each in zip(attributes, t, strict=True)
    ]
    merged = merge(points, [attribute for attribute, _, _ in attributes], labels, t=t)
    assert merged.tolist() == reference.merge(points, labels, twin).tolist()
    for (_, values, distance), each in zip(attributes, t, strict=True):
        assert max(reference_emd.by_group(distance, values, merged)) <= exact(each)


@given(partitions(), st.data())
def test_repair_to_diversity_is_the_twin(partition, data):
    points, labels = partition
    attribute, values, distance = data.draw(inputs.attributes(len(points)))
    codes = attribute.codes.tolist()
    l = data.draw(st.integers(1, 3))  # noqa: E741
    constraint, twin = data.draw(
        st.sampled_from(
            [
                (DistinctDiversity(attribute, l), rules.distinct(l)),
                (EntropyDiversity(attribute, l + 0.5), rules.entropy(l + 0.5)),
                (EntropyDiversity(attribute, l), rules.entropy(l)),
                (RecursiveDiversity(attribute, 1.5, l), rules.recursive(1.5, l)),
                (RecursiveDiversity(attribute, 0.3, l), rules.recursive(0.3, l)),
            ]
        )
    )
    pairs = [(twin, codes)]
    constraints = [constraint]
    if data.draw(st.booleans()):
        constraints.append(Closeness(attribute, 0.2))
        pairs.append((rules.closeness(distance, exact(0.2)), values))
    if not twin(codes, codes)[1]:
        with pytest.raises(GuaranteeError, match="records in one group reach only"):
            repair(points, labels, constraints)
        return
    merged = repair(points, labels, constraints)
    assert merged.tolist() == reference.merge(points, labels, pairs).tolist()
    for group in range(max(merged) + 1):
        assert twin([codes[row] for row in np.flatnonzero(merged == group)], codes)[1]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=20), st.data())
def test_a_union_falls_short_by_no_more_than_its_worse_part(codes, data):
    # What lets the kernel put off judging merged groups.
    cut = data.draw(st.integers(1, len(codes) - 1))
    judges = [
        rules.closeness(reference_emd.ordered, exact(0.1)),
        rules.closeness(reference_emd.equal, exact(0.1)),
        rules.distinct(3),
        rules.entropy(2.5),
        rules.recursive(0.7, 2),
        rules.recursive(2, 3),
    ]
    table = [*codes, *range(5)]
    for judge in judges:
        parts = [judge(part, table)[0] for part in (codes[:cut], codes[cut:])]
        assert judge(codes, table)[0] <= max(parts) * (1 + 1e-12)


def test_centroids_far_apart_in_magnitude_are_still_exact():
    # 106 bits do not hold these sums: the kernel must notice and add the records up anew.
    rng = np.random.default_rng(3)
    for _ in range(20):
        coords = rng.normal(size=(12, 2)) * 10.0 ** rng.integers(-150, 150, (12, 2))
        points, values, labels = Points.of(coords), list(range(12)), np.arange(12) // 2
        twin = [(rules.closeness(reference_emd.ordered, exact(0.05)), values)]
        merged = merge(points, np.arange(12.0), labels, t=0.05)
        assert merged.tolist() == reference.merge(points, labels, twin).tolist()


def test_without_labels_it_starts_from_mdav():
    rng = np.random.default_rng(1)
    points, values = rng.normal(size=(60, 2)), rng.normal(size=60)
    for k in (2, 5):
        assert merge(points, values, k=k, t=0.1).tolist() == merge(points, values, mdav(points, k), t=0.1).tolist()


def test_a_larger_t_leaves_more_groups():
    rng = np.random.default_rng(2)
    points, values = rng.normal(size=(200, 2)), rng.normal(size=200)
    groups = [merge(points, values, k=3, t=t).max() + 1 for t in (0.02, 0.1, 0.2, 0.4)]
    assert groups == sorted(groups)
    assert groups[0] < groups[-1]


def test_each_attribute_has_its_t():
    rng = np.random.default_rng(4)
    points, table = rng.normal(size=(120, 2)), rng.normal(size=(120, 2))
    for j, t in enumerate(([0.1, 1.0], [1.0, 0.1])):
        labels = merge(points, table, k=3, t=t)
        assert labels.tolist() == merge(points, table[:, j], k=3, t=0.1).tolist()
    assert emd(table, merge(points, table, k=3, t=0.1)).max() <= 0.1
    with pytest.raises(PlanError, match="one for each of 2 attributes, not 3"):
        merge(points, table, k=3, t=[0.1, 0.2, 0.3])


def test_missing_values_count_as_a_category_when_asked():
    points, values = [[0.0], [1.0], [2.0], [3.0]], [1.0, np.nan, 2.0, np.nan]
    with pytest.raises(DataError, match="missing"):
        merge(points, values, [0, 0, 1, 1], t=0.3)
    assert merge(points, values, [0, 0, 1, 1], t=0.3, missing="category").tolist() == [0, 0, 1, 1]


def test_what_no_partition_can_keep_is_said_with_what_the_table_has():
    attribute = Confidential.nominal(["a", "b"] * 3, name="illness")
    with pytest.raises(GuaranteeError, match="illness cannot have distinct l-diversity with l = 3") as caught:
        repair(np.arange(6.0), [0, 0, 1, 1, 2, 2], [DistinctDiversity(attribute, 3)])
    assert caught.value.reached == 2
    with pytest.raises(GuaranteeError, match="entropy") as caught:
        repair(np.arange(6.0), [0, 0, 1, 1, 2, 2], [EntropyDiversity(attribute, 2.5)])
    assert caught.value.reached == pytest.approx(2)
    with pytest.raises(GuaranteeError, match="recursive") as caught:
        repair(np.arange(6.0), [0, 0, 1, 1, 2, 2], [RecursiveDiversity(attribute, 1, 2)])
    assert caught.value.reached == pytest.approx(1)


@pytest.mark.parametrize(
    "constraint",
    [
        lambda a: DistinctDiversity(a, 0),
        lambda a: DistinctDiversity(a, 1.5),
        lambda a: EntropyDiversity(a, 0.5),
        lambda a: RecursiveDiversity(a, 0, 2),
        lambda a: RecursiveDiversity(a, 1, 0),
        lambda a: Closeness(a, 2),
    ],
)
def test_parameters_are_checked(constraint):
    with pytest.raises(PlanError, match="must"):
        repair([0.0, 1.0], [0, 1], [constraint(Confidential.ordered([0.0, 1.0]))])


@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, 1, 1, 1]])
def test_every_record_has_a_label(labels):
    rule = Closeness(Confidential.ordered(range(4)), 0.9)
    with pytest.raises(DataError, match="4 records"):
        repair(np.arange(4.0), labels, [rule])
    with pytest.raises(DataError, match="4 records"):
        merge(np.arange(4.0), range(4), labels, t=0.9)


def test_progress_is_heard():
    heard = []
    rng = np.random.default_rng(5)
    merge(rng.normal(size=(50, 2)), rng.normal(size=50), k=2, t=0.05, progress=lambda *done: heard.append(done))
    assert heard[-1] == (25, 25)


@pytest.mark.parametrize("form", [t_first, k_first, steered])
def test_merging_is_heard_after_all_records_are_settled(form):
    heard = []
    rng = np.random.default_rng(5)
    form(rng.normal(size=(91, 2)), rng.normal(size=(91, 2)), k=3, t=0.05, progress=lambda *done: heard.append(done))
    assert heard[-2:] == [(91, 91)] * 2


def test_a_part_of_the_table_is_compared_with_the_whole():
    values = np.arange(40.0)
    whole = Confidential.ordered(values)
    part = whole.take(np.arange(0, 40, 2))
    labels = np.arange(20) // 5
    expected = emd(values, np.where(np.arange(40) % 2 == 0, np.arange(40) // 10, 4))[:4]
    assert emd(part, labels).tolist() == expected.tolist()
    merged = merge(np.arange(20.0), part, labels, t=0.2)
    assert emd(part, merged).max() <= 0.2
    low = whole.take(np.arange(10))
    with pytest.raises(GuaranteeError, match="t-closeness with t = 0") as caught:
        merge(np.arange(10.0), low, np.arange(10) // 5, t=0.2)
    assert caught.value.reached == pytest.approx(emd(low, np.zeros(10, dtype=int))[0])


def test_one_value_has_the_entropy_of_one_whatever_logarithms_round_to():
    for n in range(1, 200):
        (shortfall,), (met,) = EntropyDiversity(Confidential.nominal(["a"] * n), 1).kernel.judge(np.zeros(n, int), 1)
        assert met, n
        assert shortfall == pytest.approx(1), n
