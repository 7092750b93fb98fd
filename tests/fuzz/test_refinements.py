"""Some groups, refined: short and seeded, and under ``make sanitize``."""

import numpy as np
import pytest

from fuzz import refinements


@pytest.mark.parametrize("part", range(2))
def test_refined_groups_keep_their_promises_and_lose_no_more(part):
    found = [refinements.trouble(seed) for seed in range(25 * part, 25 * part + 25)]
    assert [wrong for wrong, _ in found if wrong] == []


def test_the_judge_sees_groups_that_break_their_promises(monkeypatch):
    monkeypatch.setattr(refinements, "refine", lambda points, start, k, **_: np.arange(len(points)) // k)
    wrong = " ".join(refinements.trouble(seed).wrong for seed in range(25))
    assert "beyond t" in wrong
    assert "is lost, and" in wrong
    monkeypatch.setattr(refinements, "refine", lambda points, start, k, **_: np.arange(len(points)))
    assert all("fewer than k" in refinements.trouble(seed).wrong for seed in range(5))
