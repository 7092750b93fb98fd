"""What the last gate hands to every guarantee: both tables, and how records were grouped where that is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.frames import Table
from shoal.protect import Evidence, Judgement
from shoal.run import gate

ORIGINAL = {"age": [1, 2, 3, 4], "pay": [5, 6, 7, 8], "who": ["p", "q", "p", "r"]}
RELEASED = {"age": [2, 2, 3, 3], "pay": [5, 6, 7, 8]}
LABELS, DOMAINS, BLOCKS = np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1]), (("age",),)


class Recorder:
    """A guarantee that keeps what it is judged by."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: tuple[Any, Any] = (None, None)

    def judge(self, demand: Any, evidence: Evidence) -> Judgement:
        self.seen = demand, evidence
        return Judgement(self.name, 2, 2, True, "it is seen")


@pytest.mark.parametrize(
    ("keys", "classes", "subjects"),
    [
        ({}, [0, 0, 1, 1], None),
        ({"release": "permute"}, [1, 0, 1, 0], None),
        ({"subject": "who"}, [0, 0, 1, 1], [0, 1, 0, 2]),
    ],
)
def test_evidence_is_read_from_the_tables(
    monkeypatch: pytest.MonkeyPatch, keys: dict[str, Any], classes: list[int], subjects: list[int] | None
) -> None:
    roles = {"age": {"role": "quasi_identifier", "kind": "numeric"}, "pay": {"role": "confidential", "kind": "numeric"}}
    plan = shoal.Plan(**{"k": 2, "attributes": {**roles, "who": {"role": "identifier"}}, **keys})
    original, released = (Table.of(pl.DataFrame(columns)) for columns in (ORIGINAL, RELEASED))
    first, second, asked_for = Recorder("first"), Recorder("second"), []
    monkeypatch.setattr(gate, "asked", lambda demand: asked_for.append(demand) or [first, second])
    grouping = gate.GroupingEvidence(LABELS, lambda: None, DOMAINS, BLOCKS)
    guarantees = gate.judge_release(original, released, plan, grouping)
    assert list(guarantees) == ["first", "second"]
    demand, evidence = second.seen
    assert first.seen == (demand, evidence)
    assert (demand.k, demand.subject, demand.permuted) == (2, keys.get("subject"), "release" in keys)
    assert asked_for == [demand]
    assert evidence.original is original
    assert evidence.released is released
    assert evidence.classes.tolist() == classes
    assert evidence.points is grouping.points
    assert evidence.domains is DOMAINS
    assert evidence.blocks == BLOCKS
    numbers = evidence.subject_numbers
    assert (None if numbers is None else numbers.tolist()) == subjects
