"""Rules of groups: which group is the worst, what not even all records together keep, and where merging may start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shoal.errors import DataError, GuaranteeError
from shoal.points import Points
from shoal.protect import Closeness, Confidential, DistinctDiversity
from shoal.protect.rules import Breach, of_records, require_possible, require_start, worst_breach, worst_shortfalls

LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2])
POINTS = Points.of(np.arange(8.0)[:, None])


def ill(l: int = 3) -> DistinctDiversity:  # noqa: E741  the name of the parameter in the literature
    return DistinctDiversity(Confidential.nominal(["x", "y", "z", "z", "z", "z", "x", "y"], name="ill"), l)


def pay(t: float) -> Closeness:
    return Closeness(Confidential.ordered([1, 2, 3, 4, 5, 6, 7, 8], name="pay"), t)


def test_the_worst_group_is_the_one_that_falls_furthest_short() -> None:
    assert worst_breach(ill(), LABELS) == Breach(1, 1)
    assert worst_breach(ill(), np.array([0, 0, 0, 1, 1, 1, 1, 1])) is None
    assert worst_breach(ill(), np.array([0, 0, 0, 1, 1, 1, 1, 0])) == Breach(1, 2)
    breach = worst_breach(pay(0.1), np.array([0, 0, 0, 0, 0, 0, 0, 1]))
    assert breach is not None
    assert (breach.group, breach.reached) == (1, pytest.approx(0.5))


def test_the_worst_of_each_rule_is_told_and_one_that_is_missed_is_enough() -> None:
    assert worst_shortfalls([ill()], LABELS) == ([3.0], False)
    lax = ill(1)
    assert worst_shortfalls([lax, ill()], LABELS) == ([1.0, 3.0], False)
    assert worst_shortfalls([ill(), lax], LABELS) == ([3.0, 1.0], False)
    assert worst_shortfalls([lax], LABELS) == ([1.0], True)


def test_rules_of_some_records_still_compare_them_with_the_table() -> None:
    rows = np.array([7, 0])
    first, second = of_records([pay(0.1), pay(0.2)], rows)
    assert (first.t, second.t) == (0.1, 0.2)
    assert first.attribute.codes.tolist() == [7, 0]
    assert first.attribute.counts.tolist() == [1] * 8


@pytest.mark.parametrize(
    ("distinct", "labels", "words", "reached"),
    [
        ([3, 4], None, "ill cannot have distinct .* all 8 .* only 3, so ask", 3),
        ([3], np.array([0, 0, 0, 0, 0, 1, 1, 1]), None, None),
        ([3], np.array([0, 0, 0, 0, 0, 0, 1, 1]), "all 2 records in one group reach only 2, so ask for less", 2),
        ([3], None, None, None),
    ],
)
def test_what_the_coarsest_groups_miss_is_refused(distinct: Any, labels: Any, words: str | None, reached: Any) -> None:
    rules = [ill(l) for l in distinct]  # noqa: E741
    if words is None:
        require_possible(rules, labels)
        return
    with pytest.raises(GuaranteeError, match=words) as refused:
        require_possible(rules, labels)
    assert refused.value.reached == reached


def test_groups_to_start_from_hold_k_and_keep_the_rules() -> None:
    require_start(POINTS, LABELS, 2)
    require_start(POINTS, np.array([0, 0, 0, 1, 1, 1, 1, 1]), 3, [ill()])
    with pytest.raises(DataError, match="group 2 has 2 records, and k is 3, so form groups of at least k"):
        require_start(POINTS, LABELS, 3)
    with pytest.raises(
        DataError, match=r"ill must have distinct l-diversity with l = 3 .* group 1 reaches 1, so merge"
    ):
        require_start(POINTS, LABELS, 2, [pay(1.0), ill()])
    with pytest.raises(DataError, match="pay has 8 values for 7 records: they must match one to one"):
        require_start(POINTS.take(np.arange(7)), LABELS[:7], 1, [pay(1.0)])


def test_the_subjects_of_groups_to_start_from_are_counted() -> None:
    whose = np.array([0, 0, 0, 1, 2, 3, 4, 5], dtype=np.int32)
    points = replace(POINTS, subjects=whose)
    require_start(points, LABELS, 1)
    with pytest.raises(DataError, match="group 0 has 1 different subjects, and k is 2"):
        require_start(points, LABELS, 2)
