"""Kinds of columns and what reads them, from the command line: audits, measures and reports of what others wrote."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import command

CODE = '{ role = "quasi_identifier", kind = "nominal", hierarchy = { prefix = [1, 2] }, aggregate = "ancestor" }'
AGE = '{ role = "quasi_identifier", kind = "numeric" }'


def visits(n: int = 240) -> pl.DataFrame:
    """Each patient twice: the date of birth is one for each, the days since the visit are not."""
    random = np.random.default_rng(0)
    days = pl.Series(random.integers(0, 300, n))
    return pl.DataFrame(
        {
            "patient": [f"p{row // 2}" for row in range(n)],
            "born": [f"19{40 + row // 2 % 50}-03-0{1 + row // 2 % 9}" for row in range(n)],
            "age": random.integers(20, 90, n),
            "code": random.choice(["J10", "J11", "K20"], n),
            "lat": [round(10 + row // 2 % 11 / 10, 2) for row in range(n)],
            "lon": random.normal(20, 1, n).round(2),
            "ill": ["rare"] * 5 + random.choice(["a", "b", "c"], n - 5).tolist(),
        }
    ).with_columns(seen=pl.date(2024, 1, 1) + pl.duration(days=days))


def run(folder, *arguments) -> str:
    done = command.shoal(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return (done.stdout + done.stderr).decode()


def plan(folder, *lines, **columns) -> None:
    (folder / "plan.toml").write_text(
        "\n".join(["k = 3", *lines, "[attributes]", *(f"{name} = {words}" for name, words in columns.items())])
    )


WRITTEN = ("--plan", "plan.toml", "--row-map", "rows.csv")


@pytest.mark.parametrize("packed", ["", ".zst"])
def test_the_auditor_knows_distances_places_rare_names_and_dropped_records(tmp_path, packed):
    if packed:
        pytest.importorskip("zstandard")
    visits().with_columns(pl.col("born").str.to_date()).write_parquet(tmp_path / "data.parquet")
    visits().write_csv(tmp_path / "data.csv")
    plan(
        tmp_path,
        'subject = "patient"',
        "suppress = 0.1",
        patient='{ role = "identifier" }',
        seen='{ role = "identifier", kind = "date" }',
        born='{ role = "quasi_identifier", kind = "date", relative_to = "seen" }',
        age='{ role = "quasi_identifier", kind = "numeric", clip = { high = 80 } }',
        code=CODE,
        lat='{ role = "quasi_identifier", kind = "place", longitude = "lon" }',
        ill='{ role = "confidential", kind = "nominal", rare = { below = 3 } }',
    )
    for data in ("data.csv", "data.parquet"):
        said = run(tmp_path, "anonymize", data, "-o", f"out.csv{packed}", "--verify", *WRITTEN)
        assert "24 of 240 records were dropped" in said
        assert "✓ rare: ill has 0 categories" in said
        assert "constant_attributes" not in said
    said = run(tmp_path, "verify", f"out.csv{packed}", "--original", "data.csv", *WRITTEN)
    assert "✗" not in said


def test_intervals_beside_nodes_of_a_tree_are_measured(tmp_path):
    data = visits().select("age", "code", "ill")
    data.write_csv(tmp_path / "data.csv")
    tens = pl.col("age") // 10 * 10
    data.with_columns(
        age=pl.when(tens < 30).then(pl.lit("*")).otherwise(pl.format("{}-{}", tens, tens + 9)),
        code=pl.when(pl.col("code") == "K20").then(pl.lit("*")).otherwise(pl.lit("J**")),
    ).write_csv(tmp_path / "arx.csv")
    plan(tmp_path, 'subject = "record"', age=AGE, code=CODE, ill='{ role = "confidential", kind = "nominal" }')
    said = run(tmp_path, "measure", "data.csv", "arx.csv", "--plan", "plan.toml", "-m", "il_percent,k_min")
    assert "intervals were read as their middle" in said
    assert "il_percent" in said


def test_a_place_beside_a_recoding_is_measured_and_reported(tmp_path):
    visits().select("age", "lat", "lon", "ill").write_csv(tmp_path / "data.csv")
    plan(
        tmp_path,
        'subject = "record"',
        age='{ role = "quasi_identifier", kind = "numeric", round_to = 5 }',
        lat='{ role = "quasi_identifier", kind = "place", longitude = "lon" }',
        ill='{ role = "confidential", kind = "nominal" }',
    )
    run(tmp_path, "anonymize", "data.csv", "-o", "out.csv", *WRITTEN)
    assert "il_percent" in run(tmp_path, "measure", "data.csv", "out.csv", *WRITTEN)
    run(tmp_path, "report", "data.csv", "out.csv", "-o", "report.html", *WRITTEN)
    (row,) = json.loads((tmp_path / "report.json").read_text())["recoding"]
    assert row["lost"] > 0


def test_gaps_of_a_distance_are_those_of_both_dates(tmp_path):
    gone = pl.int_range(pl.len()) < 12
    data = visits().select("born", "seen", "ill").with_columns(seen=pl.when(~gone).then("seen"))
    data.write_csv(tmp_path / "data.csv")
    plan(
        tmp_path,
        'subject = "record"',
        'missing = "keep"',
        seen='{ role = "identifier", kind = "date" }',
        born='{ role = "quasi_identifier", kind = "date", relative_to = "seen" }',
        ill='{ role = "confidential", kind = "nominal" }',
    )
    said = run(tmp_path, "anonymize", "data.csv", "-o", "out.csv", "--plan", "plan.toml")
    assert "born: of 12 missing cells 0 were filled, and 0 observed cells suppressed" in said


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_a_column_of_which_no_value_is_left_is_reported(tmp_path, edition):
    few = pl.int_range(pl.len()) < 2
    visits(30).select("age", "lon", "ill").with_columns(lon=pl.when(few).then("lon")).write_csv(tmp_path / "data.csv")
    kept = '{ role = "quasi_identifier", kind = "numeric", missing = "keep" }'
    plan(tmp_path, 'subject = "record"', age=AGE, lon=kept, ill='{ role = "confidential", kind = "nominal" }')
    said = run(tmp_path, "anonymize", "data.csv", "-o", "out.csv", *WRITTEN)
    assert "lon: of 28 missing cells 0 were filled, and 2 observed cells suppressed" in said
    run(tmp_path, "report", "data.csv", "out.csv", "-o", "report.html", "--edition", edition, *WRITTEN)
    shown = {each["name"]: each for each in json.loads((tmp_path / "report.json").read_text())["distributions"]}
    assert shown["lon"]["bins"] == []
    assert shown["lon"]["sentence"].startswith("Too few records share a value")
    run(tmp_path, "measure", "data.csv", "out.csv", *WRITTEN)


def test_places_and_cycles_of_a_population(tmp_path):
    data = visits().select("lat", "lon", "ill").with_columns(hour=pl.int_range(pl.len()) % 24, mass=pl.lit(3))
    data.write_csv(tmp_path / "data.csv")
    plan(
        tmp_path,
        'subject = "record"',
        'weights = "mass"',
        lat='{ role = "quasi_identifier", kind = "place", longitude = "lon" }',
        hour='{ role = "quasi_identifier", kind = "cyclic", period = 24 }',
        mass='{ role = "other", kind = "numeric" }',
        ill='{ role = "confidential", kind = "nominal" }',
    )
    run(tmp_path, "anonymize", "data.csv", "-o", "out.csv", *WRITTEN)
    asked = ("-m", "il_percent,population_il,population_error", "--json")
    scores = json.loads(command.shoal("measure", "data.csv", "out.csv", *asked, *WRITTEN, cwd=tmp_path).stdout)
    values = {key: score["value"] for key, score in scores.get("measures", scores).items()}
    assert values["population_il"] == pytest.approx(values["il_percent"])
    assert 0 < values["population_error"] < 0.1
    run(tmp_path, "report", "data.csv", "out.csv", "-o", "report.html", *WRITTEN)
    done = command.shoal("bound", "data.csv", "--release", "out.csv", *WRITTEN, cwd=tmp_path)
    assert done.returncode == 0
    assert "above the best possible" in done.stdout.decode()
