"""shoal apply, and --model, --remember, --previous of shoal anonymize: files in, files out, and exit codes."""

from __future__ import annotations

import json

import polars as pl
import pyreadstat
import pytest

from command import shoal
from people import K, people

PLAN = """
k = 4
subject = "name"
[attributes]
name = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
county = { role = "quasi_identifier", kind = "nominal" }
pay = { role = "confidential", kind = "numeric" }
"""
COLUMNS = ["name", "age", "county", "pay"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "private").mkdir(mode=0o700)
    (tmp_path / "public").mkdir()
    table = people(120).select(COLUMNS)
    table[:80].write_csv(tmp_path / "first.csv")
    table.write_csv(tmp_path / "second.csv")
    table[:81].write_csv(tmp_path / "one_more.csv")
    people(30, seed=5).select(COLUMNS).write_csv(tmp_path / "new.csv")
    return tmp_path


def run(folder, *arguments):
    return shoal(*arguments, cwd=folder)


def release(folder, data, number, *more):
    model = ("--model", f"private/m{number}.json", "--remember", "private/key")
    return run(folder, "anonymize", f"{data}", "--plan", "plan.toml", "-o", f"public/{number}.csv", *model, *more)


def test_cells_that_a_spreadsheet_would_run_are_said_and_written_as_text_on_request(folder):
    plan = PLAN + 'note = { role = "other" }\n'
    (folder / "plan.toml").write_text(plan)
    for name in ("first.csv", "new.csv"):
        table = pl.read_csv(folder / name, infer_schema=False)
        note = pl.Series("note", ["=cmd()" if name == "new.csv" and i == 3 else "fine" for i in range(len(table))])
        table.with_columns(note).write_csv(folder / name)
    assert release(folder, "first.csv", 1).returncode == 0
    apply = ("apply", "new.csv", "--model", "private/m1.json", "-o")
    done = run(folder, *apply, "public/new.csv")
    assert done.returncode == 0, done.stderr
    assert b"warning: 'note' has cells that begin as formulas do" in done.stderr
    assert b"cmd" not in done.stderr
    assert b",=cmd()" in (folder / "public/new.csv").read_bytes()
    done = run(folder, *apply, "public/new.csv", "--escape-formulas")
    assert done.returncode == 0, done.stderr
    assert b"formulas" not in done.stderr
    assert b",'=cmd()" in (folder / "public/new.csv").read_bytes()
    done = run(folder, *apply, "public/new.parquet", "--escape-formulas")
    assert (done.returncode, b"--escape-formulas is for CSV" in done.stderr) == (2, True)


def test_new_records_are_masked_by_a_saved_model(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    assert (folder / "private/m1.json").stat().st_mode & 0o077 == 0
    done = run(folder, "apply", "new.csv", "--model", "private/m1.json", "-o", "public/new.csv")
    assert done.returncode == 0
    assert "one of k + 1" in done.stderr.decode()
    assert "not promised" in done.stderr.decode()
    masked, before = pl.read_csv(folder / "public/new.csv"), pl.read_csv(folder / "public/1.csv")
    assert masked.columns == ["age", "county", "pay"]
    shared = masked.unique(["age", "county"]).join(before, on=["age", "county"]).group_by("age", "county").len()
    assert shared["len"].min() >= K
    assert len(shared) == masked.select("age", "county").n_unique()
    about = json.loads((folder / "public/new.manifest.json").read_text())
    assert (
        about["applied"]["released"] == json.loads((folder / "public/1.manifest.json").read_text())["output"]["sha256"]
    )
    assert about["output"] == {"rows": 30, "left_out": 0}


def test_a_grown_table_is_released_again_and_a_single_newcomer_is_not(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    refused = release(folder, "one_more.csv", 2, "--previous", "private/m1.json")
    assert refused.returncode == 3
    assert "1 subject is new since" in refused.stderr.decode()
    assert not (folder / "public/2.csv").exists()
    held = release(folder, "one_more.csv", 2, "--previous", "private/m1.json", "--hold-back")
    assert held.returncode == 0
    assert "1 record was held back" in held.stderr.decode()
    assert len(pl.read_csv(folder / "public/2.csv")) == 80
    grown = release(folder, "second.csv", 3, "--previous", "private/m2.json")
    assert grown.returncode == 0
    assert "80 subjects stayed and 40 are new" in grown.stderr.decode()
    about = json.loads((folder / "public/3.manifest.json").read_text())
    assert about["previous"]["releases"] == 2
    assert {each["name"]: each["holds"] for each in about["guarantees"]}["intersection"]


def test_whoever_is_held_back_was_not_dropped_against_the_plan(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    held = release(folder, "one_more.csv", 2, "--previous", "private/m1.json", "--hold-back", "--verify")
    assert held.returncode == 0, held.stderr
    assert "✓ k_anonymity: the classes have records of at least" in held.stderr.decode()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--previous", "private/m1.json"], "previous needs the key"),
        (["--remember", "private/key"], "none is written"),
        (["--remember", "private/key", "--previous", "private/m1.json"], "none is written"),
        (["--model", "private/m.json", "--release", "permute"], "permute"),
    ],
    ids=["no key", "no model", "no next model", "permute"],
)
def test_options_that_do_not_fit_exit_with_2(folder, more, said):
    assert release(folder, "first.csv", 1).returncode == 0
    done = run(folder, "anonymize", "second.csv", "--plan", "plan.toml", "-o", "public/x.csv", *more)
    assert (done.returncode, said in done.stderr.decode()) == (2, True)
    assert not (folder / "public/x.csv").exists()


def test_a_model_beside_a_private_release_and_frames_that_do_not_match_are_refused(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    pl.read_csv(folder / "new.csv").drop("county").write_csv(folder / "fewer.csv")
    done = run(folder, "apply", "fewer.csv", "--model", "private/m1.json", "-o", "public/new.csv")
    assert (done.returncode, "does not have column 'county'" in done.stderr.decode()) == (2, True)
    done = run(folder, "apply", "new.csv", "--model", "private/m1.json", "-o", "public/n.csv", "--close")
    assert (done.returncode, "no t-closeness" in done.stderr.decode()) == (2, True)
    assert not list((folder / "public").glob("n*"))


def test_one_record_is_no_records(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    pl.read_csv(folder / "new.csv").head(1).write_csv(folder / "single.csv")
    done = run(folder, "apply", "single.csv", "--model", "private/m1.json", "-o", "public/new.csv")
    assert done.stderr.decode().startswith("1 new record masked by 1 group\n")


def test_rows_that_follow_a_masked_column_are_said(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    table = pl.read_csv(folder / "new.csv").sample(fraction=1.0, shuffle=True, seed=3)
    said = []
    for rows in (table, table.sort("age")):
        rows.write_csv(folder / "new.csv")
        done = run(folder, "apply", "new.csv", "--model", "private/m1.json", "-o", "public/new.csv")
        assert done.returncode == 0
        said.append(done.stderr.decode())
    assert "the rows follow" not in said[0]
    assert "warning: the rows follow 'age', and leave in the order in which they came, which tells it" in said[1]
    (giveaway,) = json.loads((folder / "public/new.manifest.json").read_text())["giveaways"]
    assert (giveaway["name"], giveaway["columns"]) == ("row_order", ["age"])


def test_the_label_of_a_file_that_keeps_it_is_said(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    new = pl.read_csv(folder / "new.csv").sample(fraction=1.0, shuffle=True, seed=3)
    pyreadstat.write_dta(new.to_pandas(), folder / "new.dta", file_label="Patients of Dr Jones")
    for name, kept in (("new.dta", True), ("new.csv", False)):
        done = run(folder, "apply", "new.dta", "--model", "private/m1.json", "-o", f"public/{name}")
        assert (done.returncode, b"warning: the label of the file leaves" in done.stderr) == (0, kept), done.stderr


def test_two_rows_follow_nothing_that_another_order_would_hide(folder):
    assert release(folder, "first.csv", 1).returncode == 0
    pl.read_csv(folder / "new.csv")[:2].write_csv(folder / "new.csv")
    done = run(folder, "apply", "new.csv", "--model", "private/m1.json", "-o", "public/new.csv")
    assert (done.returncode, b"the rows follow" in done.stderr) == (0, False)
