"""Weights on the command line: a heavy record gave itself away, and does no longer."""

import json

import numpy as np
import polars as pl
import pytest

PLAN = """
k = 3
weights = "stands_for"

[attributes]
age        = { role = "quasi_identifier", kind = "numeric" }
income     = { role = "quasi_identifier", kind = "numeric" }
illness    = { role = "confidential", kind = "nominal" }
stands_for = { role = "other" }
"""


@pytest.fixture
def survey(folder):
    """A sample of few rich people, who stand for few, and of one that stands for two hundred."""
    rng = np.random.default_rng(9)
    weights = rng.integers(5, 15, 60)
    weights[17] = 200
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 60),
            "income": rng.integers(10_000, 90_000, 60),
            "illness": rng.choice(["flu", "gout", "ulcer"], 60),
            "stands_for": weights,
        }
    )
    frame.write_csv(folder.path / "data.csv")
    folder.write_plan(PLAN)
    return folder, frame


def incomes(folder):
    return pl.read_csv(folder.path / "out.csv")["income"].to_list()


def test_an_intruder_reads_the_income_of_the_heaviest_record_and_does_so_no_longer(survey):
    folder, frame = survey
    own = frame["income"][17]
    options = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    assert folder.shoal(*options, "--dominance", "1").returncode == 0
    near = [income for income in incomes(folder) if abs(income - own) < 0.05 * own]
    assert incomes(folder)[17] in near
    done = folder.shoal(*options)
    assert done.returncode == 0, done.stderr
    assert abs(incomes(folder)[17] - own) > 0.05 * own
    released = pl.read_csv(folder.path / "out.csv")
    shares = released.group_by("age", "income").agg(pl.col("stands_for").max() / pl.col("stands_for").sum())
    assert shares["stands_for"].max() <= 0.5
    verdict = json.loads((folder.path / "out.manifest.json").read_text())["guarantees"][1]
    assert (verdict["name"], verdict["asked"], verdict["holds"]) == ("dominance", 0.5, True)
    assert verdict["achieved"] == pytest.approx(shares["stands_for"].max())
    told = done.stderr.decode()
    assert "no record may make more than 0.5 of its group's mean: groups in which one does are merged" in told
    assert f"✓ dominance = {verdict['achieved']:.4g} (asked 0.5)" in told


def test_the_report_and_check_tell_of_it(survey):
    folder, _ = survey
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 0, done.stderr
    assert b"No record may make more than 0.5 of its group's mean" in done.stdout
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "out.html")
    assert done.returncode == 0, done.stderr
    assert (
        "No record makes more than 0.5 of a weighted mean that stands for its class"
        in (folder.path / "out.html").read_text()
    )
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml", "--dominance", "0.1").stdout == b""


@pytest.mark.parametrize("command", ["check", "anonymize"])
def test_what_no_groups_keep_is_refused_before_the_work(survey, command):
    folder, _ = survey
    before = folder.names()
    output = ("-o", "out.csv") if command == "anonymize" else ()
    done = folder.shoal(command, "data.csv", "--plan", "plan.toml", "--dominance", "0.1", *output)
    assert done.returncode == 3
    assert "dominance = 0.1 cannot be kept" in done.stderr.decode()
    assert "lower its weight in 'stands_for'" in done.stderr.decode()
    assert folder.names() == before
