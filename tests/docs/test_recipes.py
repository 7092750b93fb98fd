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
    shared = release["postcode"].str.strip_chars_end("*")
    assert all(code.startswith(node) for code, node in zip(people["postcode"], shared, strict=True))
    assert set(shared.str.len_chars()) <= {0, 1, 3, 5}
    assert release.filter(shared.str.len_chars() == 3)["postcode"].str.ends_with("**").all()
    assert (shared.str.len_chars() > 0).mean() > 0.5


def test_icd_codes(tmp_path, people):
    gone = people.with_columns(icd=pl.when(pl.int_range(pl.len()) % 20 == 0).then(pl.lit("?")).otherwise("icd"))
    gone = gone.with_columns(known_icd=pl.col("icd").shuffle(seed=1).replace("?", "Z38.0"))
    release, said = released(tmp_path, "ICD codes", gone)
    shared = release["known_icd"].str.strip_chars_end("*")
    assert all(code.startswith(node) for code, node in zip(gone["known_icd"], shared, strict=True))
    assert smallest(release, ["postcode", "born", "known_icd"]) >= 5
    assert release.group_by("postcode", "born").agg(pl.col("icd").n_unique())["icd"].min() >= 3
    assert "distinct_l_diversity" in said
    assert sorted(release["icd"]) == sorted(gone["icd"])


def test_survey_with_weights(tmp_path, people):
    lines = [f"education,{code},{label}" for code, label in enumerate(EDUCATION, start=1)]
    lines = ["column,code,label", "sex,1,female", "sex,2,male", *lines, "education,-9,refused"]
    (tmp_path / "codes.csv").write_text("\n".join(lines) + "\n")
    release, said = released(tmp_path, "Survey with weights", people, "--codebook", "codes.csv")
    assert smallest(release, ["children", "education", "sex", "roof"]) >= 5
    assert set(release["education"].drop_nulls()) <= {"1", "2", "3", "4", "5"}
    assert "dominance" in said
    assert "education: of " in said
    assert release["education"].null_count() > 0
    measures = ["population_k", "population_risk", "population_il", "population_error"]
    asked = ("--codebook", "codes.csv", "--plan", "plan.toml", "-m", ",".join(measures))
    done = command.shoal("measure", "table.csv", "release.csv", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert all(name in done.stdout.decode() for name in measures)
    assert all(name in section(PAGE, "Survey with weights") for name in measures)


def test_visits_with_dates(tmp_path):
    visits = hospital(3000, patients=900)
    visits = visits.with_columns(first_seen=pl.col("admitted").min().over("patient_id"))
    release, said = released(tmp_path, "Visits with dates", visits)
    whose = release.with_columns(who=visits["patient_id"])
    assert whose.group_by("born", "admitted", "ward").agg(pl.col("who").n_unique())["who"].min() >= 5
    assert whose.group_by("who").agg(pl.col("born").n_unique())["born"].max() == 1
    assert "admitted: of " in said
    assert "first_seen" not in release.columns
    days = release["admitted"].cast(pl.Float64).drop_nulls()
    assert 0 <= days.min() < 30
    assert days.max() <= 365
