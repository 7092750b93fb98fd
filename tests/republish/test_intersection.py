"""Intersections, record by record: who shares the classes of all releases, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.encode import read_subjects
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.republish import prior_releases
from shoal.republish.intersection import Intersection, NewRelease, intersect
from shoal.republish.prior_releases import PriorReleases

AGE = {"role": "quasi_identifier", "kind": "numeric"}
TOWN = {"role": "quasi_identifier", "kind": "nominal"}
ILL = {"role": "confidential", "kind": "nominal"}
PAY = {"role": "confidential", "kind": "numeric"}
WHO = {"role": "identifier"}
OTHER = {"role": "other"}
ORIGINAL = {
    "age": [1, 2, 3, 4, 5, 6],
    "town": ["a", "a", "b", "b", "b", "b"],
    "ill": ["x", "x", "y", "y", "x", "y"],
    "pay": [7, 7, 7, 8, 8, 8],
    "who": ["p", "q", "r", "s", "t", "t"],
}
PLAN: dict[str, Any] = {"k": 2, "attributes": {"age": AGE, "ill": ILL, "who": WHO, "town": OTHER}}


@dataclass
class Published:
    """A release that is out, whose classes are known."""

    numbers: list[int]
    plan: shoal.Plan
    differences: tuple[int, ...] = ()
    releases: int = 1
    name: str = "the first one"
    remedy: str = "wait"
    asked: list[Any] = field(default_factory=list)

    def classes(self, columns: Any) -> Any:
        self.asked.append(list(columns))
        return np.array(self.numbers)

    def parted(self, classes: Any, k: int) -> Any:
        self.asked.append((classes.tolist(), k))
        return np.array(self.differences, dtype=np.int64)


def new(age: list[float], subjects: str | None = None, labels: Any = None, **changes: Any) -> NewRelease:
    original = Table.of(pl.DataFrame(ORIGINAL))
    released = Table.of(pl.DataFrame({**ORIGINAL, "age": age}).drop("who"))
    plan = shoal.Plan(**{**PLAN, **changes})
    named = None if subjects is None else read_subjects(original, subjects)
    return NewRelease(original, released, np.array(labels if labels is not None else [0] * 6), plan, named)


def before(*numbers: int, **keys: Any) -> Published:
    return Published(list(numbers), shoal.Plan(**PLAN), **keys)


def test_who_is_left_shares_the_classes_of_all_releases() -> None:
    earlier = [before(0, 0, 0, 0, 1, 1), before(0, 0, 1, 1, 1, 1)]
    result = intersect(new([2.0, 2.0, 2.0, 5.0, 5.0, 5.0]), earlier)
    assert result == Intersection("records", 6, 1, 2, 2, 0, {"ill": 4}, {"ill": 0})
    assert earlier[0].asked == [["age"], ([0, 0, 0, 1, 1, 1], 2)]
    one = intersect(new([2.0, 2.0, 2.0, 5.0, 5.0, 5.0]), [before(0, 0, 0, 1, 1, 1)])
    assert (one.smallest, one.below_k, one.singled_out) == (3, 0, 0)
    three = intersect(new([2.0, 2.0, 2.0, 5.0, 5.0, 5.0], k=4), [before(0, 0, 0, 1, 1, 1)])
    assert (three.smallest, three.below_k, three.singled_out) == (3, 6, 0)


def test_all_columns_that_any_plan_calls_known_are_known() -> None:
    earlier = before(0, 0, 0, 0, 0, 0)
    earlier.plan = shoal.Plan(k=2, by="town", attributes={"age": AGE, "town": OTHER, "pay": PAY})
    result = intersect(new([2.0] * 6), [earlier])
    assert earlier.asked[0] == ["age", "town"]
    assert (result.smallest, result.below_k) == (2, 0)
    assert (result.determined, result.determined_alone) == ({"ill": 2, "pay": 2}, {"ill": 2, "pay": 2})


def test_subjects_are_counted_where_they_are_named() -> None:
    changes: dict[str, Any] = {"subject": "who", "attributes": {**PLAN["attributes"], "pay": PAY}}
    result = intersect(new([2.0] * 4 + [5.0] * 2, "who", **changes), [before(0, 0, 1, 1, 1, 1)])
    assert (result.counted, result.total) == ("subjects (who)", 5)
    assert (result.smallest, result.below_k, result.singled_out) == (1, 1, 1)
    assert (result.determined, result.determined_alone) == ({"ill": 4, "pay": 3}, {"ill": 0, "pay": 1})


def test_the_groups_of_a_permutation_are_its_classes() -> None:
    changes: dict[str, Any] = {"release": "permute", "labels": [0, 0, 0, 1, 1, 1]}
    result = intersect(new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], **changes), [before(0, 0, 1, 1, 2, 2)])
    assert (result.smallest, result.below_k) == (1, 2)


def test_differences_and_sums_count_too() -> None:
    result = intersect(new([2.0] * 6), [before(0, 0, 0, 0, 0, 0), before(0, 0, 0, 0, 0, 0, differences=(5, 1, 2))])
    assert (result.smallest, result.below_k, result.parted) == (1, 0, 1)
    result = intersect(new([2.0] * 6), [before(0, 0, 0, 0, 0, 0, differences=(9, 8))])
    assert (result.smallest, result.parted) == (6, 0)


COUNTS = {"counted": "records", "total": 2000, "smallest": 2, "below_k": 1000, "singled_out": 0, "parted": 0}


@pytest.mark.parametrize(
    ("changes", "k", "holds", "note", "detail"),
    [
        ({}, 2, True, "1,000 of 2,000 records are left with fewer than 2.", {}),
        ({}, 3, False, "1,000 of 2,000 records are left with fewer than 3.", {}),
        ({"singled_out": 3}, 2, True, "1,000 of 2,000 records are left with fewer than 2, 3 of them alone.", {}),
        (
            {"parted": 1},
            2,
            True,
            "1,000 of 2,000 records are left with fewer than 2, 1 difference or sum of classes tells of fewer than 2.",
            {"parted": 1},
        ),
        (
            {"parted": 2},
            2,
            True,
            "1,000 of 2,000 records are left with fewer than 2, 2 differences or sums of classes tell of fewer than 2.",
            {"parted": 2},
        ),
        (
            {"determined": {"ill": 4, "pay": 0}, "determined_alone": {"ill": 1, "pay": 0}},
            2,
            True,
            "1,000 of 2,000 records are left with fewer than 2, 'ill' follows for 4 (1 from this release by itself).",
            {"determined ill": 4, "determined ill alone": 1, "determined pay": 0, "determined pay alone": 0},
        ),
    ],
)
def test_a_verdict_says_who_is_left(changes: Any, k: int, holds: bool, note: str, detail: Any) -> None:
    counts = {**COUNTS, "determined": {}, "determined_alone": {}, **changes}
    verdict = Intersection(**counts).judge(k, 1)
    assert (verdict.name, verdict.asked, verdict.achieved, verdict.holds) == ("intersection", k, 2, holds)
    assert verdict.note == note
    assert verdict.detail == {"below_k": 1000, "singled_out": counts["singled_out"], **detail}
    assert verdict.definition.endswith(f"those of an earlier one, is left with at least {k} records")
    assert "with those of 3 earlier ones, is left" in Intersection(**counts).judge(k, 3).definition


def test_fewer_than_k_are_refused_or_accepted_with_a_warning() -> None:
    release, apart = new([2.0] * 3 + [5.0] * 3), before(0, 0, 0, 0, 1, 1, releases=2)
    fine: Any = PriorReleases(earlier=(before(0, 0, 0, 1, 1, 1),))
    assert [verdict.holds for verdict in fine.judge(release)] == [True]
    assert fine.warnings(fine.judge(release)) == ()
    assert PriorReleases().judge(release) == ()
    refusing: Any = PriorReleases(earlier=(before(0, 0, 0, 1, 1, 1, name="another"),), previous=apart)
    said = (
        "together with another, the first one this release leaves fewer than k = 2 where their classes meet, 1 at worst"
    )
    with pytest.raises(GuaranteeError) as refused:
        refusing.judge(release)
    assert refused.value.reached == 1
    assert str(refused.value).startswith(f"{said}, so nothing is released. 1 of 6 records are left with fewer than 2")
    assert str(refused.value).endswith("Wait, or accept it (after_anyway)")
    accepting: Any = PriorReleases(earlier=refusing.earlier, previous=apart, anyway=True)
    (verdict,) = accepting.judge(release)
    assert not verdict.holds
    assert "with those of 3 earlier ones" in verdict.definition
    (warning,) = accepting.warnings((verdict,))
    assert warning.name == "intersection"
    assert warning.sentence == f"{said}, and that was accepted (after_anyway)"
    assert (warning.columns, warning.records) == ((), 1)


def test_a_manifest_says_what_was_out() -> None:
    @dataclass
    class Out:
        name: str = "a"
        fingerprint: str = "f"

        def to_dict(self) -> dict[str, int]:
            return {"new": 1}

    several: Any = PriorReleases(earlier=(Out(), Out("b", "g")), previous=Out())
    assert several.to_dict(3) == {
        "after": [{"name": "a", "sha256": "f"}, {"name": "b", "sha256": "g"}],
        "previous": {"new": 1, "held_back": 3},
    }
    assert PriorReleases().to_dict(0) == {}


def test_only_who_remembers_keeps_groups_together_and_a_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Inputs:
        once: bool = False
        cells: Any = "none yet"

    class Before:
        def groups(self, k: int) -> tuple[str, int]:
            return "cells", k

    inputs, previous = Inputs(), Before()
    monkeypatch.setattr(prior_releases, "remember_release", lambda *given: given)
    forgetting: Any = PriorReleases(previous=previous)
    assert forgetting.grouped(inputs, 3) is inputs
    assert forgetting.ledger(1, 2, inputs, 4) is None
    first: Any = PriorReleases(remember=b"key")
    assert first.grouped(inputs, 3) == Inputs(once=True, cells=None)
    assert first.ledger(1, 2, inputs, 4) == (None, 1, 2, inputs, 4, b"key")
    next_one: Any = PriorReleases(previous=previous, remember=b"key")
    assert next_one.grouped(inputs, 3) == Inputs(once=True, cells=("cells", 3))
    assert next_one.ledger(1, 2, inputs, 4) == (previous, 1, 2, inputs, 4, b"key")
