"""Short and seeded: what is read and carried out is right, the rest is refused in one sentence."""

from dataclasses import replace

import polars as pl
import pytest

from fuzz import hostile_inputs
from fuzz.targets import TARGETS, target


@pytest.mark.parametrize(
    ("name", "many", "least"), [("csv_bytes", 400, 160), ("arrow_columns", 50, 20), ("plan_values", 120, 40)]
)
def test_hostile_inputs_are_taken_or_refused(name, many, least):
    found = [target(TARGETS[name])(seed) for seed in range(many)]
    assert [wrong for wrong, _ in found if wrong] == []
    assert least <= sum(taken for _, taken in found) <= many - least  # what is all refused, or taken, tests nothing


def test_the_judge_of_csv_bytes_sees_cells_that_are_lost(monkeypatch):
    read = hostile_inputs.read_csv

    def without_the_first(*arguments, **options):
        table = read(*arguments, **options)
        return replace(table, frame=table.frame[1:]) if table.frame.height > 1 else table

    monkeypatch.setattr(hostile_inputs, "read_csv", without_the_first)
    found = [hostile_inputs.csv_bytes(seed).wrong for seed in range(40)]
    assert sum("other cells than were written" in wrong for wrong in found) >= 4


def test_the_judge_of_classes_counts_records_that_are_written_alike():
    frame = pl.DataFrame({"a": [1.0, 1.0, 0.0, -0.0], "b": [None, None, "x", "x"]})
    assert hostile_inputs.fewest_alike(frame, ["a", "b"]) == 1
    assert hostile_inputs.fewest_alike(frame.to_arrow(), ["b"]) == 2
