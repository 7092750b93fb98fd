"""What verdicts are made of: subjects alike, shares, people behind a class, and sets of columns that are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.protect.dominance import largest_share
from shoal.protect.history_k_anonymity import alike_histories
from shoal.protect.identification_risk import (
    LEAST_FRACTION,
    expected_risk,
    fewest_subjects,
    people_of_classes,
    shares_of_classes,
)
from shoal.protect.k_anonymity import KNOWN, known_sets, parted_note, remaining_k

CLASSES = np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("pseudonyms", "classes", "alike"),
    [
        ([0, 0, 1, 2, 2], [5, 5, 5, 5, 6], [2, 2, 1]),
        ([0, 0, 1, 1, 2, 2], [0, 1, 1, 0, 0, 2], [2, 2, 1]),
        ([0, 1, 2, 3, 3], [0, 0, 1, 0, 1], [2, 2, 1, 1]),
        ([0, 0, 1, 1, 2, 3, 3, 3], [0, 1, 0, 1, 1, 1, 0, 0], [3, 3, 1, 3]),
        ([0, 1, 1, 2, 2, 3], [2, 0, 2, 2, 0, 0], [1, 2, 2, 1]),
    ],
)
def test_histories_are_alike_if_all_their_classes_are(pseudonyms: Any, classes: Any, alike: list[int]) -> None:
    assert alike_histories(np.array(pseudonyms), np.array(classes)).tolist() == alike


@pytest.mark.parametrize(
    ("weights", "contributors", "missing", "largest"),
    [
        ([2, 1, 1, 1, 1, 1], None, None, 1 / 2),
        ([1, 1, 1, 3, 1, 1], None, None, 3 / 5),
        ([1, 1, 2, 1, 1, 1], [0, 1, 1, 2, 3, 4], None, 3 / 4),
        ([1, 1, 2, 1, 1, 1], [0, 1, 2, 2, 3, 4], None, 1 / 2),  # of each class by itself
        ([2, 1, 1, 1, 1, 1], None, [1, 0, 0, 0, 0, 0], 1 / 2),
        ([2, 1, 1, 1, 1, 1], None, [1, 0, 0, 0, 0, 1], 1 / 2),
        ([9, 3, 1, 1, 1, 1], [0, 1, 2, 3, 3, 4], [1, 0, 0, 0, 0, 0], 3 / 4),
        ([2, 1, 1, 1, 1, 1], None, [1, 1, 1, 1, 1, 1], 0),
        ([1e308, 1e308, 1e308, 1, 1, 1], None, None, 1 / 3),
        ([1e-308, 1e-308, 2e-308, 1, 1, 1], None, None, 1 / 2),
    ],
)
def test_the_largest_share_is_of_one_contributor_in_one_class(
    weights: Any, contributors: Any, missing: Any, largest: float
) -> None:
    whose = None if contributors is None else np.array(contributors, dtype=np.int32)
    gaps = None if missing is None else np.array(missing, dtype=bool)
    assert largest_share(CLASSES, np.array(weights, dtype=float), whose, gaps) == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize(
    ("threshold", "fraction", "fewest"),
    [
        (0.2, 1, 5),
        (1 / 11, 1, 11),
        (0.09, 1, 12),
        (0.09, 0.1, 2),
        (1, 1, 1),
        (1 / 49, 1, 49),
        (0.5, 1, 2),
        (0.51, 1, 2),
    ],
)
def test_so_many_subjects_are_within_a_threshold(threshold: float, fraction: float, fewest: int) -> None:
    assert fewest_subjects(threshold, fraction) == fewest


def test_each_class_has_the_risk_of_its_own_share() -> None:
    sizes, shares = np.array([1, 60, 5, 49, 50, 3]), np.array([0.1, 0.1, 0.5, 0.499, 0.2, 1.0])
    alone = [expected_risk(sizes[i : i + 1], float(shares[i]))[0] for i in range(6)]
    assert expected_risk(sizes, shares).tolist() == pytest.approx(alone, rel=1e-12)
    assert expected_risk(np.array([4]), 1.0)[0] == 0.25


@pytest.mark.parametrize(
    ("weights", "subjects", "people"),
    [
        ([2, 3, 4, 1, 1, 1], None, [9, 3]),
        ([0.1, 0.1, 0.1, 5, 1, 1], None, [3, 7]),
        ([2, 3, 4, 5, 6, 7], [0, 0, 1, 1, 2, 2], [6, 11]),
        ([3, 2, 4, 5, 7, 6], [0, 0, 1, 1, 2, 2], [6, 11]),
        ([3, 3, 3, 0.1, 0.1, 0.1], [0, 0, 0, 0, 1, 2], [3, 3]),
        ([3, 3, 3, 0.1, 0.1, 0.1], [0, 0, 0, 1, 1, 1], [3, 1]),
    ],
)
def test_a_class_stands_for_the_people_that_its_weights_say(weights: Any, subjects: Any, people: list[float]) -> None:
    whose = None if subjects is None else np.array(subjects, dtype=np.int32)
    weights = np.array(weights, dtype=float)
    assert people_of_classes(CLASSES, weights, whose).tolist() == people
    sizes = np.array([3, 2])
    assert shares_of_classes(sizes, CLASSES, weights, whose).tolist() == (sizes / people).tolist()
    order = np.array([5, 2, 0, 3, 4, 1])
    shuffled = None if whose is None else whose[order]
    assert people_of_classes(CLASSES[order], weights[order], shuffled).tolist() == people


def test_nobody_stands_for_more_people_than_there_are() -> None:
    sizes, classes = np.array([1, 1]), np.array([0, 1])
    shares_of_classes(sizes, classes, np.array([1, 1 / LEAST_FRACTION]), None)
    with pytest.raises(DataError, match="a person stands for more than 10,000,000,000 people"):
        shares_of_classes(sizes, classes, np.array([1, 1.01 / LEAST_FRACTION]), None)


def demand(names: str = "abc", **keys: Any) -> Any:
    none = dict.fromkeys(("intruder", "subject"))
    given = {"masks_values": False, "why_not_k": "it is given up", "seed": 3, **none, **keys}
    return SimpleNamespace(k=2, quasi_identifiers=tuple(names), **given)


def test_an_intruder_knows_what_the_plan_says_or_sets_of_each_size() -> None:
    named = known_sets(demand(intruder=(("a",), ("a", "c"))), lambda names: float(len(names)))
    assert named == {"a": 1.0, "a + c": 2.0}
    assert known_sets(demand("a"), lambda names: 1.0) == {}
    assert known_sets(demand("abcd"), lambda names: float(sum("abcd".index(name) for name in names))) == {
        "1 of them": 1.5,
        "2 of them": 3.0,
        "3 of them": 4.5,
    }

    def drawn(seed: int) -> list[tuple[str, ...]]:
        sets: list[tuple[str, ...]] = []
        known_sets(demand("abcdefghij", seed=seed), lambda names: float(len(sets.append(tuple(names)) or names)))
        return sets

    assert [sum(len(names) == size for names in drawn(3)) for size in KNOWN] == [10, 12, 12]
    assert drawn(3) == drawn(3) != drawn(4)


@pytest.mark.parametrize(
    ("keys", "smallest", "asked", "holds"),
    [({}, 2, 2, True), ({}, 1, 2, False), ({"masks_values": True}, 2, None, False), ({"subject": "who"}, 3, 2, True)],
)
def test_what_is_left_of_k_is_said_where_it_is_given_up(keys: Any, smallest: int, asked: Any, holds: bool) -> None:
    verdict = remaining_k(demand(**keys), 2.5, smallest, {"a": 1.25, "b": 1.5}, ())
    assert (verdict.name, verdict.asked, verdict.achieved, verdict.holds) == ("k_anonymity", asked, smallest, holds)
    assert verdict.detail == {"k_prime": 2.5, "k_prime of a": 1.25, "k_prime of b": 1.5}
    things = "subjects (who)" if keys == {"subject": "who"} else "records"
    assert verdict.definition == (
        f"k not guaranteed: it is given up. k' = 2.50 {things} share all quasi-identifiers on average, {smallest} at "
        "worst; to an intruder who knows a, 1.25; b, 1.50"
    )
    assert verdict.note == "k' is an average, and no guarantee: records in small classes can be told apart."
    alone = remaining_k(demand(**keys), 2.5, smallest, {}, ("age", "town"))
    assert alone.definition.endswith(f"{smallest} at worst")
    assert alone.note.endswith(f"told apart. {parted_note(('age', 'town'))}")
    assert parted_note(("age", "town")).startswith("'age', 'town' are the same in all records of a subject")
    assert parted_note(("age",)).startswith("'age' is the same in all records of a subject")
