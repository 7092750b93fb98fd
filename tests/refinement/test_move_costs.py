import numpy as np
import pytest

from reference import refine as slow
from reference.points import mixed_points
from shoal import _core
from shoal.points import Points

KINDS = {
    "one column": (1, 0, 0),
    "numbers": (5, 0, 0),
    "sixty columns": (60, 0, 0),
    "ordinal": (0, 3, 0),
    "nominal": (0, 0, 3),
    "mixed": (3, 2, 2),
}


def random_groups(rng, n, count):
    return rng.permutation(np.concatenate([np.repeat(np.arange(count), 2), rng.integers(0, count, n - 2 * count)]))


@pytest.fixture(params=KINDS)
def case(request):
    rng = np.random.default_rng(len(request.param))
    points = mixed_points(rng, 40, *KINDS[request.param], distinct=4)
    labels = random_groups(rng, 40, 7)
    return points, labels, _core.MoveCosts(points.records(), labels, 7)


def scale(points):
    return slow.loss(points, np.arange(len(points))) + 1.0


def test_joining_a_group_costs_what_the_definition_says(case):
    points, labels, costs = case
    for row in range(0, len(points), 3):
        for group in set(range(7)) - {labels[row]}:
            assert costs.joining(row, group) == pytest.approx(
                slow.joining(points, labels, row, group), abs=1e-6 * scale(points)
            )


def test_leaving_a_group_costs_what_the_definition_says(case):
    points, labels, costs = case
    for row in range(len(points)):
        assert costs.leaving(row) == pytest.approx(slow.leaving(points, labels, row), abs=1e-6 * scale(points))


def test_changing_places_costs_what_the_definition_says(case):
    points, labels, costs = case
    for row in range(0, len(points), 3):
        for group in set(range(7)) - {labels[row]}:
            expected = [slow.exchanging(points, labels, row, other) for other in costs.members(group)]
            assert costs.exchanging(row, group) == pytest.approx(expected, abs=1e-6 * scale(points))


def test_a_group_costs_what_the_definition_says(case):
    points, labels, costs = case
    for group, expected in enumerate(slow.losses(points, labels)):
        assert costs.cost(group) == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert costs.spread(group) == pytest.approx(expected, rel=1e-4, abs=1e-6 * scale(points))


def test_losses_are_exact(case):
    points, labels, _ = case
    assert _core.group_losses(points.records(), labels, 7) == pytest.approx(slow.losses(points, labels), rel=1e-12)


@pytest.mark.parametrize("size", [1e-160, 1e-3, 1e8, 1e150])
def test_numbers_of_any_size_are_compared(size):
    rng = np.random.default_rng(3)
    points = Points.of(rng.normal(size=(30, 2)) * size / 10)
    labels = random_groups(rng, 30, 5)
    costs = _core.MoveCosts(points.records(), labels, 5)
    unit = slow.loss(Points.of(points.coords / size), np.arange(30))
    assert costs.leaving(0) / size / size == pytest.approx(
        slow.leaving(Points.of(points.coords / size), labels, 0), abs=1e-3 * unit
    )


def test_the_better_of_two_partitions_is_taken_part_by_part():
    rng = np.random.default_rng(4)
    for kinds in KINDS.values():
        points = mixed_points(rng, 30, *kinds, distinct=5)
        first = np.repeat(np.arange(10), 3)
        second = first.copy()
        for _ in range(4):  # few changes leave many parts
            rows = rng.integers(0, 30, 2)
            second[rows] = second[rows[::-1]]
        labels, before, after = _core.better_of(points.records(), first, second)
        assert np.array_equal(labels, slow.better_of(points, first, second))
        assert before == pytest.approx(sum(slow.losses(points, first)))
        assert after == pytest.approx(sum(slow.losses(points, labels)))
        assert after <= min(before, sum(slow.losses(points, second))) + 1e-9
