"""Recoding on the command line: dates of text become distances, counts are said, the release is judged by verify."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from command import shoal

PLAN = """
k = 3
subject = "patient"

[attributes]
patient = { role = "identifier" }
born = { role = "identifier", kind = "date" }
visit = { role = "quasi_identifier", kind = "date", relative_to = "born" }
age = { role = "quasi_identifier", kind = "numeric", round_to = 5, clip = { high = 80 } }
pay = { role = "confidential", kind = "numeric", clip = { high = 60 } }
town = { role = "other", kind = "nominal", rare = { below = 4 } }
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    days = rng.integers(0, 20000, 60)
    frame = pl.DataFrame(
        {
            "patient": [f"p{i}" for i in range(60)],
            "born": [(dt.date(1930, 1, 1) + dt.timedelta(int(day))).strftime("%d/%m/%Y") for day in days],
            "visit": [(dt.date(2020, 1, 1) + dt.timedelta(int(day))).isoformat() for day in days % 300],
            "age": rng.integers(20, 99, 60),
            "pay": rng.integers(0, 90, 60),
            "town": ["A", "B"] * 28 + ["x", "x", "y", "y"],
        }
    )
    frame.write_csv(tmp_path / "data.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_check_and_run_say_what_is_recoded(folder):
    checked = shoal("check", "data.csv", "--plan", "plan.toml", cwd=folder).stdout.decode()
    run = (
        "anonymize",
        "data.csv",
        "--plan",
        "plan.toml",
        "-o",
        "out.csv",
        "--row-map",
        "map.csv",
        "--report",
        "r.html",
    )
    done = shoal(*run, cwd=folder)
    assert done.returncode == 0
    for text in (checked, done.stderr.decode()):
        assert "'age' was recoded, rounded to multiples of 5: " in text
        assert "'visit' was recoded, days since 'born': 60 of 60 cells changed" in text
        assert "'pay' was recoded, cut off above 60: " in text
    released = pl.read_csv(folder / "out.csv")
    assert released["pay"].max() == 60
    assert "other" in released["town"]
    assert released.schema["visit"] == pl.Float64
    files = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "map.csv")
    judged = shoal("verify", "out.csv", *files, cwd=folder)
    assert judged.returncode == 0, judged.stdout.decode()
    assert "✓ clip: pay has 0 values beyond the high end of clip" in judged.stdout.decode()
    assert "✓ rare: town has 0" in judged.stdout.decode()
    measured = shoal(
        "measure", "data.csv", "out.csv", "--plan", "plan.toml", "--row-map", "map.csv", "--json", cwd=folder
    )
    assert '"recoding":' in measured.stdout.decode()


def test_a_clip_that_empties_a_column_ends_with_code_2(folder):
    emptied = ("--set", "attributes.age.clip={ high = 1 }", "--set", "attributes.age.round_to=1")
    for command in (("check",), ("anonymize", "-o", "out.csv")):
        done = shoal(command[0], "data.csv", "--plan", "plan.toml", *emptied, *command[1:], cwd=folder)
        assert done.returncode == 2
        assert "clip of column 'age' empties it: all its 60 values become the same one" in done.stderr.decode()
    assert not (folder / "out.csv").exists()


def test_a_written_release_of_distances_is_reported_and_compared_later(folder):
    run = ("anonymize", "data.csv", "--plan", "plan.toml", "--row-map", "map.csv")
    assert shoal(*run, "-o", "out.csv", cwd=folder).returncode == 0
    tables = ("data.csv", "out.csv", "--plan", "plan.toml", "--row-map", "map.csv")
    reported = shoal("report", *tables, "-o", "r.html", cwd=folder)
    assert reported.returncode == 0, reported.stderr.decode()
    assert "Recoded before grouping" in (folder / "r.html").read_text()
    after = ("--after", "out.csv,rows=map.csv", "--after-anyway", "--k", "4")
    again = shoal("anonymize", "data.csv", "--plan", "plan.toml", *after, "-o", "again.csv", cwd=folder)
    assert again.returncode == 0, again.stderr.decode()


@pytest.mark.parametrize("cell", ["inf", "1e301"])
def test_what_cannot_be_measured_is_refused_before_files_appear(folder, cell):
    text = (folder / "data.csv").read_text().splitlines()
    cells = text[1].split(",")
    cells[3] = cell
    (folder / "data.csv").write_text("\n".join([text[0], ",".join(cells), *text[2:]]) + "\n")
    for command in (["check"], ["anonymize", "-o", "out.csv"], ["anonymize", "-q", "-o", "out.csv"]):
        done = shoal(command[0], "data.csv", "--plan", "plan.toml", *command[1:], cwd=folder)
        assert done.returncode == 2, command
        assert b"column 'age' has" in done.stderr
    assert {path.name for path in folder.iterdir()} == {"data.csv", "plan.toml"}


def test_a_page_that_cannot_be_made_leaves_no_release(folder):
    text = (folder / "data.csv").read_text().splitlines()
    cells = text[1].split(",")
    cells[4] = "inf"  # a confidential number, which leaves cut off, and cannot be compared with what it was
    (folder / "data.csv").write_text("\n".join([text[0], ",".join(cells), *text[2:]]) + "\n")
    done = shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--summary", cwd=folder)
    assert done.returncode == 2
    assert b"column 'pay' has 1 infinite value" in done.stderr
    assert {path.name for path in folder.iterdir()} == {"data.csv", "plan.toml"}
