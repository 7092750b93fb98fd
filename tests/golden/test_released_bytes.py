"""Every label, guarantee, measure and released byte of a fixed set of plans is what it was.

The figures stand in ``released_bytes.json``. To write them anew::

    PYTHONPATH=tests python -m golden.test_released_bytes

That is right only where results are meant to change: the difference of the file then says which. Whoever changes how
results are computed, and not what they are, leaves the file alone.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from golden.figures import RUNS

FIXED = Path(__file__).with_name("released_bytes.json")
TOLERANCE = 1e-9
"""Relative, of numbers that are not whole."""


@pytest.fixture(scope="module")
def fixed() -> dict[str, Any]:
    return json.loads(FIXED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RUNS)
def test_nothing_changes(name, fixed, tmp_path):
    found = json.loads(json.dumps(RUNS[name](tmp_path)))
    differences = list(compare(fixed[name], found))
    assert not differences, f"{name}: " + "; ".join(differences)


def test_every_figure_is_compared(fixed):
    assert list(fixed) == list(RUNS)


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({"bytes": "ab"}, {"bytes": "cd"}, "bytes was 'ab' and is 'cd'"),
        ({"measures": {"dld": 2.5}}, {"measures": {"dld": 2.50001}}, "measures / dld was 2.5 and is 2.50001"),
        ({"measures": {"dld": 2.5, "il": 1}}, {"measures": {"dld": 2.5}}, "measures / il is gone"),
        ({}, {"labels": "ab"}, "labels is new"),
        ({"guarantees": [{"holds": True}]}, {"guarantees": []}, "guarantees are 0 and were 1"),
        ({"k": 1}, {"k": True}, "k was 1 and is True"),
    ],
)
def test_a_difference_is_named(was, now, said):
    assert list(compare(was, now)) == [said]


def test_rounding_is_no_difference():
    assert not list(compare({"dld": 2.5, "il": 3}, {"dld": 2.5 + 1e-10, "il": 3.0}))


def compare(was: Any, now: Any, path: str = "") -> Iterator[str]:
    """Tell every part that differs."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*was, *now)):
            part = f"{path} / {key}" if path else key
            if key not in now or key not in was:
                yield f"{part} is {'new' if key in now else 'gone'}"
            else:
                yield from compare(was[key], now[key], part)
    elif isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            yield f"{path} are {len(now)} and were {len(was)}"
        for place, (before, after) in enumerate(zip(was, now, strict=False)):
            yield from compare(before, after, f"{path} / {place}")
    elif not _same(was, now):
        yield f"{path} was {was!r} and is {now!r}"


def _same(was: Any, now: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (was, now))
    if numbers:
        return math.isclose(was, now, rel_tol=TOLERANCE, abs_tol=1e-12)
    return type(was) is type(now) and was == now


def fix() -> None:
    """Write the figures anew."""
    figures = {}
    for name, run in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            figures[name] = run(Path(folder))
    FIXED.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    fix()
