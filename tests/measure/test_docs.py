"""The documentation says of every measure what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.measure import MEASURES

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")


def bound(number):
    return "∞" if number == float("inf") else f"{number:g}"


@pytest.mark.parametrize("key", MEASURES)
def test_the_page_defines_the_measure(key):
    what = MEASURES[key].definition
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{key}` |"))
    assert what.text.replace("|", "\\|") in row
    assert row.endswith(f"| {bound(what.low)} … {bound(what.high)} | {what.better} |")
    assert f"| {what.aspect} |" in row
