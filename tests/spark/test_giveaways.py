"""Giveaways on Spark: those of one machine, counted on all records where they can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.giveaways import Survey, find_giveaways
from shoal.giveaways.attachments import formulas_of
from shoal.spark import giveaways
from shoal.spark.giveaways import find_in_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N = 600


def told(n: int = N) -> pa.Table:
    """Make a table that gives away: a code beside a masked town, columns that single out together, a name."""
    rng = np.random.default_rng(2)
    town = rng.integers(0, 6, n)
    return pa.table(
        {
            "age": rng.integers(18, 90, n),
            "town": np.array(["Vic", "Tona", "Sau", "Rupit", "Manlleu", "Gurb"])[town],
            "code": town,
            "bus": rng.integers(0, 30, n),
            "bike": rng.integers(0, 30, n),
            "ticket": np.arange(n) // 2,
            "illness": [f"i{i}" for i in range(n)],
        }
    )


def plan() -> shoal.Plan:
    return shoal.Plan(
        k=3,
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "town": {"role": "quasi_identifier", "kind": "nominal"},
            "code": {"role": "other"},
            "bus": {"role": "other"},
            "bike": {"role": "other"},
            "ticket": {"role": "other"},
            "illness": {"role": "confidential", "kind": "nominal"},
        },
    )


def test_the_same_as_on_one_machine(spark: SparkSession) -> None:
    table = told()
    here = find_in_table(spark.createDataFrame(table).repartition(3), plan(), N)
    there = [each for each in find_giveaways(Survey(shoal.frames.Table.of(table), plan())) if each.name != "row_order"]
    assert sorted(each.name for each in there) == ["combined_values", "confidential_names", "told"]
    assert sorted(here, key=lambda each: each.name) == sorted(there, key=lambda each: each.name)


def test_a_sample_says_so_and_counts_do_not_come_of_it(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giveaways, "SAMPLED_RECORDS", 200)
    found = {each.name: each for each in find_in_table(spark.createDataFrame(told()), plan(), N)}
    assert "of 600 records)" in found["told"].sentence
    assert "sample" not in found["combined_values"].sentence
    assert "single_values" not in found, "two records have every ticket, though a sample may have one of them"


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_cells_that_a_spreadsheet_would_run_are_told_of_csv_files(
    spark: SparkSession, tmp_path: Path, file_format: str
) -> None:
    table = told(60).drop_columns(["ticket", "illness"]).append_column("who", pa.array(["=HYPERLINK(1)"] * 60))
    table = table.append_column("note", pa.array(["fine", "-3", None, "@SUM(1)", "+1"] * 12))
    attributes = {name: keys for name, keys in plan().to_dict()["attributes"].items() if name in table.column_names}
    attributes |= {"who": {"role": "identifier"}, "note": {"role": "other"}}
    asked = shoal.Plan(k=3, subject="record", attributes=attributes)
    pq.write_table(table, tmp_path / "in.parquet")
    target = str(tmp_path / f"out.{file_format}")
    release = shoal.spark.anonymize_files(spark, str(tmp_path / "in.parquet"), asked, target)
    there = [each for each in formulas_of(pl.from_arrow(table), asked) if file_format == "csv"]
    here = [each for each in release.giveaways if each.name == "formulas"]
    assert [(each.columns, each.records) for each in here] == [(each.columns, each.records) for each in there]
    assert [each.columns for each in here] == [("note",)] * (file_format == "csv")
    assert "SUM" not in str(release.manifest)


def test_nothing_is_looked_for_where_nothing_leaves_as_it_is(spark: SparkSession) -> None:
    table = told(30).select(["age"])
    asked = shoal.Plan(k=3, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    assert find_in_table(spark.createDataFrame(table), asked, 30) == ()
