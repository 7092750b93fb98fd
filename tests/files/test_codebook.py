"""A codebook: labels for the codes of a CSV file on the way in, and codes again on the way out."""

from __future__ import annotations

import polars as pl
import pytest

import command
from shoal import files
from shoal.errors import DataError

BOOK = "column,code,label\nsex,1,female\nsex,2,male\nschool,1,none\nschool,2,primary\nschool,3,tertiary\n"
DATA = "sex,school,pay\n" + "".join(f"{1 + i % 2},{1 + i % 3},{i * 10}\n" for i in range(30))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "codes.csv").write_text(BOOK)
    (tmp_path / "data.csv").write_text(DATA)
    return tmp_path


def test_codes_become_labels_in_the_order_of_the_codebook(folder):
    source = files.read(folder / "data.csv", codebook=folder / "codes.csv")
    assert source.frame.schema["school"] == pl.Enum(["none", "primary", "tertiary"])
    assert source.frame["sex"].head(2).cast(pl.String).to_list() == ["female", "male"]


def test_a_file_written_like_it_has_codes_again(folder):
    source = files.read(folder / "data.csv", codebook=folder / "codes.csv")
    files.write(source.frame, folder / "out.csv", like=source)
    assert (folder / "out.csv").read_text() == DATA


def test_value_labels_go_into_a_stata_file(folder):
    source = files.read(folder / "data.csv", codebook=folder / "codes.csv")
    files.write(source.frame, folder / "out.dta", like=source)
    labels = files.read(folder / "out.dta").labels
    assert labels.values["school"] == {1: "none", 2: "primary", 3: "tertiary"}


def test_a_column_with_labels_for_some_codes_keeps_its_codes(folder):
    (folder / "codes.csv").write_text("column,code,label\npay,0,refused\n")
    source = files.read(folder / "data.csv", codebook=folder / "codes.csv")
    assert source.frame["pay"].head(2).to_list() == ["0", "10"]
    files.write(source.frame, folder / "out.dta", like=source)
    assert files.read(folder / "out.dta").frame["pay"].head(2).to_list() == ["0", "10"]


def test_what_rare_codes_became_is_written_as_it_is(folder):
    source = files.read(folder / "data.csv", codebook=folder / "codes.csv")
    merged = pl.Series("school", ["none", "other"] * 15, dtype=pl.Enum(["none", "other"]))
    files.write(source.frame.with_columns(merged), folder / "out.csv", like=source)
    assert pl.read_csv(folder / "out.csv")["school"].to_list() == ["1", "other"] * 15


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("column,code,label\nsex,1,female\nsex,1,male\n", "line 3: the code was there before for column 'sex'"),
        ("column,code,label\nsex,1,female\nsex,2,female\n", "line 3: the label was there before"),
        ("column,code,label\nsex,1,\n", "line 2: a cell is empty"),
        ("code,label\n1,female\n", "must have the columns column, code, label"),
        ("column,code,label\nroof,1,tiles\n", "speaks of column 'roof', which data.csv does not have"),
    ],
)
def test_a_wrong_codebook_is_refused_in_a_sentence(folder, text, words):
    (folder / "codes.csv").write_text(text)
    with pytest.raises(DataError, match=words):
        files.read(folder / "data.csv", codebook=folder / "codes.csv")
    done = command.shoal("init", "data.csv", "--codebook", "codes.csv", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_other_formats_have_labels_of_their_own(folder):
    pl.read_csv(folder / "data.csv").write_parquet(folder / "data.parquet")
    with pytest.raises(DataError, match="Parquet files say it themselves"):
        files.read(folder / "data.parquet", codebook=folder / "codes.csv")
    with pytest.raises(DataError, match="there is no such file"):
        files.read(folder / "data.csv", codebook=folder / "none.csv")


def test_plans_speak_of_labels_and_the_release_has_codes(folder):
    (folder / "plan.toml").write_text(
        'k = 3\n[attributes]\nsex = { role = "quasi_identifier", kind = "nominal" }\n'
        'school = { role = "quasi_identifier", kind = "ordinal", order = ["none", "primary", "tertiary"] }\n'
        'pay = { role = "confidential", kind = "numeric" }\n'
    )
    options = ("--plan", "plan.toml", "--codebook", "codes.csv")
    done = command.shoal("anonymize", "data.csv", *options, "-o", "release.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    released = pl.read_csv(folder / "release.csv")
    assert set(released["school"].unique()) <= {1, 2, 3}
    measured = command.shoal("measure", "data.csv", "release.csv", *options, "-m", "k_min", cwd=folder)
    assert measured.returncode == 0, measured.stderr
    proposed = command.shoal("init", "data.csv", "--codebook", "codes.csv", cwd=folder)
    assert b'school = { role = "quasi_identifier", kind = "ordinal" }' in proposed.stdout


@pytest.mark.parametrize("code", ["²", "+-5", "9" * 5000, "٣x"])
def test_codes_that_look_like_numbers_are_text(folder, code):
    (folder / "codes.csv").write_text(f"column,code,label\nsex,1,female\nsex,2,male\nsex,{code},other\n")
    assert files.read(folder / "data.csv", codebook=folder / "codes.csv").frame["sex"][0] in ("female", "male")
