"""The recipes: each plan of the page runs on a generated table, and the release has what the page says."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import command
import shoal
from docs.pages import blocks, section, text_of
from hospital import hospital
from shoal import files

PAGE = text_of("docs/recipes.md")
EDUCATION = ["none", "primary", "secondary", "tertiary", "doctorate"]


def plan_of(title: str) -> shoal.Plan:
    (text,) = blocks(section(PAGE, title), "toml")
    return shoal.Plan.parse(text)


def released(folder: Path, title: str, frame: pl.DataFrame, *options: str) -> tuple[pl.DataFrame, str]:
    """Run a recipe from file to file; return the release in the order of the table, and what was said."""
    plan = plan_of(title)
    frame.select(list(plan.attributes)).write_csv(folder / "table.csv")
    (folder / "plan.toml").write_text(*blocks(section(PAGE, title), "toml"))
    arguments = ("anonymize", "table.csv", "--plan", "plan.toml", "-o", "release.csv", "--order", "keep", *options)
    done = command.shoal(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return files.read(folder / "release.csv").frame, done.stderr.decode()


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    """Every record is of a patient of its own."""
    return hospital(3000, patients=3000).unique("patient_id", keep="first", maintain_order=True)


def smallest(frame: pl.DataFrame, names: list[str]) -> int:
    return int(frame.group_by(names).len()["len"].min())


def test_every_recipe_is_run_here() -> None:
    titles = [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")]
    assert titles == ["Postcodes", "ICD codes", "Survey with weights", "Visits with dates"]


def test_postcodes(tmp_path, people):
    release, _ = released(tmp_path, "Postcodes", people)
    assert smallest(release, ["postcode", "born", "sex"]) >= 5
    assert set(release["postcode"]) <= set(people["postcode"])
    assert release["postcode"].str.len_chars().unique().to_list() == [5]


def test_icd_codes(tmp_path, people):
    gone = people.with_columns(icd=pl.when(pl.int_range(pl.len()) % 20 == 0).then(pl.lit("?")).otherwise("icd"))
    release, said = released(tmp_path, "ICD codes", gone)
    assert release.group_by("postcode", "born").agg(pl.col("icd").n_unique())["icd"].min() >= 3
    assert "distinct_l_diversity" in said
    assert sorted(release["icd"]) == sorted(gone["icd"])


def test_survey_with_weights(tmp_path, people):
    lines = [f"education,{code},{label}" for code, label in enumerate(EDUCATION, start=1)]
    (tmp_path / "codes.csv").write_text("\n".join(["column,code,label", "sex,1,female", "sex,2,male", *lines]) + "\n")
    coded = people.with_columns(education=pl.when(pl.col("education") < 0).then(None).otherwise("education"))
    release, said = released(tmp_path, "Survey with weights", coded, "--codebook", "codes.csv")
    assert smallest(release, ["children", "education", "sex", "roof"]) >= 5
    assert set(release["education"].drop_nulls()) <= {"1", "2", "3", "4", "5"}
    assert "dominance" in said
    assert "education: of " in said
    assert release["education"].null_count() > 0


def test_visits_with_dates(tmp_path):
    visits = hospital(3000, patients=900)
    release, said = released(tmp_path, "Visits with dates", visits)
    whose = release.with_columns(who=visits["patient_id"])
    assert whose.group_by("born", "admitted", "ward").agg(pl.col("who").n_unique())["who"].min() >= 5
    assert whose.group_by("who").agg(pl.col("born").n_unique())["born"].max() == 1
    assert "admitted: of " in said
