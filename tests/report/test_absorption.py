"""What classes leave open of a sum, beside what an outsider finds by trying (`fuzz.outsider`)."""

from itertools import combinations, product

import numpy as np
import pytest

from fuzz.outsider import Belief, squares, within
from fuzz.outsider_of_categories import finds
from shoal.kinds import Operator
from shoal.report import absorption
from shoal.report.absorption import Steps, above, between
from shoal.report.category_absorption import ClassesOfCategories

EDGES = [1, 2, 2.5, 3, 4, 5, 6, 7.5, 8]


def classes(rng, *, whole=False):
    sizes = rng.integers(2, 6, rng.integers(2, 7))
    if whole:
        means = np.array([rng.integers(0, 12, size).mean() for size in sizes])
    else:
        means = np.round(rng.uniform(0, 10, len(sizes)), rng.integers(0, 2))
    return means, sizes, [(1,) * size for size in sizes]


def cells(rng):
    low, high = sorted(rng.choice(EDGES, 2, replace=False))
    return (low, None), (low, high), (None, high)


@pytest.mark.parametrize("seed", range(3))
def test_of_any_numbers_between_two_ends_no_more_and_no_less_is_left(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        means, sizes, persons = classes(rng)
        ends = Belief(means.min(), means.max())
        for low, high in cells(rng):
            least, most = within(means, persons, ends, low, high)
            found = [between(low, high, means, sizes), *([above(low, means, sizes)] if high is None else [])]
            assert {(each.least, each.least + each.total) for each in found} == {(least.sum(), most.sum())}
        least, most = squares(means, persons, ends)
        found = absorption.squares(means, sizes)
        np.testing.assert_allclose([found.least, found.least + found.total], [least.sum(), most.sum()], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_no_belief_leaves_less_than_the_strictest_or_more_than_the_widest(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        means, sizes, persons = classes(rng, whole=True)
        start, end, steps = means.min(), means.max(), Steps.of(means, sizes)
        assert steps.step >= 1
        whole = Belief(np.floor(start), np.ceil(end), 1.0)
        others = (Belief(start, end), Belief(-np.inf, end), Belief(start - 3, np.inf), Belief(-np.inf, np.inf))
        for belief in (whole, whole._replace(high=np.inf), *others):
            for low, high in cells(rng):
                least, most = within(means, persons, belief, low, high)
                found = between(low, high, means, sizes, steps) if high else above(low, means, sizes, steps)
                assert found.widest >= (most - least).max()
                if found.total > 0:  # nothing is told otherwise
                    assert found.least >= least.sum()
                    assert found.least + found.total <= most.sum()
        for belief in (whole, Belief(start, end), Belief(start, np.inf), Belief(-np.inf, end)):
            least, most = squares(means, persons, belief)
            found = absorption.squares(means, sizes, steps)
            assert found.least >= least.sum() - 1e-9
            assert found.least + found.total <= most.sum() + 1e-9
            assert absorption.WIDEST * found.widest >= (most - least).max()


@pytest.mark.parametrize("seed", range(2))
def test_means_that_were_rounded_leave_what_any_mean_before_would(seed):
    rng = np.random.default_rng(seed)
    steps = Steps(1.0, 0.5)
    for _ in range(15):
        means = rng.permutation(np.append([0.0, 1 + rng.integers(0, 12)], rng.integers(0, 12, 4).astype(float)))
        sizes = rng.integers(2, 6, len(means))
        persons = [(1,) * size for size in sizes]
        for low_end, high_end in ((0.5, -0.5), (-0.5, 0.5), (0.49, 0.0)):
            ends = Belief(means.min() + low_end, means.max() + high_end)
            before = [np.clip(means + moved, ends.low, ends.high) for moved in np.linspace(-0.5, 0.5, 11)]
            if ends.low > ends.high:
                continue
            for low, high in cells(rng):
                ranges = [within(each, persons, ends, low, high) for each in before]
                found = between(low, high, means, sizes, steps)
                if found.total > 0:
                    assert found.least >= np.min([least for least, _ in ranges], axis=0).sum()
                    assert found.least + found.total <= np.max([most for _, most in ranges], axis=0).sum()
            ranges = [np.array(squares(each, persons, ends)) + sizes * (each - means) ** 2 for each in before]
            least, most = np.min(ranges, axis=0)[0], np.max(ranges, axis=0)[1]
            found = absorption.squares(means, sizes, steps)
            assert absorption.WIDEST * found.widest >= (most - least).max()
            if found.total > 0:
                assert found.least >= least.sum() - 1e-9
                assert found.least + found.total <= most.sum() + 1e-9


@pytest.mark.parametrize("operator", ["mode", "median", "draw"])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
def test_records_with_some_categories_are_those_that_the_operator_allows(operator, size):
    for levels in (2, 3, 4):
        originals = [each for each in product(range(size + 1), repeat=levels) if sum(each) == size]
        sizes, released = np.full(levels, size), np.arange(levels)  # a class that left with each
        known = ClassesOfCategories(released, sizes, Operator(operator))
        had = [np.array([each for each in originals if finds(operator, each, left)]) for left in range(levels)]
        for many in range(1, levels + 1):
            for places in combinations(range(levels), many):
                counted = [each[:, places].sum(axis=1) for each in had]
                least, most = sum(each.min() for each in counted), sum(each.max() for each in counted)
                found = known.having(places)
                if operator == "draw":  # is told of as a mode, which leaves less open
                    assert (found.least >= least, found.least + found.total <= most) == (True, True)
                else:
                    assert (found.least, found.least + found.total) == (least, most)
        changed = sum(size - each[:, left].min() for left, each in enumerate(had))
        assert known.changes().total <= changed
        assert operator == "draw" or known.changes().total == changed
