"""shoal utility on the command line."""

import json

import polars as pl
import pytest


@pytest.fixture
def released(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")
    assert done.returncode == 0, done.stderr.decode()
    return folder


def run(folder, *options):
    return folder.shoal(
        "utility", "data.csv", "out.csv", "--plan", "plan.toml", "--row-map", "rows.csv", "--no-predict", *options
    )


def test_findings_in_words_and_tables(released):
    done = run(released, "--model", "pay ~ age + grade")
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    assert text.startswith("Distributions of columns: ")
    assert "pay ~ age + grade" in text
    assert "grade=high" in text


def test_as_json_and_for_outsiders(released):
    inside = json.loads(run(released, "--json", "--model", "pay ~ age").stdout)
    outside = json.loads(run(released, "--json", "--external").stdout)
    assert [model["formula"] for model in inside["models"]] == ["pay ~ age"]
    assert set(outside) == {"records", "weighted", "columns", "findings"}
    words = run(released, "--external").stdout.decode().splitlines()
    assert [line.rpartition(": ")[2] for line in words] == [line["verdict"] for line in outside["findings"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "pay ~ nothing"], "names 'nothing', which is not a column of both tables"),
        (["--model", "pay ~ name"], "names 'name', which the plan calls an identifier"),
        (["--target", "pay"], "--no-predict predicts none"),
        (["--holdout", "data.csv"], "the holdout overlaps the original: both have 60 values of 'name'"),
        (["--by-key", "name"], "--row-map and --by-key"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_2(released, options, message):
    done = run(released, *options)
    assert done.returncode == 2
    assert done.stdout == b""
    assert message in done.stderr.decode()
    assert len(done.stderr.decode().strip().splitlines()) == 1


def test_a_holdout_without_a_column_is_refused(released):
    pl.read_csv(released.path / "data.csv").drop("pay").write_csv(released.path / "held.csv")
    done = run(released, "--holdout", "held.csv")
    assert done.returncode == 2
    assert b"the holdout does not have 'pay'" in done.stderr
