"""The CSV kernel against its slow twin."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import csv_text
from shoal import _core
from shoal.files.source_file import Lines


def assert_same(text: str, delimiter: str) -> None:
    fast = _core.cut_csv(text.encode(), delimiter)
    slow = csv_text.cut_csv(text, delimiter)
    assert fast["fault"] == slow.fault
    if slow.fault:
        assert fast["fault_line"] == slow.fault_line
        assert fast["fault_width"] == slow.fault_width
        assert fast["columns"] == []
        return
    columns = [pl.Series(column).to_list() for column in fast["columns"]]
    assert [list(row) for row in zip(*columns, strict=True)] == slow.rows
    lines = Lines(fast["shift_records"], fast["shifts"])
    assert [lines.of(record - 1) for record in range(len(slow.rows))] == slow.lines


@settings(max_examples=600, deadline=None)
@given(st.text(alphabet='aé,;"\r\n', max_size=40), st.sampled_from(",;"))
def test_every_text_is_cut_as_the_twin_cuts_it(text: str, delimiter: str) -> None:
    assert_same(text, delimiter)


@st.composite
def well_formed(draw: st.DrawFn) -> str:
    """Rows of one width, with long cells, gaps and quoted line ends, so that the cells themselves are compared."""
    width = draw(st.integers(1, 4))
    cell = st.one_of(
        st.just(""),
        st.text(alphabet="ab 1é€", min_size=1, max_size=30),
        st.text(alphabet='ab"\r\n,', max_size=30).map(lambda text: '"' + text.replace('"', '""') + '"'),
    )
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=30))
    return "".join(",".join(row) + draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"])) for row in rows)


@settings(max_examples=250, deadline=None)
@given(well_formed())
def test_well_formed_tables_are_cut_as_the_twin_cuts_them(text: str) -> None:
    assert_same(text, ",")


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 64, 1000])
@pytest.mark.parametrize("gap", [1, 3, 8, 13])
def test_gaps_stand_where_they_are_in_columns_of_any_length(rows: int, gap: int) -> None:
    cells = ["" if row % gap == gap - 1 else f"cell number {row}" for row in range(rows)]
    assert_same("".join(f"{cell},x\n" for cell in cells), ",")


def test_more_text_than_one_heap_holds() -> None:
    cell = "x" * 30_000_000
    cut = _core.cut_csv(f"a\n{cell}\n{cell}1\n{cell}22\nshort\n".encode(), ",")
    lengths = pl.Series(cut["columns"][0]).str.len_bytes().to_list()
    assert lengths == [1, 30_000_000, 30_000_001, 30_000_002, 5]
    assert pl.Series(cut["columns"][0])[3].endswith("x22")


def test_a_column_lives_on_after_the_cut_is_gone() -> None:
    cut = _core.cut_csv(b"name\n" + b"a rather long name of a person\n" * 1000, ",")
    series = pl.Series(cut["columns"][0])
    again = pl.Series(cut["columns"][0])
    del cut
    assert series.slice(1).unique().to_list() == ["a rather long name of a person"]
    assert again.equals(series)


def test_a_capsule_that_nobody_imports_is_released() -> None:
    column = _core.cut_csv(b"a\n1\n", ",")["columns"][0]
    schema, array = column.__arrow_c_array__()
    del schema, array
    assert pl.Series(column).to_list() == ["a", "1"]


def test_lines_without_shifts_are_rows_after_the_header() -> None:
    none = np.empty(0, dtype=np.int64)
    assert Lines(none, none).of(0) == 2
