"""Pseudonyms on the command line, and the file that keeps their key."""

import json
import stat

import numpy as np
import polars as pl
import pytest

PLAN = """
k = 4
subject = "person"
keep_subject = "pseudonym"

[attributes]
person = { role = "identifier" }
born   = { role = "quasi_identifier", kind = "numeric" }
cost   = { role = "confidential", kind = "numeric" }
year   = { role = "other" }
"""


@pytest.fixture
def panel(folder):
    """Thirty persons in each of three years."""
    rng = np.random.default_rng(1)
    born = rng.integers(1930, 2010, 30)
    who = np.tile(rng.permutation(30), 3)
    frame = pl.DataFrame({"person": [f"P{i:02d}" for i in who], "born": born[who]}).with_columns(
        cost=pl.Series(rng.integers(100, 900, 90) / 4), year=np.repeat([2020, 2021, 2022], 30)
    )
    frame.write_csv(folder.path / "data.csv")
    folder.write_plan(PLAN)
    return folder


def anonymize(folder, *more, output="out.csv"):
    return folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", output, *more)


def released(folder, name="out.csv"):
    return pl.read_csv(folder.path / name, infer_schema=False)


def test_pseudonyms_stand_where_subjects_stood(panel):
    done = anonymize(panel)
    assert done.returncode == 0, done.stderr
    assert "✓ history_k_anonymity" in done.stderr.decode()
    data = released(panel)
    assert data.columns == ["person", "born", "cost", "year"]
    assert data["person"].n_unique() == 30
    assert "P" + "0" not in (panel.path / "out.csv").read_text()
    assert data.group_by("person").agg(pl.col("born").n_unique())["born"].to_list() == [1] * 30
    assert data.group_by("born").agg(pl.col("person").n_unique())["person"].min() >= 4
    # No key is left behind, so that another run has other pseudonyms.
    assert panel.names() == ["data.csv", "out.csv", "out.manifest.json", "plan.toml"]
    assert anonymize(panel, output="again.csv").returncode == 0
    assert not set(released(panel, "again.csv")["person"]) & set(data["person"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "dta", "sav"])
def test_every_format_holds_pseudonyms(panel, ending):
    pytest.importorskip("pyreadstat")
    assert anonymize(panel, "--order", "keep", output=f"out.{ending}").returncode == 0
    done = panel.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", f"back.{ending}", "--order", "keep")
    assert done.returncode == 0
    again = panel.shoal("measure", "data.csv", f"back.{ending}", "--plan", "plan.toml", "-m", "k_min", "--json", "-q")
    assert json.loads(again.stdout)["k_min"]["value"] >= 4


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_numbers_with_labels_become_pseudonyms(panel, ending, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pl.read_csv(panel.path / "data.csv").with_columns(pl.col("person").str.strip_prefix("P").cast(pl.Int32))
    write = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav
    write(frame, panel.path / f"data.{ending}", variable_value_labels={"person": {i: f"Mr {i}" for i in range(30)}})
    done = panel.shoal("anonymize", f"data.{ending}", "--plan", "plan.toml", "-o", f"out.{ending}")
    assert done.returncode == 0, done.stderr
    read = pyreadstat.read_dta if ending == "dta" else pyreadstat.read_sav
    data, metadata = read(panel.path / f"out.{ending}", output_format="polars")
    assert data["person"].dtype == pl.String
    assert data["person"].n_unique() == 30
    assert not metadata.variable_value_labels.get("person")
    assert b"Mr 1" not in (panel.path / f"out.{ending}").read_bytes()


def test_a_key_file_gives_a_later_release_the_same_pseudonyms(panel):
    done = anonymize(panel, "--key-file", "key")
    assert done.returncode == 0, done.stderr
    assert b"wrote out.csv, out.manifest.json and key" in done.stderr
    place = panel.path / "key"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    key = place.read_text()
    assert len(key) == 65
    assert key not in (panel.path / "out.manifest.json").read_text()
    first = released(panel)
    assert anonymize(panel, "--key-file", "key", output="again.csv").returncode == 0
    assert (panel.path / "again.csv").read_bytes() == (panel.path / "out.csv").read_bytes()
    assert place.read_text() == key
    # A year later there are fewer rows of the same persons.
    data = pl.read_csv(panel.path / "data.csv", infer_schema=False)
    data.filter(pl.col("year") != "2020").write_csv(panel.path / "data.csv")
    assert anonymize(panel, "--key-file", "key", output="later.csv").returncode == 0
    assert set(released(panel, "later.csv")["person"]) == set(first["person"])


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_key_file_that_others_can_read_is_refused(panel, mode):
    (panel.path / "key").write_text("ab" * 32 + "\n")
    (panel.path / "key").chmod(mode)
    done = anonymize(panel, "--key-file", "key")
    assert done.returncode == 2
    assert b"--key-file key can be read or written by others than its owner" in done.stderr
    assert b"chmod 600" in done.stderr
    assert panel.names() == ["data.csv", "key", "plan.toml"]


@pytest.mark.parametrize("content", ["", "xyz", "ab" * 31, "ab" * 33, "ab" * 40])
def test_what_is_no_key_is_refused(panel, content):
    (panel.path / "key").write_text(content)
    (panel.path / "key").chmod(0o600)
    done = anonymize(panel, "--key-file", "key")
    assert done.returncode == 2
    assert b"--key-file key does not hold a key, which is a line of 64 hexadecimal digits" in done.stderr
    assert panel.names() == ["data.csv", "key", "plan.toml"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nowhere/key", b"does not exist"),
        ("out.csv", b"named for two outputs"),
        ("rows.csv", b"named for two outputs"),
        ("data.csv", b"can be read or written by others than its owner"),
        ("/dev/null", b"can be read or written by others than its owner"),
        (".", b"--key-file . cannot be read: is a directory"),
    ],
)
def test_a_key_file_that_cannot_be_one_is_refused(panel, target, said):
    done = anonymize(panel, "--row-map", "rows.csv", "--key-file", target)
    assert done.returncode == 2
    assert said in done.stderr
    assert panel.names() == ["data.csv", "plan.toml"]


def test_a_key_file_without_pseudonyms_is_refused(panel):
    panel.write_plan(PLAN.replace('keep_subject = "pseudonym"\n', ""))
    done = anonymize(panel, "--key-file", "key")
    assert done.returncode == 2
    assert b"--key-file is for pseudonyms, and the plan asks for none" in done.stderr
    assert panel.names() == ["data.csv", "plan.toml"]


def test_two_new_keys_in_one_file_are_refused(panel):
    names = panel.names()
    done = anonymize(panel, "-q", "--key-file", "one.key", "--remember", "one.key", "--model", "kept.model")
    assert done.returncode == 2
    assert done.stderr == b"error: one.key is named for two outputs: choose different names\n"
    assert panel.names() == names


def test_a_run_that_fails_leaves_no_key(panel):
    done = anonymize(panel, "--key-file", "key", "--k", "31")
    assert done.returncode == 2
    assert panel.names() == ["data.csv", "plan.toml"]
    assert anonymize(panel, "--key-file", "key", "--dry-run").returncode == 0
    assert panel.names() == ["data.csv", "plan.toml"]


def test_pseudonyms_with_varying_quasi_identifiers_are_refused(panel):
    panel.write_plan(
        PLAN.replace('year   = { role = "other" }', 'year = { role = "quasi_identifier", kind = "numeric" }')
    )
    for command in ("check", "anonymize"):
        done = panel.shoal(command, "data.csv", "--plan", "plan.toml")
        assert done.returncode == 2
        assert (
            b"'year' differs between rows of one: leave keep_subject out, make it constant per subject" in done.stderr
        )
    assert panel.names() == ["data.csv", "plan.toml"]


def test_pseudonyms_without_a_subject_are_refused(panel):
    panel.write_plan(PLAN.replace('subject = "person"\n', "", 1))
    done = anonymize(panel)
    assert done.returncode == 2
    assert b"needs subject to name a column" in done.stderr


def test_check_and_report_know_pseudonyms(panel):
    done = panel.shoal("check", "data.csv", "--plan", "plan.toml")
    assert b"replaced by pseudonyms" in done.stdout
    assert anonymize(panel, "--report", "with.html").returncode == 0
    command = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-o", "after.html")
    done = panel.shoal(*command)
    assert done.returncode == 0, done.stderr
    assert "✓ history_k_anonymity" in done.stderr.decode()
    assert b"warning" not in done.stderr
    report = json.loads((panel.path / "after.json").read_text())
    assert [judged["name"] for judged in report["guarantees"]] == ["k_anonymity", "history_k_anonymity"]
