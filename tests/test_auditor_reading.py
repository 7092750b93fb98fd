"""How the auditor reads plans, cells and files."""

import codecs
import gzip
from pathlib import Path

import pytest

from audited import (
    ABOVE,
    BELOW,
    CHANGED,
    DAY,
    ILL,
    NAME,
    NO_VALUE,
    NUMBER,
    OTHER,
    PAY,
    PLACE,
    RANK,
    SEEN,
    SINCE,
    cases,
    check,
    found,
    plan,
    table,
)


@cases(
    {
        "a plan without columns": (
            "k = 1",
            "age; 1",
            ["refused: the plan has no quasi-identifier: there is nothing to judge"],
        ),
        "a place without its longitude": (plan(age="", lat='role = "quasi_identifier", kind = "place"'), "lat; 1", []),
        "a longitude of what is no place": (
            plan(age=NUMBER + ', longitude = "lon"'),
            "age lon; 1 2",
            ["✗ columns: 'lon' left, which the plan does not declare"],
        ),
        "a subject that the original does not have": (
            plan("subject = 'who'"),
            "age; 1",
            ["refused: the original does not have the column 'who' of release or plan"],
            "age; 1",
        ),
        "places that are numbers": (
            plan(age="", lat=PLACE),
            "lat lon; 1 x",
            ["✗ kind: lon has 1 value of another kind"],
        ),
        "angles": (
            plan(age='role = "quasi_identifier", kind = "cyclic", period = 360'),
            "age; 350; x",
            ["✗ kind: age has 1 value of another kind"],
        ),
        "numbers without an order": (
            plan("closeness = { t = 1 }", it=RANK),
            "age it; 1 1; 1 x",
            ["refused: record 2 has a cell in column 'it' that is no level (the plan can say their order)"],
        ),
        "levels in an order": (
            plan("closeness = { t = 0.5 }", it=RANK + ', order = ["low", "mid", "high"]'),
            "age it; 1 low; 1 low; 2 mid; 2 mid; 3 high; 3 high",
            ["✓ t_closeness: it is within 0.5, asked 0.5"],
        ),
        "a level that is none": (
            plan("closeness = { t = 0.5 }", it=RANK + ', order = ["low", "mid", "high"]'),
            "age it; 1 low; 1 deep",
            ["refused: record 2 has a cell in column 'it' that is no level (the plan can say their order)"],
        ),
        "numbers as levels": (
            plan("closeness = { t = 0.5 }", it=RANK + ", order = [3, 2, 10]"),
            "age it; 1 10.0; 1 10.0; 2 2.0; 2 2; 3 3; 3 3.0",
            ["✓ t_closeness: it is within 0.5, asked 0.5"],
        ),
        "truths as levels": (
            plan("closeness = { t = 1 }", it=RANK + ", order = [false, true]"),
            "age it; 1 true; 2 false",
            ["✓ t_closeness: it is within 0.5, asked 1"],
        ),
        "a truth that is none": (
            plan("closeness = { t = 1 }", it=RANK + ", order = [false, true]"),
            "age it; 1 True; 2 false",
            ["refused: record 1 has a cell in column 'it' that is no level (the plan can say their order)"],
        ),
        "a number that is none": (
            plan("closeness = { t = 1 }", it=PAY),
            "age it; 1 2; 1 x",
            ["refused: record 2 has a cell in column 'it' that is no number"],
        ),
        "a date that is none": (
            plan("closeness = { t = 1 }", it=SEEN),
            "age it; 1 x",
            ["refused: record 1 has a cell in column 'it' that is no date (the plan can say its format)"],
        ),
        "a distance that is none": (
            plan("closeness = { t = 1 }", it=SINCE, born=NAME),
            "age it; 1 x",
            ["refused: record 1 has a cell in column 'it' that is no number"],
        ),
        "numbers with commas": (
            plan("closeness = { t = 0.5 }", it=PAY),
            'age it; 1 "1,5"; 1 1.5; 2 2; 2 "2,0"; 3 3; 3 3',
            ["✓ t_closeness: it is within 0.5, asked 0.5"],
        ),
        "numbers that Python alone reads": (
            plan("closeness = { t = 1 }", it=PAY),
            "age it; 1 1_0",
            ["refused: record 1 has a cell in column 'it' that is no number"],
        ),
        "numbers in other digits": (
            plan("closeness = { t = 1 }", it=PAY),
            "age it; 1 １",
            ["refused: record 1 has a cell in column 'it' that is no number"],
        ),
        "a number for gaps": (
            plan("missing_values = [-9]\ndiversity = { distinct = 1 }", it=PAY),
            "age it; 1 2; 1 -9.0",
            [f"refused: record 2{NO_VALUE}"],
        ),
        "a number for gaps of one column": (
            plan("missing_values = [-8]\ndiversity = { distinct = 2 }", it=PAY + ", missing_values = [-9]"),
            "age it; 1 -8; 1 8",
            ["✓ distinct_l_diversity: it has at least 2, asked 2"],
        ),
        "a gap of one column": (
            plan("missing_values = [-8]\ndiversity = { distinct = 2 }", it=PAY + ", missing_values = [-9]"),
            "age it; 1 -9; 1 8",
            [f"refused: record 1{NO_VALUE}"],
        ),
        "a number that stands for no gap": (
            plan("missing_values = [-9]\ndiversity = { distinct = 2 }", it=PAY),
            "age it; 1 2; 1 9",
            ["✓ distinct_l_diversity: it has at least 2, asked 2"],
        ),
        "no number": (
            plan("diversity = { distinct = 1 }", it=PAY),
            "age it; 1 2; 1 nan",
            [f"refused: record 2{NO_VALUE}"],
        ),
        "a gap that the plan takes for a category": (
            plan("diversity = { distinct = 2, missing = 'category' }", it=PAY),
            "age it; 1 2; 1 ~",
            ["✓ distinct_l_diversity: it has at least 2, asked 2"],
        ),
        "the first day of the calendar": (
            plan(it=SEEN + ", clip = { low = 0001-01-01 }"),
            "age it; 1 0001-01-01",
            [f"✓ clip: it has 0 values{BELOW}"],
        ),
        "a moment after the calendar": (
            plan(it=SEEN + ", clip = { low = 0001-01-01 }"),
            "age it; 1 9999-12-31T23:00:00-01:00",
            ["refused: record 1 has a cell in column 'it' that is no date (the plan can say its format)"],
        ),
        "a date in a zone": (
            plan(it=SEEN + ", clip = { low = 2020-01-01, high = 2020-01-01 }"),
            "age it; 1 2020-01-01T01:00:00+01:00",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "seconds": (
            plan(it=SEEN + ', format = "%s", clip = { low = 2020-01-01, high = 2020-01-02T00:00:01 }'),
            "age it; 1 1577836800; 1 1577923201",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "seconds beyond": (
            plan(it=SEEN + ', format = "%s", clip = { low = 2020-01-01, high = 2020-01-02T00:00:01 }'),
            "age it; 1 1577836799; 1 1577923202",
            [f"✗ clip: it has 1 value{BELOW}", f"✗ clip: it has 1 value{ABOVE}"],
        ),
        "no seconds": (
            plan(it=SEEN + ', format = "%s", clip = { low = 2020-01-01 }'),
            "age it; 1 2020-01-01; 1 x",
            ["refused: record 2 has a cell in column 'it' that is no date (the plan can say its format)"],
        ),
        "years of two digits": (
            plan(it=SEEN + ', format = "%d/%m/%y", clip = { low = 1970-01-01, high = 2069-12-31 }'),
            "age it; 1 01/01/70; 1 31/12/69",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "years of two digits beyond": (
            plan(it=SEEN + ', format = "%D", clip = { low = 1970-01-02, high = 2069-12-30 }'),
            "age it; 1 01/01/70; 1 12/31/69",
            [f"✗ clip: it has 1 value{BELOW}", f"✗ clip: it has 1 value{ABOVE}"],
        ),
        "years of four digits": (
            plan(it=SEEN + ', format = "%d/%m/%Y", clip = { high = 1969-12-31 }'),
            "age it; 1 31/12/1969",
            [f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "days and months of one digit": (
            plan(
                it=SEEN
                + ', format = "%-d/%-m/%Y-%k:%M", clip = { low = 2020-02-01T03:04:00, high = 2020-02-01T03:04:00 }'
            ),
            "age it; 1 1/2/2020-3:04",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "seconds with three digits": (
            plan(
                it=SEEN
                + ', format = "%d/%m/%Y-%T.%3f", clip = { low = 2020-02-01T00:00:00.25, high = 2020-02-01T00:00:00.25 }'
            ),
            "age it; 1 01/02/2020-00:00:00.250",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "seconds with digits or without": (
            plan(it=SEEN + ', format = "%d/%m/%Y-%T%.f", clip = { low = 2020-02-01, high = 2020-02-01T00:00:00.25 }'),
            "age it; 1 01/02/2020-00:00:00.25; 1 01/02/2020-00:00:00",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "zones in the form of the plan": (
            plan(it=SEEN + ', format = "%d/%m/%Y-%H%z", clip = { low = 2020-02-01, high = 2020-02-01 }'),
            "age it; 1 01/02/2020-01+0100",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "a form that is not read": (
            plan(it=DAY + ', format = "%d/%d/%Y"'),
            "age it; 1 2020-01-01; 1 01/01/2020",
            ["? kind: it has 1 value in a form that is not read here"],
        ),
        "a form that Python does not know": (
            plan(it=DAY + ', format = "%Q/%d/%Y"'),
            "age it; 1 2020-01-01; 1 1/01/2020",
            ["? kind: it has 1 value in a form that is not read here"],
        ),
    }
)
def test_a_cell_is_read_as_the_plan_says(
    tmp_path: Path, asked: str, release: str, expected: list[str], original: str | None, row_map: str | None
) -> None:
    check(tmp_path, expected, asked, release, original, row_map)


TEXT = "age,é;a;b;c,'é,x\n1,2,3,4\n"


WRITTEN = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with its mark": codecs.BOM_UTF8 + TEXT.encode(),
    "UTF-16 from the little end": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "UTF-16 from the big end": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "UTF-16 from the little end without a mark": TEXT.encode("utf-16-le"),
    "UTF-16 from the big end without a mark": TEXT.encode("utf-16-be"),
    "Windows-1252": TEXT.encode("cp1252"),
    "cp437": TEXT.encode("cp437"),
    "packed": gzip.compress(TEXT.encode()),
    "lines that end as once on a Mac": TEXT.replace("\n", "\r").encode(),
    "a name between quotation marks": TEXT.replace("age", '"age"').encode(),
    "the mark of a formula before a name": TEXT.replace(",x", ",'x").encode(),
    "cells parted by a letter": TEXT.replace(",", "X").encode(),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_file_is_read_however_it_is_written(tmp_path: Path, how: str) -> None:
    """Its columns are known by their names: one has other delimiters, one begins with the mark of a formula."""
    content, encoding = WRITTEN[how], how if how == "cp437" else None
    asked = plan() + "".join(f'"{name}" = {{ role = "other" }}\n' for name in ("é;a;b;c", "'é", "x"))
    check(tmp_path, ["✓ columns: no identifier and no undeclared column left"], asked, content, encoding=encoding)
    check(tmp_path, [], asked, content, content, encoding=encoding)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "release.csv is not a CSV file whose lines have as many cells as its header"),
        (b"age,it\n1\n", "release.csv is not a CSV file whose lines have as many cells as its header"),
        (b'age,it\n1,"2\n', "release.csv is not a CSV file whose lines have as many cells as its header"),
        (b"age,it\n", "release.csv has no records"),
        (b"age,age\n1,2\n", "release.csv has two columns of one name: what the first of them holds would not be seen"),
        (b"it\n1\n", "the release does not have the column 'age' of the plan"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    check(tmp_path, [f"refused: {why}"], plan(it=OTHER), content)


def test_a_plan_may_have_a_mark_of_its_encoding(tmp_path: Path) -> None:
    check(tmp_path, [], f"\ufeff{plan()}", "age; 1")


def test_a_line_in_a_cell_ends_as_it_did(tmp_path: Path) -> None:
    ours, theirs = b'age,it\n1,"a\nb"\n', b'who,age,it\np,1,"a\r\nb"\n'
    changed = f"✗ kept: it differs from the original in 1 record{CHANGED}"
    check(tmp_path, [changed], plan(it=OTHER), ours, theirs)
    check(tmp_path, [], plan(it=OTHER), ours, theirs.replace(b"\r", b""))


MAPPED = "out in; 1 2; 2 1"


@pytest.mark.parametrize(
    ("row_map", "expected"),
    [
        (MAPPED, []),
        ("out in; 2 1; 1 2", []),
        ("out in; 0 1; 1 0", []),
        (table(MAPPED).replace(",", ";").encode(), []),
        (b'"out","in"\n1,2\n2,1\n', []),
        (None, [f"✗ kept: it differs from the original in 2 records{CHANGED}"]),
        ("out in; 1 1; 2 1", None),
        ("out in; 1 1; 2 3", None),
        ("out in; 1 1; 3 2", None),
        ("out in; 1 2", None),
        ("out in; 2 0; 3 1", None),
    ],
)
def test_a_row_map_says_where_each_record_came_from(
    tmp_path: Path, row_map: str | bytes | None, expected: list[str] | None
) -> None:
    why = "does not say where each of the 2 released records came from, and once"
    given = (plan(it=OTHER), "age it; 1 b; 1 a", "who age it; p 1 a; q 1 b", row_map)
    check(tmp_path, [f"refused: {tmp_path / 'row_map.csv'} {why}"] if expected is None else expected, *given)


def test_files_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    mapless = "refused: the release has 1 records and the original 2: give the row map"
    check(tmp_path, [mapless], plan(), "age; 1", "who age; p 1; q 1")
    alone = "refused: a row map says where records came from: give the original, too"
    check(tmp_path, [alone], plan(), "age; 1", None, "out in; 0 0")


BOOK = "column code label; it 2 gout; it 1 flu; it 3 xan; who 9 nine"
TREE = "closeness = { t = 0.25, hierarchy = { it = { u = ['flu', 'gout'], v = ['xan'] } } }"
CODES = TREE.replace("'flu', 'gout'", "'1', '2'").replace("'xan'", "'3'")
NEAR = "✓ t_closeness: it is within 0.25, asked 0.25"
HALF = "✗ t_closeness: it is within 0.5, asked 0.25"
NO_LEVEL = "refused: record 1 has a cell in column 'it' that is no level (the plan can say their order)"


@pytest.mark.parametrize(
    ("asked", "release", "original", "expected"),
    [
        (plan(TREE, it=ILL), "1 1; 1 1; 2 2; 2 2", None, [NEAR]),
        (
            plan(TREE.replace("0.25", "0.25, missing = 'category'"), it=ILL),
            "1 1; 1 ~; 1 2; 1 3",
            None,
            [NEAR.replace("0.25", "0", 1)],
        ),
        (plan(CODES, it=ILL), "1 1; 1 1; 2 2; 2 2", "p 1 1; q 1 1; r 2 2; s 2 2; t 2 9", [NEAR]),
        (plan(CODES.replace("'3'", "'3', '9'"), it=ILL), "1 1; 1 1; 2 9; 2 9", None, [HALF]),
        (plan("closeness = { t = 0.25 }", it=RANK), "1 1; 1 1; 2 2; 2 3", None, [NEAR]),
        (plan("closeness = { t = 0.25 }", it=RANK), "1 7; 1 7; 2 5; 2 5", None, [HALF]),
        (plan("closeness = { t = 0.25 }", it=f"{RANK}, order = ['xan', 'flu']"), "1 1; 1 1; 2 3; 2 3", None, [HALF]),
        (plan("closeness = { t = 0.25 }", it=f"{RANK}, order = ['b', 'a']"), "1 a; 1 a; 2 b; 2 b", None, [HALF]),
        (plan("closeness = { t = 0.25 }", it=f"{RANK}, order = ['b', 'a']"), "1 1; 1 1; 2 b; 2 b", None, [NO_LEVEL]),
    ],
)
def test_a_codebook_is_for_columns_of_which_it_knows_every_cell(
    tmp_path: Path, asked: str, release: str, original: str | None, expected: list[str]
) -> None:
    (tmp_path / "book.csv").write_text(table(BOOK))
    whole = None if original is None else f"who age it; {original}"
    row_map = None if original is None else "out in; 0 0; 1 1; 2 2; 3 3"
    said = found(tmp_path, asked, f"age it; {release}", whole, row_map, codebook=str(tmp_path / "book.csv"))
    assert [line for line in said if not line.startswith(("✓ columns", "✓ k_anonymity", "✗ suppress"))] == expected


def test_a_code_whose_label_is_a_number_is_that_number(tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_text("column,code,label\nit,a,5\nit,b,7\nit,c,;;;;;;;;;;;;;;;;\n")
    for high, line in ((7, f"✓ clip: it has 0 values{ABOVE}"), (6, f"✗ clip: it has 1 value{ABOVE}")):
        asked = plan(it=f"{PAY}, clip = {{ high = {high} }}")
        check(tmp_path, [line], asked, "age it; 1 a; 1 b", codebook=str(tmp_path / "book.csv"))


def test_records_that_are_held_back_were_not_dropped(tmp_path: Path) -> None:
    files = (plan(), "age; 1; 1", "who age; p 1; q 1; r 1; s 1", "out in; 0 0; 1 1")
    dropped = "✗ suppress: 2 of 4 records were dropped, allowed share 0"
    check(tmp_path, [dropped], *files)
    check(tmp_path, [dropped.replace("2 of 4 records were", "1 of 3 records was")], *files, held_back=1)
    check(tmp_path, [], *files, held_back=2)
    check(tmp_path, [], *files, held_back=3)
