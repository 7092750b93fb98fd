"""Unique records, counted as slowly as possible."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from shoal.frames import Table
from shoal.giveaways.uniqueness import unique_records


def slow(frame: pl.DataFrame, names: list[str], subject: str | None) -> int:
    whose = defaultdict(set)
    rows = frame.rows(named=True)
    for place, row in enumerate(rows):
        whose[tuple(row[name] for name in names)].add(place if subject is None else row[subject])
    return sum(len(whose[tuple(row[name] for name in names)]) == 1 for row in rows)


@pytest.mark.parametrize("subject", [None, "who"])
@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_of_a_dictionary(seed: int, subject: str | None) -> None:
    dice = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "a": dice.integers(0, 30, 80),
            "b": [["x", "y", None][i] for i in dice.integers(0, 3, 80)],
            "c": np.zeros(80),
            "who": dice.integers(0, 50, 80),
        }
    )
    names = ["a", "b", "c"]
    found = unique_records(Table.of(frame), names, subject=subject)
    assert found.together == slow(frame, names, subject)
    assert dict(found.alone) == {name: slow(frame, [name], subject) for name in names}
    pairs = {pair: slow(frame, list(pair), subject) for pair in combinations(names, 2)}
    assert dict(found.pairs) == pairs
    assert [count for _, count in found.pairs] == sorted(pairs.values(), reverse=True)


def test_a_large_table_is_sampled_and_says_so() -> None:
    table = Table.of(pl.DataFrame({"a": np.arange(500)}))
    found = unique_records(table, ["a"], most=100)
    assert (found.records, found.sampled, found.together) == (100, True, 100)
    assert unique_records(table, ["a"], most=100) == found
    assert not unique_records(table, ["a"]).sampled


def test_no_column_singles_nobody_out() -> None:
    found = unique_records(Table.of(pl.DataFrame({"a": [1, 2]})), [])
    assert (found.together, found.alone, found.pairs) == (0, (), ())
