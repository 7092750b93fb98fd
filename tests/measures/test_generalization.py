"""Releases of tools that generalize and suppress, judged beside ours."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import command
import shoal
from shoal.frames import Table
from shoal.measures import assess, measure, read_generalized

AGE = {"role": "quasi_identifier", "kind": "numeric"}
TOWN = {"role": "quasi_identifier", "kind": "nominal"}
PLAN = shoal.Plan(k=2, attributes={"age": AGE, "town": TOWN, "pay": {"role": "confidential", "kind": "numeric"}})
BEFORE = pl.DataFrame({"age": [21, 25, 33, 38, 70, 12], "town": list("aabbcc"), "pay": [1, 2, 3, 4, 5, 6]})
AFTER = pl.DataFrame(
    {
        "age": ["20-29", "20-29", "[30, 40)", "[30, 40)", "*", "*"],
        "town": ["a", "a", "b", "b", "*", "*"],
        "pay": [1, 2, 3, 4, 5, 6],
    }
)


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("20-29", 24.5),
        ("[20, 30)", 25.0),
        ("[20, 30[", 25.0),
        ("]20;30]", 25.0),
        ("20 – 30", 25.0),
        ("-10--5", -7.5),
        ("-5", -5.0),
        ("1.5 to 2.5", 2.0),
        (">= 80", 80.0),
        ("80+", 80.0),
        ("<18", 18.0),
        ("7", 7.0),
    ],
)
def test_a_cell_is_read_as_the_number_that_stands_for_it(cell, number):
    frame = pl.DataFrame({"age": [cell, "[0, 1]"], "town": ["a", "a"]})
    assert read_generalized(Table.of(frame), PLAN)[0].data["age"][0] == number


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_every_library_is_read(library):
    frame = library(AFTER.to_dict(as_series=False))
    table, found = read_generalized(Table.of(frame), PLAN)
    assert table.numbers("age").values[:4].tolist() == [24.5, 24.5, 35.0, 35.0]
    assert table.missing("town").tolist() == [False] * 4 + [True] * 2
    assert [each.sentence for each in found] == [
        "age: 4 intervals were read as their middle, 2 suppressed cells count as lost",
        "town: 2 suppressed cells count as lost",
    ]


def test_measures_of_a_generalized_release_are_those_of_its_middles():
    middles = AFTER.with_columns(
        age=pl.Series([24.5, 24.5, 35.0, 35.0, None, None]), town=pl.Series([*"aabb", None, None])
    )
    told = measure(BEFORE, AFTER, PLAN)
    expected = measure(BEFORE, middles, PLAN)
    assert {key: score.value for key, score in told.items()} == {key: score.value for key, score in expected.items()}
    assert assess(BEFORE, AFTER, PLAN).guarantees["k_anonymity"].achieved == 2


def test_cells_that_readers_tell_apart_stay_apart():
    frame = pl.DataFrame({"age": ["25", "20-30", "25", "24-26"], "town": ["a"] * 4, "pay": [1, 2, 3, 4]})
    before = pl.DataFrame({"age": [25, 22, 25, 24], "town": ["a"] * 4, "pay": [1, 2, 3, 4]})
    assert measure(before, frame, PLAN, keys=["k_min"])["k_min"].value == 1
    values = read_generalized(Table.of(frame), PLAN)[0].data["age"]
    assert values[0] == values[2] == 25
    assert values.n_unique() == 3
    assert (values - 25).abs().max() < 1e-12


def test_a_release_without_intervals_is_left_alone():
    frame = BEFORE.with_columns(town=pl.lit("a*"))
    table, found = read_generalized(Table.of(frame), PLAN)
    assert found == ()
    assert table.data is frame


def test_the_command_line_says_how_cells_were_read(tmp_path):
    BEFORE.write_csv(tmp_path / "before.csv")
    AFTER.write_csv(tmp_path / "after.csv", quote_style="necessary")
    PLAN.save(tmp_path / "plan.toml")
    measured = command.shoal("measure", "before.csv", "after.csv", "--plan", "plan.toml", "--json", cwd=tmp_path)
    assert measured.returncode == 0, measured.stderr
    assert b"age: 4 intervals were read as their middle, 2 suppressed cells count as lost" in measured.stderr
    assert json.loads(measured.stdout)["k_min"]["value"] == 2
    told = command.shoal("report", "before.csv", "after.csv", "--plan", "plan.toml", "-o", "r.html", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    cautions = json.loads((tmp_path / "r.json").read_text())["cautions"]
    assert any("read as their middle" in caution for caution in cautions)


def test_a_cell_that_is_no_interval_is_refused_by_its_line(tmp_path):
    BEFORE.write_csv(tmp_path / "before.csv")
    AFTER.with_columns(age=pl.Series(["20-29", "old", "*", "*", "*", "*"])).write_csv(tmp_path / "after.csv")
    PLAN.save(tmp_path / "plan.toml")
    done = command.shoal("measure", "before.csv", "after.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert b"column 'age' is declared numeric" in done.stderr
