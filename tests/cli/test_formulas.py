"""Cells that a spreadsheet would run: said, and written as text where that is asked for."""

import json

import polars as pl
import pytest

from cli.test_errors import RUN
from shoal.errors import PlanError
from shoal.files import formula_columns, read, write
from shoal.files.csv.formulas import is_formula

RUNS = ["=cmd|'/C calc'!A0", "+1+cmd()", "-2+3", "@SUM(A1:A9)", "\t=1+1", "\r=1+1", "=HYPERLINK(A1)", "＝1+1"]
HARMLESS = ["", "plain", "a=b", "-12", "+3.5e-7", "-1,234.5", "12%", " =1", "'=1"]


def test_what_is_a_formula():
    assert all(map(is_formula, RUNS))
    assert not any(map(is_formula, HARMLESS))
    frame = pl.DataFrame({"a": RUNS, "b": (HARMLESS * 2)[: len(RUNS)], "=c": ["x"] * len(RUNS)})
    assert formula_columns(frame) == ["a", "=c"]
    assert formula_columns(frame.with_columns(pl.col("a").cast(pl.Categorical))) == ["a", "=c"]


@pytest.fixture
def dangerous(folder):
    frame = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    wards = [RUNS[0] if i % 9 == 0 else ward for i, ward in enumerate(frame["ward"])]
    counties = ["=Osona" if county == "Osona" else county for county in frame["county"]]
    frame.with_columns(ward=pl.Series(wards), county=pl.Series(counties)).write_csv(folder.path / "data.csv")
    return folder


def test_a_release_warns_of_formulas(dangerous):
    done = dangerous.shoal(*RUN)
    assert done.returncode == 0, done.stderr
    assert b"warning: 'county', 'ward' have cells that begin as formulas do" in done.stderr
    assert b"--escape-formulas" in done.stderr
    assert b"cmd" not in done.stderr, "a warning shows no value"
    manifest = json.loads((dangerous.path / "out.manifest.json").read_text())
    assert any("formulas" in warning for warning in manifest["warnings"])
    assert b"begin as formulas do" in dangerous.shoal("check", "data.csv", "--plan", "plan.toml").stderr
    assert dangerous.shoal(*RUN, "--strict").returncode == 3


def test_formulas_are_escaped_on_request(dangerous):
    done = dangerous.shoal(*RUN, "--escape-formulas")
    assert done.returncode == 0, done.stderr
    assert b"formulas" not in done.stderr
    released = pl.read_csv(dangerous.path / "out.csv", infer_schema=False)
    assert formula_columns(released) == []
    assert released["ward"].str.starts_with("'=cmd").sum() == 7
    assert released.group_by("age", "grade", "county", "seen").len()["len"].min() >= 4, "classes are what they were"


def test_no_warning_where_nothing_runs(dangerous):
    assert b"formulas" not in dangerous.shoal(*RUN[:-1], "out.parquet").stderr
    done = dangerous.shoal(*RUN[:-1], "out.parquet", "--escape-formulas")
    assert (done.returncode, b"--escape-formulas is for CSV" in done.stderr) == (2, True)


def test_writing_by_hand(tmp_path):
    frame = pl.DataFrame({"a": ["=1+1", "-3", None], "n": [-1, 2, 3]})
    write(frame, tmp_path / "out.csv", escape_formulas=True)
    assert (tmp_path / "out.csv").read_text() == "a,n\n'=1+1,-1\n-3,2\n,3\n"
    assert read(tmp_path / "out.csv").frame["n"].to_list() == ["-1", "2", "3"]
    with pytest.raises(PlanError, match="no spreadsheet takes cells of Parquet"):
        write(frame, tmp_path / "out.parquet", escape_formulas=True)
    assert not (tmp_path / "out.parquet").exists()


def stream(folder, *more):
    (folder.path / "in.ndjson").write_text(
        "".join(json.dumps({"age": i % 30, "note": RUNS[0] if i == 7 else "fine"}) + "\n" for i in range(40))
    )
    folder.write_plan(
        'k = 3\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\nnote = { role = "other" }\n'
        "[stream]\nmax_delay = 10\n"
    )
    return folder.shoal("stream", "--plan", "plan.toml", "-i", "in.ndjson", *more)


def test_a_stream_warns_once_and_escapes_on_request(folder):
    done = stream(folder, "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(b"begins as a formula does") == 1
    assert b"'note'" in done.stderr
    assert b"cmd" not in done.stderr
    assert b",=cmd" in (folder.path / "out.csv").read_bytes()
    done = stream(folder, "-o", "out.csv", "--escape-formulas")
    assert done.returncode == 0, done.stderr
    assert b"formula" not in done.stderr
    assert b",'=cmd" in (folder.path / "out.csv").read_bytes()


def test_json_has_no_formulas(folder):
    assert b"formula" not in stream(folder, "-o", "out.ndjson").stderr
    done = stream(folder, "-o", "out.ndjson", "--escape-formulas")
    assert (done.returncode, b"--escape-formulas is for CSV" in done.stderr) == (2, True)
