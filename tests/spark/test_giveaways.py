"""Giveaways on Spark: those of one machine, counted on all records where they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.run.giveaways import Survey, find_giveaways
from shoal.spark import giveaways
from shoal.spark.giveaways import GiveawaySearch

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
    here = GiveawaySearch(spark.createDataFrame(table).repartition(3), plan(), N)()
    there = [each for each in find_giveaways(Survey(shoal.frames.Table.of(table), plan())) if each.name != "row_order"]
    assert sorted(each.name for each in there) == ["combined_values", "confidential_names", "told"]
    assert sorted(here, key=lambda each: each.name) == sorted(there, key=lambda each: each.name)


def test_a_sample_says_so_and_counts_do_not_come_of_it(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giveaways, "SAMPLED_RECORDS", 200)
    found = {each.name: each for each in GiveawaySearch(spark.createDataFrame(told()), plan(), N)()}
    assert "of 600 records)" in found["told"].sentence
    assert "sample" not in found["combined_values"].sentence
    assert "single_values" not in found, "two records have every ticket, though a sample may have one of them"


def test_nothing_is_looked_for_where_nothing_leaves_as_it_is(spark: SparkSession) -> None:
    table = told(30).select(["age"])
    asked = shoal.Plan(k=3, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    assert GiveawaySearch(spark.createDataFrame(table), asked, 30)() == ()
