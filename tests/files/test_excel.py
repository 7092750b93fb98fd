"""Excel workbooks beyond what every format must do."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

import command
import shoal
from shoal import files
from shoal.errors import DataError


def book(path: Path, rows: list[list[object]], *, blank_below: int = 0) -> Path:
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet("people")
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                sheet.write(i, j, cell)
        for i in range(blank_below):
            sheet.write_blank(len(rows) + i, 0, None, workbook.add_format({"bold": True}))
        workbook.add_worksheet("notes").write(0, 0, "not this one")
    return path


def test_the_first_sheet_is_read_with_its_types(tmp_path):
    source = files.read(
        book(tmp_path / "a.xlsx", [["age", "pay", "who"], [31, 1.5, "Ana"], [42, 2, "Bo"]], blank_below=3)
    )
    assert source.frame.schema == {"age": pl.Int64, "pay": pl.Float64, "who": pl.String}
    assert source.frame.rows() == [(31, 1.5, "Ana"), (42, 2.0, "Bo")]


@pytest.mark.parametrize(
    ("names", "words"), [(["a", "a"], "column 2 has the name of column 1"), (["a", None], "column 2 has no name")]
)
def test_names_are_there_and_differ(tmp_path, names, words):
    with pytest.raises(DataError, match=words):
        files.read(book(tmp_path / "a.xlsx", [names, [1, 2]]))


def cells(path: Path, *columns: list[object], form: str = "yyyy-mm-dd", top: int = 0, left: int = 0) -> Path:
    """Write columns from some cell on; numbers have a display format, formulas their results as text."""
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet, display = workbook.add_worksheet(), workbook.add_format({"num_format": form})
        for j, column in enumerate(columns):
            for i, cell in enumerate(column):
                if isinstance(cell, str) and cell.startswith("#"):
                    sheet.write_formula(top + i, left + j, "=1/0", None, cell)
                elif cell is not None:
                    sheet.write(top + i, left + j, cell, display if isinstance(cell, float) else None)
    return path


@pytest.mark.parametrize(("top", "left", "cell"), [(0, 0, "B3"), (4, 25, "AA7")])
@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([45_000.0, 1e9], "a date outside the years 1 to 9999"),
        ([45_000.0, -1e9], "a date outside the years 1 to 9999"),
        (["text", 1e9], "a date outside the years 1 to 9999"),
        ([1, "#DIV/0!"], "an error"),
        (["#N/A", "#REF!"], "an error"),
    ],
)
def test_a_cell_that_the_reader_makes_nothing_of_is_refused(tmp_path, column, words, top, left, cell):
    path = cells(tmp_path / "a.xlsx", ["age", 1, 2], ["x", *column], top=top, left=left)
    with pytest.raises(DataError) as error:
        files.read(path)
    assert str(error.value) == (
        f"a.xlsx: column 'x' has {words} in cell {cell}: mend the cell, or empty it if it is missing"
    )


@pytest.mark.parametrize("empty", ["><v></v>", "><v/>", ' t="s"><v></v>', ' t="e"><v></v>'])
def test_a_cell_of_nothing_does_not_move_the_table(tmp_path, empty):
    """A table begins at the first cell that holds anything: other cells were looked at than those not read."""
    path = cells(tmp_path / "a.xlsx", ["a", 1, 3, 4], ["d", 2, None, 5], top=1, left=1)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet, corner = "xl/worksheets/sheet1.xml", f'<sheetData><row r="1"><c r="A1" s="1"{empty}</c></row>'.encode()
    assert b"<sheetData>" in parts[sheet]
    parts[sheet] = parts[sheet].replace(b"<sheetData>", corner)
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    assert files.read(path).frame.rows() == [(1, 2), (3, None), (4, 5)]


@pytest.mark.parametrize("name", ["*", "^d$", "^b$"])
def test_names_may_look_like_patterns(tmp_path, name):
    source = files.read(book(tmp_path / "a.xlsx", [[name, "b"], [1, 2], [None, 4]]))
    assert (source.frame.columns, source.frame.rows()) == ([name, "b"], [(1, 2), (None, 4)])


def test_cells_that_are_missing_are_missing(tmp_path):
    path = cells(tmp_path / "a.xlsx", ["age", 1, 2, 3], ["x", 5, "#N/A", None], ["day", None, 45_000.0, None])
    assert files.read(path).frame.rows() == [(1, 5, None), (2, None, dt.date(2023, 3, 15)), (3, None, None)]


def test_times_of_day_come_and_leave_as_times_of_day(tmp_path):
    source = files.read(cells(tmp_path / "a.xlsx", ["age", 1, 2, 3], ["x", 0.25, 0.0, None], form="hh:mm"))
    assert source.frame["x"].to_list() == [dt.time(6), dt.time(0), None]
    files.write(source.frame, tmp_path / "b.xlsx", like=source)
    assert files.read(tmp_path / "b.xlsx").frame.equals(source.frame)


def test_text_stays_text_and_long_numbers_keep_their_digits(tmp_path):
    frame = pl.DataFrame({"text": ["=1+1", "http://x.org", "007"], "number": [2**60 + 1, 2, 3]})
    files.write(frame, tmp_path / "a.xlsx")
    back = files.read(tmp_path / "a.xlsx").frame
    assert back["text"].to_list() == frame["text"].to_list()
    assert back["number"].to_list() == [str(number) for number in frame["number"]]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pl.DataFrame({"day": [dt.date(1850, 1, 1)]}), "dates before 1900"),
        (pl.DataFrame({"note": ["x" * 40_000]}), "longer than a cell"),
    ],
)
def test_what_a_workbook_cannot_hold_is_refused(tmp_path, frame, words):
    with pytest.raises(DataError, match=words):
        files.write(frame, tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_is_anonymized_into_a_workbook(tmp_path):
    rows = [["who", "age", "seen", "pay"]]
    rows += [[f"p{i}", 20 + i % 40, dt.date(2020, 1, 1 + i % 28), 7.5 * i] for i in range(40)]
    with xlsxwriter.Workbook(str(tmp_path / "in.xlsx"), {"default_date_format": "dd/mm/yyyy"}) as workbook:
        sheet = workbook.add_worksheet()
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
    (tmp_path / "plan.toml").write_text(
        'k = 4\n[attributes]\nwho = { role = "identifier" }\nage = { role = "quasi_identifier", kind = "numeric" }\n'
        'seen = { role = "quasi_identifier", kind = "date" }\npay = { role = "confidential", kind = "numeric" }\n'
    )
    done = command.shoal("anonymize", "in.xlsx", "--plan", "plan.toml", "-o", "out.xlsx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    released = files.read(tmp_path / "out.xlsx").frame
    assert released.columns == ["age", "seen", "pay"]
    assert released.schema["seen"] == pl.Date
    assert released.group_by("age", "seen").len()["len"].min() >= 4
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        assert b"1970-01-01" in archive.read("docProps/core.xml")
    assert shoal.Plan.load(tmp_path / "plan.toml").k == 4
