"""Excel workbooks: read by polars through calamine, written by xlsxwriter (an extra)."""

from __future__ import annotations

import io
import logging
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError
from shoal.files.format import Format, Input, Target, not_whole
from shoal.files.lost_excel_cells import refuse_lost_cells
from shoal.files.packing import require_table_size
from shoal.files.source_file import Contents
from shoal.files.value_labels import plain_cells, whole_numbers
from shoal.frames.exact_names import column_of, with_columns_of

_SHEET = "Sheet1"
_MOST_ROWS = 1_048_575  # below the header
_LONGEST = 32_767
_FIRST_YEAR = 1900
_DAY_ZERO = date(1899, 12, 31)
"""The day on which times of day are: no date of Excel's is on it."""
_EXACT = 15
"""Digits of a whole number that Excel keeps: longer ones are written as text."""


def _read(source: Input) -> Contents:
    """Read the first sheet; its first row names the columns."""
    import fastexcel

    assert source.path is not None
    require_table_size(Path(source.path), source.name)
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # a column without a value is no matter for a warning
    try:
        book = fastexcel.read_excel(source.path)
        sheet = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string")
        names = [str(name) if name is not None else "" for name in sheet.to_polars().row(0)] if sheet.height else []
        frame = book.load_sheet(0, schema_sample_rows=None).to_polars() if names else pl.DataFrame()
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, OSError, ValueError):
        raise not_whole(source.name, "Excel") from None
    _check_names(names, source.name)
    if frame.width:
        refuse_lost_cells(source.path, frame, names, source.name)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # as below a table
        frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    return Contents(frame=with_columns_of(frame, {name: _plain(column_of(frame, name)) for name in frame.columns}))


def _check_names(names: list[str], file: str) -> None:
    for place, name in enumerate(names, start=1):
        if not name or names.index(name) + 1 < place:
            what = "has no name" if not name else f"has the name of column {names.index(name) + 1}"
            raise DataError(
                f"{file}: column {place} {what}: the first row of the first sheet must name every column once"
            )


def _plain(column: pl.Series) -> pl.Series:
    """Return integers where all numbers are, dates where all times are midnight, times of day where there is no date.

    Excel has one type for all of them, and a time of day is one of the day before its calendar begins.
    """
    if isinstance(column.dtype, pl.Datetime):
        days = column.cast(pl.Date)
        if days.drop_nulls().unique().to_list() == [_DAY_ZERO]:
            return column.cast(pl.Time)
        return days if days.cast(column.dtype).equals(column) else column.cast(pl.Datetime("us"))
    return whole_numbers(column)


def _write(frame: pl.DataFrame, target: Target) -> None:
    """Write one sheet; the same table gives the same bytes."""
    import xlsxwriter

    _check_size(frame)
    # Text is text: a cell that starts with = is no formula, one that looks like a link or a number is none.
    options = {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False}
    options["in_memory"] = True  # records do not pass through a folder that others read
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, options) as book:
        book.set_properties({"created": datetime(1970, 1, 1)})
        sheet = book.add_worksheet(_SHEET)
        formats: dict[Any, Any] = {pl.Date: book.add_format({"num_format": "yyyy-mm-dd"})}
        formats[pl.Datetime] = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        formats[pl.Time] = book.add_format({"num_format": "hh:mm:ss.000"})
        for place, name in enumerate(frame.columns):
            sheet.write_string(0, place, name)
            _write_column(sheet, place, column_of(frame, name), formats)
    target.path.write_bytes(made.getbuffer())


def _write_column(sheet: Any, place: int, column: pl.Series, formats: dict[Any, Any]) -> None:
    column = _writable(column)
    form = formats.get(column.dtype.base_type())
    for row, cell in enumerate(column.to_list(), start=1):
        if cell is None or cell != cell:
            continue
        if isinstance(cell, str):
            sheet.write_string(row, place, cell)
        elif isinstance(cell, bool):
            sheet.write_boolean(row, place, cell)
        elif form is not None:
            sheet.write_datetime(row, place, cell, form)
        else:
            sheet.write_number(row, place, cell)


def _writable(column: pl.Series) -> pl.Series:
    """Return a column as Excel has it: no zones, numbers of 15 digits."""
    too_long = column.dtype.is_integer() and (column.cast(pl.Float64).abs() >= 10**_EXACT).any()
    return column.cast(pl.String) if too_long else plain_cells(column)


def _check_size(frame: pl.DataFrame) -> None:
    if frame.height > _MOST_ROWS:
        raise DataError(f"{frame.height:,} records are more than a sheet of Excel holds: write csv or parquet")
    for name, dtype in frame.schema.items():
        column = column_of(frame, name)
        if dtype == pl.String and (column.str.len_chars().max() or 0) > _LONGEST:  # type: ignore[operator]
            raise DataError(f"column {name!r} has a text longer than a cell of Excel holds: write csv or parquet")
        if dtype in (pl.Date, pl.Datetime) and (column.dt.year().min() or _FIRST_YEAR) < _FIRST_YEAR:  # type: ignore[operator]
            raise DataError(f"column {name!r} has dates before {_FIRST_YEAR}, which Excel lacks: write csv or parquet")


EXCEL = Format(
    name="excel",
    title="Excel",
    endings=(".xlsx",),
    keeps="numbers, dates and text of the first sheet",
    read=_read,
    write=_write,
    binary=True,
    library="fastexcel",
    extra="excel",
)
