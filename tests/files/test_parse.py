"""Text into numbers, dates and categories; what does not fit is told by column and line, never by value."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from shoal import files
from shoal.errors import DataError, PlanError
from shoal.files import SourceFile


def source_of(folder: Path, *cells: str, header: str = "x", delimiter: str = ";") -> SourceFile:
    path = folder / "table.csv"
    path.write_text("\n".join([header + delimiter + "row", *(f"{c}{delimiter}{i}" for i, c in enumerate(cells))]))
    return files.read(path, delimiter=delimiter)


def test_whole_numbers_are_integers_and_others_are_floats(tmp_path: Path) -> None:
    whole = source_of(tmp_path, "1", "-2", "", " +3 ").parse({"x": "numeric"}).frame["x"]
    assert whole.dtype == pl.Int64
    assert whole.to_list() == [1, -2, None, 3]
    real = source_of(tmp_path, "1", "2.5", "1e3", ".5", "").parse({"x": "numeric"}).frame["x"]
    assert real.to_list() == [1.0, 2.5, 1000.0, 0.5, None]


def test_infinities_are_left_for_the_caller_to_judge(tmp_path: Path) -> None:
    assert source_of(tmp_path, "1.5", "inf").parse({"x": "numeric"}).frame["x"].to_list() == [1.5, float("inf")]


@pytest.mark.parametrize("cell", ["secret", "1,5 kg", "NaN", "0x10", "1_000", "--1", "12-3"])
def test_text_in_a_numeric_column_is_told_by_line(tmp_path: Path, cell: str) -> None:
    source = source_of(tmp_path, "1", "2.5", cell, "4")
    with pytest.raises(DataError) as caught:
        source.parse({"x": "numeric"})
    message = str(caught.value)
    assert "column 'x'" in message
    assert "line 4" in message
    assert cell not in message


def test_the_line_is_that_of_the_file_also_after_quoted_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b'x,note\r\n1,"two\r\nlines"\r\n\r\n2,"three\n\nlines"\r\noops,plain\r\n')
    with pytest.raises(DataError, match="line 8 "):
        files.read(path).parse({"x": "numeric"})


@pytest.mark.parametrize(
    ("cells", "delimiter", "expected"),
    [
        (["1,5", "2"], ";", [1.5, 2.0]),
        (["1,234", "2"], ";", [1.234, 2.0]),
        (["1,5", "2"], "\t", [1.5, 2.0]),
        (["1.5", "2"], ";", [1.5, 2.0]),
    ],
)
def test_the_decimal_mark_is_told_by_the_numbers(
    tmp_path: Path, cells: list[str], delimiter: str, expected: list[float]
) -> None:
    parsed = source_of(tmp_path, *cells, delimiter=delimiter).parse({"x": "numeric", "row": "numeric"})
    assert parsed.frame["x"].to_list() == expected
    assert parsed.dialect is not None
    assert parsed.dialect.decimal == ("," if "," in cells[0] else ".")


def test_thousands_are_never_taken_for_decimals(tmp_path: Path) -> None:
    quoted = tmp_path / "us.csv"
    quoted.write_text('x,y\n"1,234",1\n')
    with pytest.raises(DataError, match="line 2"):
        files.read(quoted).parse({"x": "numeric"})
    with pytest.raises(DataError, match="give the decimal mark"):
        source_of(tmp_path, "1,234", "5", delimiter="\t").parse({"x": "numeric"})
    with pytest.raises(DataError, match="line 3"):  # both marks: one of the cells is wrong
        source_of(tmp_path, "1.5", "2,5").parse({"x": "numeric"})
    german = tmp_path / "german.csv"
    german.write_text("x;y\n1.234,5;1\n")
    with pytest.raises(DataError, match="line 2"):
        files.read(german, decimal=",").parse({"x": "numeric"})


@pytest.mark.parametrize(
    ("cells", "first", "date_format"),
    [
        (["2020-01-31", "2020-02-01"], dt.date(2020, 1, 31), "%Y-%m-%d"),
        (["31/01/2020", "01/02/2020"], dt.date(2020, 1, 31), "%d/%m/%Y"),
        (["01/31/2020", "02/01/2020"], dt.date(2020, 1, 31), "%m/%d/%Y"),
        (["31.01.2020", "01.02.2020"], dt.date(2020, 1, 31), "%d.%m.%Y"),
        (["20200131", "20200201"], dt.date(2020, 1, 31), "%Y%m%d"),
        (["05/05/2020", "07/07/2020"], dt.date(2020, 5, 5), "%d/%m/%Y"),
        (["2020-01-31 10:05", "2020-02-01 00:00"], dt.datetime(2020, 1, 31, 10, 5), "%Y-%m-%d %H:%M"),
        (["2020-01-31T10:05:06", "2020-02-01T00:00:00"], dt.datetime(2020, 1, 31, 10, 5, 6), "%Y-%m-%dT%H:%M:%S"),
        (["31.01.2020 10:05", "01.02.2020 11:00"], dt.datetime(2020, 1, 31, 10, 5), "%d.%m.%Y %H:%M"),
        (
            ["2020-01-31T10:05:06.250", "2020-02-01T00:00:00.000"],
            dt.datetime(2020, 1, 31, 10, 5, 6, 250_000),
            "%Y-%m-%dT%H:%M:%S%.f",
        ),
    ],
)
def test_dates_are_read_in_their_format_and_written_in_it(
    tmp_path: Path, cells: list[str], first: dt.date, date_format: str
) -> None:
    source = source_of(tmp_path, *cells, "").parse({"x": "date"})
    assert source.frame["x"].to_list()[0] == first
    assert source.frame["x"].to_list()[2] is None
    assert source.dialect is not None
    assert source.dialect.date_formats["x"] == date_format
    files.write(source.frame, tmp_path / "out.csv", like=source)
    out = (tmp_path / "out.csv").read_text().splitlines()
    assert out[1].startswith(cells[0] + ";")
    assert out[3] == ";2"


def test_dates_with_a_zone_are_instants(tmp_path: Path) -> None:
    source = source_of(tmp_path, "2020-01-31T10:05:06+02:00", "2020-01-31T08:05:06Z").parse({"x": "date"})
    assert source.frame["x"][0] == source.frame["x"][1]
    files.write(source.frame, tmp_path / "out.csv", like=source)
    assert "2020-01-31T08:05:06+00:00;0" in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize("zone", ["%z", "%:z", "%#z"])
def test_a_given_format_may_have_a_zone(tmp_path: Path, zone: str) -> None:
    cell = "31/01/2020 10:05 +02:00" if zone == "%:z" else "31/01/2020 10:05 +0200"
    given = source_of(tmp_path, cell).parse({"x": "date"}, date_formats={"x": f"%d/%m/%Y %H:%M {zone}"})
    files.write(given.frame, tmp_path / "out.csv", like=given)
    written = {"%z": "+0000", "%:z": "+00:00", "%#z": "+00:00"}[zone]
    assert f"31/01/2020 08:05 {written};0" in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize(
    ("cell", "form"),
    [
        ("31/01/2020 10:05:06", "%d/%m/%Y %T"),
        ("2020-01-31 10:05", "%F %R"),
        ("31/01/2020 10:05:06 AM", "%d/%m/%Y %r"),
        ("31/01/2020  9:05", "%d/%m/%Y %k:%M"),
    ],
)
def test_a_time_of_day_is_read_by_whatever_letter_the_format_says_it(tmp_path: Path, cell: str, form: str) -> None:
    given = source_of(tmp_path, cell).parse({"x": "date"}, date_formats={"x": form})
    assert given.frame["x"][0].minute == 5
    files.write(given.frame, tmp_path / "out.csv", like=given)
    assert f"{cell};0" in (tmp_path / "out.csv").read_text()


def test_day_and_month_are_never_guessed(tmp_path: Path) -> None:
    source = source_of(tmp_path, "01/02/2020", "03/04/2020")
    with pytest.raises(DataError, match=r"'%d/%m/%Y' or '%m/%d/%Y'"):
        source.parse({"x": "date"})
    given = source.parse({"x": "date"}, date_formats={"x": "%m/%d/%Y"})
    assert given.frame["x"].to_list() == [dt.date(2020, 1, 2), dt.date(2020, 3, 4)]
    for wrong in ("%Q", "%d/%m", "%", "yyyy", "%d/%m/%Y %3f"):
        with pytest.raises(PlanError, match=f"date format '{wrong}' of column 'x'"):
            source.parse({"x": "date"}, date_formats={"x": wrong})


@pytest.mark.parametrize("cell", ["2020-02-30", "soon", "31/01/2020", "20-01-31"])
def test_a_cell_that_is_no_date_is_told_by_line(tmp_path: Path, cell: str) -> None:
    source = source_of(tmp_path, "2020-01-01", "2020-01-02", cell)
    with pytest.raises(DataError) as caught:
        source.parse({"x": "date"})
    assert "column 'x'" in str(caught.value)
    assert "line 4" in str(caught.value)
    assert cell not in str(caught.value)


def test_years_of_two_digits_need_a_format(tmp_path: Path) -> None:
    source = source_of(tmp_path, "31/01/20")
    with pytest.raises(DataError, match="line 2"):
        source.parse({"x": "date"})
    assert source.parse({"x": "date"}, date_formats={"x": "%d/%m/%y"}).frame["x"][0] == dt.date(2020, 1, 31)


def test_categories_keep_their_text_and_lose_their_blanks(tmp_path: Path) -> None:
    source = source_of(tmp_path, "08001", " padded ", '""', "  ", "").parse({"x": "nominal"})
    assert source.frame["x"].to_list() == ["08001", " padded ", None, None, None]


def test_columns_that_are_not_named_stay_text(tmp_path: Path) -> None:
    source = source_of(tmp_path, "1", "2").parse({"x": "numeric"})
    assert source.frame.schema["row"] == pl.String


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no column 'y'"):
        source_of(tmp_path, "1").parse({"y": "numeric"})


def test_a_column_of_nothing_is_a_column_of_nulls(tmp_path: Path) -> None:
    source = source_of(tmp_path, "", "").parse({"x": "numeric"})
    assert source.frame["x"].to_list() == [None, None]
    assert source_of(tmp_path, "", "").parse({"x": "date"}).frame["x"].to_list() == [None, None]


def test_kinds_are_guessed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "postcode;age;charge;day;slashed;sex;nothing\n"
        "08001;34;1,50;2020-01-02;01/02/2020;m;\n"
        "28001;51;;2020-02-03;03/04/2020;f;\n"
    )
    assert files.read(path).guess_kinds() == {
        "postcode": "nominal",
        "age": "numeric",
        "charge": "numeric",
        "day": "date",
        "slashed": "date",
        "sex": "nominal",
        "nothing": "nominal",
    }
