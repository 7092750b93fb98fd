import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.partitioners import mdav
from shoal.protect import Closeness, Confidential
from shoal.refinement import refine, refinement

POINTS = np.random.default_rng(1).normal(size=(3000, 3))
START = mdav(POINTS, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((POINTS, START, 4), {}, "labels break k at the start: group .* has 3 records, and k is 4"),
        ((POINTS[:2], [0, 0], 3), {}, "k is 3 but there are only 2 records"),
        ((POINTS, START[:-1], 3), {}, "one group per record"),
        ((POINTS, START, 1), {}, "k must be at least 2"),
        ((POINTS, START, 3), {"effort": "most"}, 'effort must be one of "quick", "good", "best", not "most"'),
        ((POINTS, START, 3), {"seconds": 0}, "seconds must be above 0, not 0"),
        ((POINTS, START, 3), {"seconds": -1.0}, "seconds must be above 0"),
        ((POINTS, START, 3), {"seed": -1}, "seed must be a whole number from 0"),
    ],
)
def test_mistakes_are_named(arguments, options, message):
    with pytest.raises((DataError, PlanError), match=message):
        refine(*arguments, **options)


def test_groups_that_break_a_rule_are_refused_by_its_name():
    values = np.arange(12.0)
    rule = Closeness(Confidential.ordered(values, name="income"), 0.1)
    with pytest.raises(DataError, match=r"rule at the start: income must have .* group [03] reaches 0\.4"):
        refine(values[:, None], np.arange(12) // 3, 3, rules=[rule])


def test_a_rule_of_other_records_is_refused():
    rule = Closeness(Confidential.ordered(np.arange(5.0), name="income"), 0.1)
    with pytest.raises(DataError, match="income has 5 values for 3000 records"):
        refine(POINTS, START, 3, rules=[rule])


def test_subjects_that_are_too_few_are_named():
    from shoal.points import Points

    points = Points.of(POINTS[:6]).about([0, 0, 1, 1, 2, 2])
    with pytest.raises(DataError, match="group 0 has 2 different subjects, and k is 3"):
        refine(points, [0, 0, 0, 1, 1, 1], 3)


def test_a_budget_ends_the_search_and_is_not_repeatable():
    found = refinement(POINTS, START, 3, effort="best", seconds=0.2)
    assert not found.repeatable
    assert found.after < found.before


def test_a_budget_that_is_not_needed_changes_nothing():
    found = refinement(POINTS[:60], mdav(POINTS[:60], 3), 3, effort="quick", seconds=600)
    assert found.repeatable
    assert np.array_equal(found.labels, refine(POINTS[:60], mdav(POINTS[:60], 3), 3, effort="quick"))


class Interrupt:
    """Ctrl-C at a later report."""

    def __init__(self, after, kind=KeyboardInterrupt):
        self.left = after
        self.kind = kind

    def __call__(self, done, total):
        self.left -= 1
        if self.left < 0:
            raise self.kind


@pytest.mark.parametrize("after", [0, 3])
def test_ctrl_c_leaves_the_best_so_far(after):
    found = refinement(POINTS, START, 3, effort="best", progress=Interrupt(after))
    assert not found.repeatable
    assert np.bincount(found.labels).min() >= 3
    assert found.after <= found.before
    if after:
        assert found.after < found.before


def test_ctrl_c_as_the_search_ends_leaves_what_it_found():
    def interrupt(done, total):
        if done == total:
            raise KeyboardInterrupt

    found = refinement(POINTS, START, 3, effort="quick", progress=interrupt)
    assert found.interrupted
    np.testing.assert_array_equal(found.labels, refinement(POINTS, START, 3, effort="quick").labels)


def test_other_exceptions_of_the_callback_are_passed_on():
    with pytest.raises(ZeroDivisionError):
        refine(POINTS, START, 3, effort="best", progress=Interrupt(1, ZeroDivisionError))


def test_progress_ends_with_all_records():
    seen = []
    refine(POINTS, START, 3, effort="quick", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3000, 3000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("seed", "name", "declared", "choices"),
    [
        (4, "mass", {"role": "other", "kind": "numeric"}, {"weights": "mass"}),
        (15, "pay", {"role": "confidential", "kind": "numeric"}, {"closeness": {"t": 0.2, "method": "merge"}}),
    ],
)
def test_the_better_of_two_partitions_may_have_more_groups_than_either(seed, name, declared, choices):
    random = np.random.default_rng(seed)
    columns = {f"x{i}": random.normal(size=200).round(2) for i in range(6)}
    columns[name] = random.choice([1, 1, 1, 2, 5, 40], size=200) if name == "mass" else random.normal(size=200)
    attributes = {f"x{i}": {"role": "quasi_identifier", "kind": "numeric"} for i in range(6)} | {name: declared}
    plan = shoal.Plan(k=2, refine="good", seed=seed, attributes=attributes, **choices)
    release = shoal.anonymize(pl.DataFrame(columns), plan)
    assert all(guarantee.holds for guarantee in release.guarantees.values())
    assert np.bincount(release.labels).min() >= 2


@pytest.mark.parametrize("effort", ["quick", "good", "best"])
def test_large_groups_of_equal_records_stay_as_they_are(effort):
    points = np.concatenate([np.zeros((700, 3)), POINTS[:300] + 9])
    labels = np.concatenate([np.zeros(700, dtype=np.int64), 1 + np.arange(300) // 3])
    found = refinement(points, labels, 3, effort=effort)
    assert found.after < found.before
    assert np.bincount(found.labels).max() == 700
    assert np.bincount(found.labels).min() >= 3
