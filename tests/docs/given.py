"""What pages take for granted: tables and plans of their readers, besides those in ``examples/``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import command
import shoal
from hospital import hospital

EXAMPLE = "examples/discharges.toml"


def stays(folder: Path) -> None:
    """A smaller table of stays, and persons who are not in it."""
    everybody = shoal.examples.discharges(1200, seed=1)
    held = everybody["patient_id"].is_in(everybody["patient_id"].unique(maintain_order=True).to_list()[:400])
    everybody.filter(held).write_csv(folder / "stays.csv")
    for name in ("others.csv", "later.csv"):
        everybody.filter(~held).write_csv(folder / name)


def clinic(folder: Path) -> None:
    """A database with a table of visits."""
    import duckdb

    frame = shoal.examples.discharges(300, seed=2).to_arrow()
    with duckdb.connect(folder / "clinic.db") as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE visits AS SELECT * FROM frame")
    shoal.Plan.load(folder / EXAMPLE).save(folder / "plan.toml")


def taxes(folder: Path) -> None:
    """Incomes, which are masked, and taxes on them, which the plan takes for harmless."""
    random = np.random.default_rng(1)
    income = random.lognormal(10, 0.5, 300).round()
    tax = (income * 0.3 + random.normal(0, 100, 300)).round()
    pl.DataFrame({"age": random.integers(18, 90, 300), "income": income, "tax": tax}).write_csv(folder / "taxes.csv")
    quasi, numeric = {"role": "quasi_identifier", "kind": "numeric"}, {"kind": "numeric"}
    columns = {"age": quasi, "income": quasi, "tax": {"role": "confidential", **numeric}}
    shoal.Plan(k=5, attributes=columns).save(folder / "plan.toml")


def ages(folder: Path) -> None:
    """The six people of the page, released once."""
    people = pl.DataFrame({"age": [30, 32, 34, 36, 38, 40], "illness": ["flu", "gout", "ulcer"] * 2})
    people.write_csv(folder / "people.csv")
    plan = shoal.Plan(
        k=2,
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "illness": {"role": "confidential", "kind": "nominal"},
        },
    )
    plan.save(folder / "pairs.toml")
    plan.replace(k=3).save(folder / "threes.toml")
    done = command.shoal("anonymize", "people.csv", "--plan", "pairs.toml", "-o", "pairs.csv", cwd=folder)
    assert done.returncode == 0, done.stderr.decode()


def two_days(folder: Path) -> None:
    """The table of today, and records that come tomorrow."""
    shoal.examples.discharges(600, seed=1).write_csv(folder / "today.csv")
    shoal.examples.discharges(40, seed=2).write_csv(folder / "tomorrow.csv")


def two_months(folder: Path) -> None:
    """A table that grows."""
    frame = shoal.examples.discharges(600, seed=1)
    frame[:500].write_csv(folder / "january.csv")
    frame.write_csv(folder / "february.csv")
    shoal.Plan.load(folder / EXAMPLE).save(folder / "plan.toml")


def no_subject(folder: Path) -> None:
    """A plan that says nothing of whom a record is about."""
    text = (folder / EXAMPLE).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("subject")]
    (folder / "no-subject.toml").write_text("\n".join(lines), encoding="utf-8")


def survey(folder: Path) -> None:
    """Answers as codes, and their codebook."""
    columns = ["children", "education", "sex", "roof", "charge", "survey_weight"]
    people = hospital(1500, patients=1500).unique("patient_id", keep="first", maintain_order=True).select(columns)
    education = ["none", "primary", "secondary", "tertiary", "doctorate"]
    steps = [("education", code, label) for code, label in enumerate(education, start=1)]
    codes = [("sex", 1, "female"), ("sex", 2, "male"), *steps, ("education", -9, "refused")]
    pl.DataFrame(codes, schema=["column", "code", "label"], orient="row").write_csv(folder / "codes.csv")
    people.write_csv(folder / "survey.csv")


def matched_by_key(folder: Path) -> None:
    """A survey, and a release of it by another tool whose rows stand in another order."""
    random = np.random.default_rng(1)
    table = pl.DataFrame({"person": range(200), "age": random.integers(18, 90, 200), "pay": random.normal(size=200)})
    table.write_csv(folder / "survey.csv")
    table.with_columns(pl.col("age") // 10 * 10 + 5).reverse().write_csv(folder / "by-another-tool.csv")
    columns = {
        "person": {"role": "other"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "pay": {"role": "confidential", "kind": "numeric"},
    }
    shoal.Plan(k=5, attributes=columns).save(folder / "survey.toml")


def visits(folder: Path) -> None:
    """A stream in a file."""
    random = np.random.default_rng(1)
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 12, 31), eager=True)
    table = pl.DataFrame(
        {
            "patient": [f"p{number}" for number in random.integers(0, 300, 1000)],
            "age": random.integers(0, 99, 1000),
            "level": random.choice(["low", "mid", "high"], 1000),
            "city": random.choice(["Vic", "Olot", "Reus"], 1000),
            "admitted": days.sample(1000, with_replacement=True, seed=1).sort(),
            "charge": random.integers(100, 9000, 1000),
        }
    )
    table.write_csv(folder / "visits.csv")
    table.write_ndjson(folder / "visits.ndjson")


def icd(folder: Path) -> None:
    """A file of paths."""
    (folder / "icd.csv").write_text("J10;J;*\nK25;K;*\n", encoding="utf-8")


GIVEN: dict[str, Callable[[Path], None]] = {
    "docs/attacks.md": stays,
    "docs/databases.md": clinic,
    "docs/giveaways.md": taxes,
    "docs/limits.md": ages,
    "docs/measures.md": matched_by_key,
    "docs/new-records.md": two_days,
    "docs/persons.md": no_subject,
    "docs/recipes.md": survey,
    "docs/republication.md": two_months,
    "docs/streams.md": visits,
    "docs/taxonomies.md": icd,
    "docs/utility.md": stays,
}
