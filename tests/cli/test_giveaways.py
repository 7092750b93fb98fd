"""Warnings on the command line: before the work, with their remedy, and strictly."""

import json

import polars as pl
import pyreadstat
import pytest

from shoal import Plan
from shoal.giveaways import remedied

REMEDY = '[attributes]\ntax = { role = "quasi_identifier", kind = "numeric" }'


@pytest.fixture
def taxed(folder):
    """A table with a column that follows a masked one, and an ``other`` column without a kind."""
    data = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    numbers = data["age"].cast(pl.Int64)
    tax = [f"{value * 3.1 + row % 2 / 100:.2f}" for row, value in enumerate(numbers)]
    data.with_columns(tax=pl.Series(tax)).write_csv(folder.path / "data.csv")
    folder.write_plan((folder.path / "plan.toml").read_text() + "tax    = { role = 'other' }\n")
    return folder


def test_check_says_what_a_release_would_give_away(taxed):
    done = taxed.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 0
    assert "Nothing is wrong, but for 2 warnings; nothing was written." in done.stdout.decode()
    said = done.stderr.decode()
    assert "warning: 'tax' is released as it is, and " in said
    assert "of its values belong to a single record" in said
    assert "these lines of the plan would end it:\n    [attributes]\n    tax = { role" in said


def test_check_finds_what_a_run_warns_of(taxed):
    before = taxed.shoal("check", "data.csv", "--plan", "plan.toml").stderr.decode()
    taxed.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    manifest = json.loads((taxed.path / "out.manifest.json").read_text())
    assert len(manifest["warnings"]) == 2
    assert all(f"warning: {sentence}" in before for sentence in manifest["warnings"])
    assert [each["sentence"] for each in manifest["giveaways"]] == manifest["warnings"]


def test_the_lines_end_the_warnings(taxed):
    plan = Plan.load(taxed.path / "plan.toml")
    remedied(plan, REMEDY).save(taxed.path / "mended.toml")
    assert REMEDY.splitlines()[1] in taxed.shoal("check", "data.csv", "--plan", "plan.toml").stderr.decode()
    done = taxed.shoal("anonymize", "data.csv", "--plan", "mended.toml", "-o", "out.csv", "--strict")
    assert done.returncode == 0, done.stderr
    assert json.loads((taxed.path / "out.manifest.json").read_text())["giveaways"] == []


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--dry-run",), ("--report", "out.html")])
def test_strict_writes_nothing(taxed, more):
    names = taxed.names()
    done = taxed.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--strict", *more)
    assert done.returncode == 3
    assert done.stdout == b""
    assert "warning: 'tax' is released" in done.stderr.decode()
    assert done.stderr.decode().endswith("error: --strict, and 2 warnings: nothing was written\n")
    assert taxed.names() == names


def test_a_strict_check_ends_with_three(taxed):
    done = taxed.shoal("check", "data.csv", "--plan", "plan.toml", "--strict")
    assert done.returncode == 3
    assert done.stderr.decode().endswith("error: --strict, and 2 warnings: nothing was written\n")


def test_strict_lets_pass_what_gives_nothing_away(folder):
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml", "--strict").returncode == 0
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--strict")
    assert done.returncode == 0, done.stderr
    assert "out.csv" in folder.names()


def test_where_k_is_not_guaranteed_it_is_checked_too(taxed):
    taxed.write_plan(
        'k = 4\nmethod = "individual"\nguarantee = false\n[attributes]\nage = { role = "quasi_identifier", '
        'kind = "numeric" }\npay = { role = "quasi_identifier", kind = "numeric" }\ntax = { role = "other" }\n'
    )
    pl.read_csv(taxed.path / "data.csv", infer_schema=False).select("age", "pay", "tax").write_csv(
        taxed.path / "data.csv"
    )
    done = taxed.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 0
    assert "Nothing else is wrong, but for 2 warnings; nothing was written." in done.stdout.decode()
    assert "warning: 'tax' is released" in done.stderr.decode()


LABELLED = 'k = 2\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
LEAVES = "warning: the label of the file leaves with a Stata or SPSS file"


@pytest.mark.parametrize("ending", ["dta", "sav"])
@pytest.mark.parametrize("label", ["Patients of Dr. Who", ""], ids=["label", "none"])
def test_the_label_of_a_file(folder, ending, label):
    ages = pl.DataFrame({"age": [61, 30, 34, 67]})
    writer = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
    writer(ages, folder.path / f"data.{ending}", file_label=label)
    folder.write_plan(LABELLED)
    source = (f"data.{ending}", "--plan", "plan.toml")
    checked = folder.shoal("check", *source)
    assert (LEAVES in checked.stderr.decode()) == bool(label)
    kept = folder.shoal("anonymize", *source, "-o", f"out.{ending}")
    assert kept.returncode == 0, kept.stderr
    assert (LEAVES in kept.stderr.decode()) == bool(label)
    assert "Who" not in kept.stderr.decode()
    names = [each["name"] for each in json.loads((folder.path / "out.manifest.json").read_text())["giveaways"]]
    assert names == (["file_label"] if label else [])
    strict = folder.shoal("anonymize", *source, "-o", f"strict.{ending}", "--strict")
    assert strict.returncode == (3 if label else 0)
    assert (f"strict.{ending}" in folder.names()) != bool(label)
    other = folder.shoal("anonymize", *source, "-o", "out.csv", "--strict")
    assert other.returncode == 0, other.stderr
