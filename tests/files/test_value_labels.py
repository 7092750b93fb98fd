"""Stata and SPSS files: values, variable labels and value labels in and out."""

import datetime as dt
import sys
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyreadstat
import pytest

import shoal
from shoal import files
from shoal.errors import DataError, OutputError
from shoal.files.source_file import Labels
from shoal.files.value_labels import with_codes
from shoal.frames import Numbers, Table

FRAME = pl.DataFrame(
    {
        "name": ["Ana", "Bé", None],
        "age": pl.Series([34, None, 51], dtype=pl.Int32),
        "severity": pl.Series([1, 3, 1], dtype=pl.Int32),
        "income": pl.Series([99, 20, 30], dtype=pl.Int32),
        "charge": [1.5, None, 0.1],
        "admitted": [dt.date(2020, 1, 1), None, dt.date(2020, 2, 1)],
        "seen": [dt.datetime(2020, 1, 1, 12), None, dt.datetime(2020, 2, 1)],
    }
)
VARIABLES = {"severity": "Severity of illness", "age": "Age in years"}
VALUES = {"severity": {1: "minor", 2: "moderate", 3: "major"}, "income": {99: "refused"}}
NAMES = ["table.dta", "table.sav", "table.zsav"]


def store(path: Path) -> Path:
    options = {"file_label": "Discharges", "column_labels": VARIABLES, "variable_value_labels": VALUES}
    if path.suffix == ".dta":
        pyreadstat.write_dta(FRAME, path, **options)
    else:
        formats = {"age": "F3", "severity": "F1", "income": "F5", "charge": "F8.2"}
        measures = {"severity": "ordinal", "charge": "scale"}
        pyreadstat.write_sav(
            FRAME, path, **options, variable_format=formats, variable_measure=measures, compress=path.suffix == ".zsav"
        )
    return path


def metadata(path: Path) -> tuple[dict[str, list[object]], object]:
    reader = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    cells, meta = reader(path, output_format="polars")
    return cells.to_dict(as_series=False), meta


@pytest.mark.parametrize("name", NAMES)
def test_labelled_values_are_labels_in_the_order_of_their_codes(tmp_path: Path, name: str) -> None:
    source = files.read(store(tmp_path / name))
    assert source.frame["severity"].to_list() == ["minor", "major", "minor"]
    assert source.frame.schema["severity"] == pl.Enum(["minor", "moderate", "major"])
    assert source.frame["income"].to_list() == [99, 20, 30]  # a label for one value only: numbers
    assert source.frame["age"].to_list() == [34, None, 51]
    assert source.frame["age"].dtype.is_integer()
    assert source.frame["name"].to_list() == ["Ana", "Bé", None]
    assert source.frame["admitted"].to_list() == FRAME["admitted"].to_list()
    assert source.frame["seen"].to_list() == FRAME["seen"].to_list()
    assert source.labels is not None
    assert source.labels.columns == VARIABLES
    assert source.labels.file == "Discharges"


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_written_back(tmp_path: Path, name: str) -> None:
    source = files.read(store(tmp_path / name))
    released = Table.of(source.frame).replace({}, drop=["name"])
    out = tmp_path / f"out{Path(name).suffix}"
    files.write(released, out, like=source)
    before, before_meta = metadata(tmp_path / name)
    after, after_meta = metadata(out)
    del before["name"]
    assert after == before
    assert after_meta.variable_value_labels == before_meta.variable_value_labels
    assert after_meta.column_names_to_labels["severity"] == "Severity of illness"
    assert after_meta.file_label == "Discharges"
    assert files.read(out).frame.equals(released)
    if name != "table.dta":
        assert after_meta.variable_measure["severity"] == "ordinal"
        assert after_meta.original_variable_types["charge"] == "F8.2"
        assert out.read_bytes()[:4] == (b"$FL3" if name == "table.zsav" else b"$FL2")


@pytest.mark.parametrize("name", NAMES)
def test_averages_are_written_with_their_decimals(tmp_path: Path, name: str) -> None:
    source = files.read(store(tmp_path / name))
    table = Table.of(source.frame)
    averages = Numbers(table.numbers("charge").values * 0 + 42.25, table.numbers("charge").missing)
    released = table.replace({"age": averages, "income": averages})
    files.write(released, tmp_path / f"out{Path(name).suffix}", like=source)
    cells, meta = metadata(tmp_path / f"out{Path(name).suffix}")
    assert cells["age"] == [42.25, None, 42.25]
    assert "income" not in meta.variable_value_labels
    if name != "table.dta":
        assert meta.original_variable_types["age"] != "F3"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    source = files.read(store(tmp_path / name))
    first = files.write(source.frame, tmp_path / f"a{Path(name).suffix}", like=source)
    content = (tmp_path / f"a{Path(name).suffix}").read_bytes()
    year = dt.datetime.now(tz=dt.UTC).strftime("%Y").encode()
    assert b" " + year + b" " not in content[:400]
    assert b"70" in content[:400]
    assert files.write(source.frame, tmp_path / f"b{Path(name).suffix}", like=source) == first


@pytest.mark.parametrize("name", NAMES)
def test_other_columns_are_written_as_the_format_allows(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({"urgent": [True, None, False], "word": pl.Series(["a", "b", "a"], dtype=pl.Categorical)})
    files.write(frame, tmp_path / name)
    assert files.read(tmp_path / name).frame.rows() == [(1, "a"), (None, "b"), (0, "a")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_a_truncated_file_is_told(tmp_path: Path, name: str, keep: float) -> None:
    path = store(tmp_path / name)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(DataError, match=f"{name} is (empty|not a whole (Stata|SPSS) file)"):
        files.read(path)


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("a b", "its name contains a space"),
        ("\N{FISH}", "its name must begin with a letter"),
        ("2a", "its name must begin with a letter"),
        ("a" * 65, "its name is longer than the format takes"),
        ("a+b", "its name has a character that the format does not take"),
        ("", "it has no name"),
    ],
)
def test_names_that_the_format_does_not_take(tmp_path: Path, name: str, column: str, words: str) -> None:
    with pytest.raises(OutputError) as error:
        files.write(pl.DataFrame({"fine": [1], column: [1]}), tmp_path / name)
    title = "Stata" if name.endswith(".dta") else "SPSS"
    assert str(error.value).startswith(f"column {column!r} cannot be written to a {title} file: {words}: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "display", "far", "what"),
    [
        ("t.dta", "%td", 1e18, "a date outside the years 1 to 9999"),
        ("t.dta", "%tc", -1e18, "a date outside the years 1 to 9999"),
        ("t.dta", "%tcHH:MM:SS", 1e18, "a time that is longer"),
        ("t.sav", "EDATE10", 1e18, "a date outside the years 1 to 9999"),
        ("t.sav", "DATETIME20", -1e300, "a date outside the years 1 to 9999"),
        ("t.sav", "TIME8", 1e18, "a time that is longer"),
        ("t.sav", "DTIME12", -1e18, "a time that is longer"),
    ],
)
def test_dates_and_times_beyond_what_can_be_counted_are_refused_by_column(tmp_path, name, display, far, what):
    write = pyreadstat.write_dta if name.endswith(".dta") else pyreadstat.write_sav
    write(
        pl.DataFrame({"age": [1.0, 2.0, 3.0], "x": [5.0, None, far]}), tmp_path / name, variable_format={"x": display}
    )
    with pytest.raises(DataError, match=f"^column 'x' has {what}.*, the first in row 3: mend it, or make it missing$"):
        files.read(tmp_path / name)


@pytest.mark.parametrize("seconds", [[100_000.0, None, 5.5], [-5.0, 0.0, 86_400.0]])
@pytest.mark.parametrize("display", ["TIME8", "DTIME12"])
def test_times_of_more_than_a_day_leave_as_they_came(tmp_path: Path, seconds: list[float], display: str) -> None:
    pyreadstat.write_sav(pl.DataFrame({"x": seconds}), tmp_path / "t.sav", variable_format={"x": display})
    source = files.read(tmp_path / "t.sav")
    files.write(source.frame, tmp_path / "out.sav", like=source)
    again, about = pyreadstat.read_sav(tmp_path / "out.sav", output_format="polars", disable_datetime_conversion=True)
    assert again["x"].to_list() == seconds
    assert about.original_variable_types["x"] == display
    files.write(source.frame, tmp_path / "out.csv", like=source)
    assert "PT" in (tmp_path / "out.csv").read_text()  # as durations are written


def test_times_of_a_day_are_times_of_day(tmp_path: Path) -> None:
    columns = {"x": [0.0, 86_399.5, None]}
    pyreadstat.write_sav(pl.DataFrame(columns), tmp_path / "t.sav", variable_format={"x": "TIME11.2"})
    source = files.read(tmp_path / "t.sav")
    assert source.frame["x"].to_list() == [dt.time(0), dt.time(23, 59, 59, 500_000), None]
    with pytest.raises(DataError, match="column 'x' holds times of day, which cannot be categories"):
        Table.of(source.frame).categories("x")


def test_a_date_with_a_time_of_day_keeps_it(tmp_path: Path) -> None:
    seconds = (dt.datetime(2020, 3, 1, 6, 30) - dt.datetime(1582, 10, 14)).total_seconds()
    pyreadstat.write_sav(pl.DataFrame({"x": [seconds]}), tmp_path / "t.sav", variable_format={"x": "DATE11"})
    pyreadstat.write_dta(pl.DataFrame({"x": [21_975.25]}), tmp_path / "t.dta", variable_format={"x": "%td"})
    milliseconds = [float((dt.datetime(2020, 3, 1, 6, 30) - dt.datetime(1960, 1, 1)).total_seconds() * 1000)]
    pyreadstat.write_dta(pl.DataFrame({"x": milliseconds}), tmp_path / "h.dta", variable_format={"x": "%tcHH:MM:SS"})
    for name, hour in (("t.sav", (6, 30)), ("t.dta", (6, 0)), ("h.dta", (6, 30))):
        source = files.read(tmp_path / name)
        assert source.frame["x"].to_list() == [dt.datetime(2020, 3, 1, *hour)]
        files.write(source.frame, tmp_path / f"out{name}", like=source)
        assert files.read(tmp_path / f"out{name}").frame.equals(source.frame)


def test_without_the_extra_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store(tmp_path / "table.dta")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(DataError, match=r"pip install 'shoal\[stata-spss\]'"):
        files.read(path)
    with pytest.raises(DataError, match=r"pip install 'shoal\[stata-spss\]'"):
        files.write(FRAME, tmp_path / "out.sav")
    with pytest.raises(DataError, match=r"pip install 'shoal\[stata-spss\]'"):
        files.target_format(tmp_path / "out.sav")


@pytest.mark.parametrize("name", ["table.dta", "table.sav"])
def test_decimals_are_numbers_and_zoned_times_what_the_clock_showed(tmp_path: Path, name: str) -> None:
    noon = dt.datetime(2024, 7, 1, 12)
    frame = pl.DataFrame(
        {
            "price": pl.Series([Decimal("1.25"), None], dtype=pl.Decimal(6, 2)),
            "seen": pl.Series([noon, None]).dt.replace_time_zone("Europe/Madrid"),
            "stay": pl.Series([dt.timedelta(hours=1), None]),
        }
    )
    files.write(frame, tmp_path / name)
    assert files.read(tmp_path / name).frame.rows() == [(1.25, noon, "PT1H"), (None, None, None)]


@pytest.mark.parametrize(
    ("name", "other"), [("table.dta", "out.sav"), ("table.sav", "out.dta"), ("table.sav", "out.zsav")]
)
def test_labels_go_from_one_format_to_the_other(tmp_path: Path, name: str, other: str) -> None:
    source = files.read(store(tmp_path / name))
    files.write(source.frame, tmp_path / other, like=source)
    back = files.read(tmp_path / other)
    assert back.labels is not None
    assert source.labels is not None
    assert back.labels.columns == source.labels.columns
    assert back.labels.values == source.labels.values
    assert back.frame.rows() == source.frame.rows()


def test_an_empty_column_of_dates_may_have_labels(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0], "d": pl.Series([None, None], dtype=pl.Float64)})
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(frame, path, variable_format={"d": "DATE11"}, variable_value_labels={"d": {1.0: "unknown"}})
    assert files.read(path).frame["d"].to_list() == [None, None]


@pytest.mark.parametrize("name", NAMES)
def test_labels_of_codes_that_are_masked_away_do_not_leave(tmp_path: Path, name: str) -> None:
    """A county that one record has: in a column of labels, and in one of numbers because a code lacks its label."""
    path, out = tmp_path / name, tmp_path / f"out{Path(name).suffix}"
    counties = {1: "Osona", 2: "Bages", 3: "Atlantis"}
    codes = pl.Series([1, 2, 1, 2, 1, 2, 1, 2, 1, 3], dtype=pl.Int32)
    frame = pl.DataFrame({"home": codes, "work": codes.replace({2: 9}), "ward": codes.replace({3: 1})})
    writer = pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_sav
    display = {} if path.suffix == ".dta" else {"variable_format": dict.fromkeys(frame.columns, "F3")}
    writer(frame, path, variable_value_labels=dict.fromkeys(frame.columns, counties), **display)
    masked = {"role": "quasi_identifier", "kind": "nominal"}
    plan = shoal.Plan(k=5, attributes={"home": masked, "work": masked, "ward": {"role": "other"}})
    source = files.read(path)
    assert source.frame.schema["home"] == pl.Enum(list(counties.values()))
    assert source.frame.schema["work"].is_integer()
    files.write(shoal.anonymize(source.frame, plan).data, out, like=source, verbatim=["ward"])
    labels = metadata(out)[1].variable_value_labels
    assert set(labels["home"].values()) == {"Osona", "Bages"}
    assert set(labels["work"].values()) == {"Osona"}
    assert set(labels["ward"].values()) == set(counties.values())  # not masked: the code book of the column


def test_capitals_in_an_ending_ask_for_the_same_file(tmp_path: Path) -> None:
    assert files.write(FRAME, tmp_path / "out.ZSAV") == files.write(FRAME, tmp_path / "out.zsav")
    assert (tmp_path / "out.ZSAV").read_bytes()[:4] == b"$FL3"


def test_a_category_that_recoding_made_gets_a_code_of_its_own():
    town = pl.Series("town", ["a", "other", "b"], dtype=pl.Enum(["a", "b", "other"]))
    before = Labels(values={"town": {1: "a", 2: "b", 7: "c"}}, schema={"town": pl.Enum(["a", "b", "c"])})
    table = with_codes(pl.DataFrame({"town": town}), before)
    assert table.frame["town"].to_list() == [1.0, 8.0, 2.0]
    assert table.labels.values == {"town": {1: "a", 2: "b", 8: "other"}}


def test_codes_of_text_stay_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["m", "f", "m"]})
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels={"sex": {"m": "male", "f": "female"}})
    source = files.read(tmp_path / "in.sav")
    assert source.frame["sex"].cast(pl.String).to_list() == ["male", "female", "male"]
    merged = pl.Series("sex", ["male", "other", "male"], dtype=pl.Enum(["male", "other"]))
    files.write(source.frame.with_columns(merged), tmp_path / "out.sav", like=source)
    cells, meta = metadata(tmp_path / "out.sav")
    assert cells == {"sex": ["m", "other", "m"]}
    assert meta.variable_value_labels == {"sex": {"m": "male", "other": "other"}}


def test_labels_of_kinds_of_missing_values_are_none_of_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1, 2, "a"]})
    labels = {"sex": {1: "female", 2: "male", "a": "refused"}}
    pyreadstat.write_dta(frame, tmp_path / "in.dta", variable_value_labels=labels, missing_user_values={"sex": ["a"]})
    assert metadata(tmp_path / "in.dta")[1].variable_value_labels == labels
    source = files.read(tmp_path / "in.dta")
    assert source.frame["sex"].cast(pl.String).to_list() == ["female", "male", None]
    files.write(source.frame, tmp_path / "out.dta", like=source)
    assert metadata(tmp_path / "out.dta")[0] == {"sex": [1, 2, None]}
