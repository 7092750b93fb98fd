"""shoal bound: the bound, and how near to it a release is."""

import importlib.util
import json

import polars as pl
import pytest

import shoal


@pytest.fixture
def released(folder):
    frame = pl.read_csv(folder.path / "data.csv", try_parse_dates=True)
    plan = shoal.Plan.load(folder.path / "plan.toml")
    shoal.anonymize(frame, plan).data.write_csv(folder.path / "out.csv")
    return folder


def run(folder, *options):
    return folder.shoal("bound", "data.csv", "--plan", "plan.toml", *options)


def test_the_bound_in_words(released):
    done = run(released, "--method", "ascent")
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    assert text.startswith("No release of these 60 records in groups of at least 4 loses less than ")
    assert "Proven by ascent" in text
    assert "above the best possible" not in text


def test_a_release_beside_it(released):
    done = run(released, "--method", "ascent", "--release", "out.csv")
    assert done.returncode == 0, done.stderr.decode()
    assert "out.csv loses " in done.stdout.decode()
    assert " % above the best possible." in done.stdout.decode()


def test_as_json(released):
    found = json.loads(run(released, "--method", "ascent", "--release", "out.csv", "--json").stdout)
    assert found["k"] == 4
    assert 0 < found["il_percent"] <= found["release"]["il_percent"]
    assert found["release"]["gap_percent"] == pytest.approx(100 * (found["release"]["sse"] / found["sse"] - 1))
    larger = json.loads(run(released, "--method", "ascent", "--k", "6", "--json").stdout)
    assert larger["k"] == 6
    assert larger["sse"] > found["sse"]
    assert "release" not in larger


def test_a_shuffled_release_is_compared_by_its_row_map_alone(folder):
    frame = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    frame.sort(pl.col("age").cast(pl.Int64)).write_csv(folder.path / "data.csv")
    anonymize = ("anonymize", "data.csv", "--plan", "plan.toml", "-q", "-o")
    assert folder.shoal(*anonymize, "kept.csv", "--order", "keep").returncode == 0
    assert folder.shoal(*anonymize, "mixed.csv", "--row-map", "rows.csv").returncode == 0
    options = ("--method", "ascent", "--json", "-q", "--release")
    wanted = json.loads(run(folder, *options, "kept.csv").stdout)
    assert json.loads(run(folder, *options, "mixed.csv", "--row-map", "rows.csv").stdout) == wanted
    guessed = run(folder, *options, "mixed.csv")
    assert (guessed.returncode, guessed.stdout) == (2, b"")
    assert b"the rows of mixed.csv were shuffled, as mixed.manifest.json beside it says" in guessed.stderr
    (folder.path / "mixed.manifest.json").unlink()
    guessed = run(folder, *options, "mixed.csv")
    assert (guessed.returncode, guessed.stdout) == (2, b"")
    assert b"the released rows are not those of the original in its order" in guessed.stderr


def test_where_records_were_dropped_the_bound_is_about_those_that_left(folder):
    words = ("--suppress", "0.1", "--row-map", "rows.csv", "-q", "-o", "out.csv")
    assert folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", *words).returncode == 0
    left = len((folder.path / "out.csv").read_text().splitlines()) - 1
    assert left < 60
    done = run(folder, "--method", "ascent", "--json", "-q", "--release", "out.csv", "--row-map", "rows.csv")
    assert json.loads(done.stdout)["records"] == left


def test_a_release_of_another_tool_is_read_as_the_measures_read_it(released):
    table = pl.read_csv(released.path / "out.csv", infer_schema=False)
    table.with_columns(pl.format("[{}, {}]", "age", "age").alias("age")).write_csv(released.path / "intervals.csv")
    options = ("--method", "ascent", "--json", "-q", "--release")
    wanted = json.loads(run(released, *options, "out.csv").stdout)
    assert json.loads(run(released, *options, "intervals.csv").stdout) == wanted


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--by-key", "name"], "--by-key says which records of a release are which: name the release by --release"),
        (["--row-map", "rows.csv"], "--row-map says which records of a release are which"),
        (["--release", "out.csv", "--by-key", "name", "--row-map", "rows.csv"], "give one of them"),
        (["--method", "univariate"], "not 'age' (numeric), 'grade' (ordinal), 'county' (nominal), 'seen' (date): take"),
        (["--release", "data.csv"], "the release has equivalence classes of 1 record, so"),
        (["--seconds", "0"], "seconds must be above 0, not 0"),
        (["--method", "best"], 'method must be one of "auto"'),
        (["--k", "61"], "k is 61 but there are only 60 records"),
        (["--release", "data.csv"], "says nothing about it"),
        (["--release", "none.csv"], "none.csv"),
    ],
)
def test_mistakes_are_one_sentence(released, options, sentence):
    done = run(released, *options)
    assert done.returncode == 2
    assert sentence in done.stderr.decode()
    assert done.stderr.decode().count("\n") == 1
    assert done.stdout == b""


def test_without_a_solver_one_sentence(released, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "highspy" else find(name))
    done = run(released, "--method", "columns")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        'error: method "columns" needs highspy, which is not installed: pip install "shoal[optimal]"\n'
    )


def test_a_gap_above_nothing_is_null(folder):
    rows = "".join(f"{age}\n" for age in [10] * 6 + [20] * 6)
    (folder.path / "data.csv").write_text(f"age\n{rows}")
    (folder.path / "out.csv").write_text("age\n" + "15\n" * 12)
    folder.write_plan("k = 3\n[attributes]\nage = { role = 'quasi_identifier', kind = 'numeric' }\n")
    done = folder.shoal("bound", "data.csv", "--plan", "plan.toml", "--release", "out.csv", "--json", "-q")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Infinity" not in done.stdout
    assert json.loads(done.stdout)["release"]["gap_percent"] is None
