"""The example data: reproducible, bundled as generated, and with the dependence it promises."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal import files
from shoal.errors import PlanError
from shoal.examples import SEVERITIES, discharges
from shoal.plan import Plan
from shoal.run.pipeline import anonymize

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_bundled_table_is_the_generated_one(tmp_path: Path) -> None:
    files.write(discharges(5000, patients=2000, seed=0), tmp_path / "discharges.csv")
    assert (tmp_path / "discharges.csv").read_bytes() == (EXAMPLES / "discharges.csv").read_bytes()


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    assert discharges(200, seed=3).equals(discharges(200, seed=3))
    assert not discharges(200, seed=3).equals(discharges(200, seed=4))
    assert len(discharges(7)) == 7
    with pytest.raises(PlanError, match="n must be at least 1"):
        discharges(0)
    with pytest.raises(PlanError, match="patients must be from 1 to the 7 records, not 8"):
        discharges(7, patients=8)


def test_identifiers_are_distinct_and_nothing_is_missing() -> None:
    table = discharges(200_000, seed=1)
    assert table["patient_id"].n_unique() == len(table)
    assert sum(table.null_count().row(0)) == 0


def test_patients_come_back_as_the_same_persons() -> None:
    table = discharges(20_000, patients=8_000, seed=4)
    of_patient = table.group_by("patient_id").agg(
        pl.col("sex", "postcode", "name").n_unique(),
        (pl.col("age").max() - pl.col("age").min()).alias("aged"),
        pl.len().alias("stays"),
    )
    assert len(of_patient) == 8_000
    assert of_patient.select(pl.col("sex", "postcode", "name").max()).row(0) == (1, 1, 1)
    assert of_patient["aged"].max() == 2  # in two years
    assert of_patient["stays"].max() > 10
    births = table.filter(pl.col("diagnosis") == "pregnancy")
    assert births["sex"].unique().to_list() == ["female"]


def test_columns_depend_on_each_other_as_in_a_hospital() -> None:
    table = discharges(20_000, seed=2)
    by_severity = table.group_by("severity").agg(pl.col("stay", "charge", "age").mean()).sort("severity")
    assert by_severity["severity"].to_list() == list(SEVERITIES)
    for column in ("stay", "charge", "age"):
        assert np.all(np.diff(by_severity[column].to_numpy()) > 0), column
    births = table.filter(pl.col("diagnosis") == "pregnancy")
    assert births["sex"].unique().to_list() == ["female"]
    assert births["age"].is_between(15, 50).all()
    assert table.filter(pl.col("age") < 16)["ward"].is_in(["paediatrics", "intensive care", "maternity"]).all()
    age = dict(table.group_by("diagnosis").agg(pl.col("age").mean()).iter_rows())
    assert age["circulatory"] > age["digestive"] > age["pregnancy"]
    winter = pl.col("admitted").dt.month().is_in([12, 1, 2]).mean()
    season = dict(table.group_by("diagnosis").agg(winter).iter_rows())
    assert season["respiratory"] > 0.35 > season["injury"]
    weekend = (table["admitted"].dt.weekday() >= 6).mean()
    assert weekend is not None
    assert weekend < 0.25
    stay_and_charge = table.select(pl.corr("stay", "charge")).item()
    assert stay_and_charge > 0.7


def test_the_plan_of_the_example_gives_a_five_anonymous_table() -> None:
    plan = Plan.load(EXAMPLES / "discharges.toml")
    kinds = {name: attribute.kind.value for name, attribute in plan.attributes.items() if attribute.kind is not None}
    source = files.read(EXAMPLES / "discharges.csv").parse(kinds)
    release = anonymize(source.frame, plan)
    masked = ["age", "sex", "postcode", "admitted", "stay", "severity"]
    persons = release.data.with_columns(source.frame["patient_id"][release.rows.tolist()].alias("who"))
    assert persons.group_by(masked).agg(pl.col("who").n_unique())["who"].min() >= 5
    assert persons.group_by("who").agg(pl.col("sex", "postcode").n_unique()).select(pl.exclude("who").max()).row(0) == (
        1,
        1,
    )
    assert release.data.columns == [name for name in source.frame.columns if name not in ("patient_id", "name")]
    assert release.data["postcode"].str.len_chars().unique().to_list() == [5]
    assert release.data["admitted"].dtype == pl.Date
