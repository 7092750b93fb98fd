"""shoal anonymize --after: an attack on two releases that succeeds, and is refused now."""

from __future__ import annotations

import hashlib
import json

import polars as pl
import pytest

from cli.conftest import PLAN
from shoal.jobs.earlier_files import EarlierFiles

QUASI = ["age", "grade", "county", "seen"]


@pytest.fixture
def released(folder):
    """A folder in which a first release is out, and so is the plan of a second."""
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "first.csv")
    assert done.returncode == 0, done.stderr
    return folder


def second(folder, *options, plan="plan.toml", output="second.csv"):
    return folder.shoal("anonymize", "data.csv", "--plan", plan, "--k", "5", "-o", output, *options)


def attack(folder):
    """Read two released files, match their rows by pay, which both have as it is, and look for those who are alone."""
    first, other = (pl.read_csv(folder.path / name, infer_schema=False) for name in ("first.csv", "second.csv"))
    both = first.join(other, on="pay", suffix="_2")
    assert len(both) == 60
    known = [*QUASI, *(f"{name}_2" for name in QUASI)]
    return both.filter(pl.len().over(known) == 1)["pay"], both.select(pl.len().over(known)).to_series()


def test_two_files_that_each_hide_everybody_single_people_out_together(released):
    assert second(released).returncode == 0
    for name, k in (("first.csv", 4), ("second.csv", 5)):
        file = pl.read_csv(released.path / name, infer_schema=False)
        assert file.group_by(QUASI).len()["len"].min() >= k
    alone, sizes = attack(released)
    assert len(alone) > 0

    (released.path / "second.csv").unlink()
    (released.path / "second.manifest.json").unlink()
    done = second(released, "--after", "first.csv")
    assert done.returncode == 3
    assert released.names() == ["data.csv", "first.csv", "first.manifest.json", "plan.toml"]
    told = done.stderr.decode()
    assert "together with first.csv this release leaves fewer than k = 5 where their classes meet, 1 at worst" in told
    assert f"{(sizes < 5).sum()} of 60 records are left with fewer than 5, {len(alone)} of them alone" in told
    assert "person-" not in told


def test_what_is_accepted_is_said_everywhere(released):
    done = second(released, "--after", "first.csv", "--after-anyway", "--report", "second.html")
    assert done.returncode == 0, done.stderr
    alone, sizes = attack(released)
    told = done.stderr.decode()
    assert "✗ intersection = 1 (asked 5)" in told
    assert "warning: together with first.csv" in told
    manifest = json.loads((released.path / "second.manifest.json").read_text())
    verdict = manifest["guarantees"][-1]
    assert (verdict["name"], verdict["holds"], verdict["achieved"]) == ("intersection", False, 1)
    assert verdict["detail"]["singled_out"] == len(alone)
    assert verdict["detail"]["below_k"] == (sizes < 5).sum()
    before = json.loads((released.path / "first.manifest.json").read_text())
    assert manifest["after"] == [{"name": "first.csv", "sha256": before["output"]["sha256"]}]
    assert any("accepted" in warning for warning in manifest["warnings"])
    page = (released.path / "second.html").read_text()
    assert "intersection" in page
    assert "and that was accepted" in page


def test_the_plan_of_the_earlier_release_leaves_what_it_left(released):
    done = released.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "second.csv", "--after", "first.csv")
    assert done.returncode == 0, done.stderr
    assert b"intersection = 4 (asked 4)" in done.stderr
    assert (released.path / "second.csv").read_bytes() == (released.path / "first.csv").read_bytes()


def test_a_plan_that_reads_a_column_in_another_way_is_still_of_the_same_table(released):
    (released.path / "other.toml").write_text(PLAN.replace('"other" }', '"other", kind = "numeric" }'))
    assert second(released, "--after", "first.csv", plan="other.toml").returncode == 3


def test_other_formats_and_several_releases(released):
    assert second(released, output="second.parquet").returncode == 0
    done = second(released, "--after", "first.csv", "--after", "second.parquet", "--k", "6", output="third.csv")
    assert done.returncode == 3
    assert b"together with first.csv, second.parquet" in done.stderr


def test_an_external_report_does_not_count_whom_an_intruder_finds(released):
    options = ("--after-anyway", "--report", "second.html", "--edition", "external")
    assert second(released, "--after", "first.csv", *options).returncode == 0
    report = json.loads((released.path / "second.json").read_text())
    verdict = report["guarantees"][-1]
    assert (verdict["name"], verdict["holds"]) == ("intersection", False)
    assert (verdict["note"], verdict["detail"]) == ("", {})


def sorted_and_released(folder):
    """Sort the table, so that its release is shuffled, with a row map that stands elsewhere."""
    pl.read_csv(folder.path / "data.csv", infer_schema=False).sort("age").write_csv(folder.path / "data.csv")
    (folder.path / "private").mkdir()
    done = folder.shoal(
        "anonymize", "data.csv", "--plan", "plan.toml", "-o", "first.csv", "--row-map", "private/map.csv"
    )
    assert b"the rows were shuffled" in done.stderr


@pytest.mark.parametrize("rows", ["", ",rows=private/map.csv"], ids=["formed again", "by the map"])
def test_a_release_whose_rows_were_shuffled_is_matched(released, rows):
    sorted_and_released(released)
    assert second(released).returncode == 0
    alone, sizes = attack(released)
    done = second(released, "--after", f"first.csv{rows}", output="third.csv")
    assert done.returncode == 3
    told = f"{(sizes < 5).sum()} of 60 records are left with fewer than 5, {len(alone)} of them alone"
    assert told in done.stderr.decode()


def test_rows_in_an_order_that_nobody_tells_are_refused(released):
    lines = (released.path / "first.csv").read_text().splitlines()
    (released.path / "first.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    manifest = json.loads((released.path / "first.manifest.json").read_text())
    manifest["output"]["file_sha256"] = hashlib.sha256((released.path / "first.csv").read_bytes()).hexdigest()
    (released.path / "first.manifest.json").write_text(json.dumps(manifest))
    done = second(released, "--after", "first.csv")
    assert done.returncode == 2
    assert b"the rows of first.csv cannot be matched with those of the table: give the row map" in done.stderr


def sort_data(folder):
    pl.read_csv(folder.path / "data.csv", infer_schema=False).sort("age").write_csv(folder.path / "data.csv")


def change_release(folder):
    with (folder.path / "first.csv").open("a") as file:
        file.write("1,low,Osona,2024-01-01,2,01\n")


@pytest.mark.parametrize(
    ("prepare", "after", "words"),
    [
        (None, "gone.csv", "the manifest of gone.csv is not there: gone.manifest.json"),
        (lambda folder: (folder.path / "first.csv").unlink(), "first.csv", "there is no such file"),
        (lambda folder: (folder.path / "first.manifest.json").write_text("{"), "first.csv", "it is not JSON"),
        (lambda folder: (folder.path / "first.manifest.json").write_text("[" * 200_000), "first.csv", "it is not JSON"),
        (lambda folder: (folder.path / "first.manifest.json").write_text("[]"), "first.csv", "none that shoal wrote"),
        (lambda folder: (folder.path / "first.manifest.json").write_text("{}"), "first.csv", "none that shoal wrote"),
        (sort_data, "first.csv", "first.csv was not made of this table"),
        (change_release, "first.csv", "first.csv is not the release that its manifest speaks of"),
        (None, "first.csv,manifest=gone.json", "gone.json should say"),
        (None, "first.csv,rows=data.csv", "data.csv is no row map"),
        (None, "first.csv,rows=", "--after takes FILE"),
        (None, "first.csv,rows=a,rows=b", "--after takes FILE"),
        (None, "-", "--after takes FILE"),
        (None, ".", "--after takes FILE"),
        (None, "/", "--after takes FILE"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(released, prepare, after, words):
    if prepare is not None:
        prepare(released)
    before = released.names()
    done = second(released, "--after", after)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert released.names() == before


def test_a_manifest_may_stand_elsewhere(released):
    (released.path / "first.manifest.json").rename(released.path / "m.json")
    assert second(released, "--after", "first.csv,manifest=m.json").returncode == 3


def test_earlier_files_are_not_overwritten(released):
    done = second(released, "--after", "first.csv", output="first.csv")
    assert done.returncode == 2
    assert b"first.csv" in done.stderr


def test_accepting_without_an_earlier_release_is_refused(released):
    done = second(released, "--after-anyway")
    assert done.returncode == 2
    assert b"--after names none" in done.stderr


def test_parts_of_the_option_are_told_apart_by_their_names():
    files = EarlierFiles.parse("a,b.csv,manifest=m.json,rows=r.csv")
    assert files == EarlierFiles("a,b.csv", "m.json", "r.csv")
    assert files.paths == ("a,b.csv", "m.json", "r.csv")
