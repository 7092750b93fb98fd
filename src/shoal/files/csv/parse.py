"""Text columns of a CSV file into numbers, dates and categories; a cell that does not fit is told by its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

import polars as pl

from shoal.errors import DataError, PlanError
from shoal.files.csv.dialect import Dialect
from shoal.frames.exact_names import column_of, with_columns_of

LineOf = Callable[[int], int]

_DAYS = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y%m%d")
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")
_FINE_TIMES = (" %H:%M:%S%.f", "T%H:%M:%S%.f", "T%H:%M:%S%#z", " %H:%M:%S%#z", "T%H:%M:%S%.f%#z")
_FORMATS = (*(day + time for time, day in product(_TIMES, _DAYS)), *("%Y-%m-%d" + time for time in _FINE_TIMES))
_SAMPLE = 1000
_CLOCK = re.compile("%[-_0]?[HIklTRrcXs+]")  # what of a format says the time of day
_FIRST_YEAR = 1000  # a year of two digits is read as one of the first century: nobody means that


@dataclass(frozen=True, eq=False)
class ParsedTable:
    """A frame in the types that were declared, and the dialect with decimal mark and date formats filled in."""

    frame: pl.DataFrame
    dialect: Dialect


def parse_columns(
    frame: pl.DataFrame,
    kinds: Mapping[str, str],
    dialect: Dialect,
    *,
    line_of: LineOf,
    date_formats: Mapping[str, str] | None = None,
    missing: Mapping[str, Collection[str]] | None = None,
) -> ParsedTable:
    """Turn text columns into what they are declared to be; a decimal mark that the dialect leaves open is decided."""
    schema = frame.schema
    texts = {
        name: _present(column_of(frame, name), dialect, (missing or {}).get(name, ()))
        for name in kinds
        if schema[name] == pl.String
    }
    numeric = {name: text.str.strip_chars() for name, text in texts.items() if kinds[name] == "numeric"}
    decimal = dialect.decimal or _detect_decimal(list(numeric.values()), dialect.delimiter)
    formats = dict(dialect.date_formats)
    parsed: dict[str, pl.Series] = {}
    for name, text in texts.items():
        if kinds[name] == "numeric":
            parsed[name] = _numbers(name, numeric.pop(name), decimal, line_of)
        elif kinds[name] == "date":
            given = (date_formats or {}).get(name)
            parsed[name], formats[name] = _dates(name, text.str.strip_chars(), given, line_of)
        else:
            parsed[name] = text
    return ParsedTable(with_columns_of(frame, parsed), replace(dialect, decimal=decimal, date_formats=formats))


def _present(text: pl.Series, dialect: Dialect, missing: Collection[str] = ()) -> pl.Series:
    """Null where the cell is empty, blank or one of the words for it."""
    bare = text.str.strip_chars()
    return _without(text, (bare == "") | text.is_in(list(dialect.missing)) | bare.is_in(list(missing)))


def _without(column: pl.Series, unwanted: pl.Series) -> pl.Series:
    """Null where a cell is unwanted."""
    if not unwanted.any():
        return column
    wanted = unwanted.fill_null(value=False).not_()
    return pl.select(pl.when(wanted).then(column)).to_series()


def _detect_decimal(columns: list[pl.Series], delimiter: str) -> str:
    """A comma, if the numbers have commas and no points; never where commas part cells, as in "1,234"."""
    commas = [text.filter(text.str.contains(",", literal=True).fill_null(value=False)) for text in columns]
    if delimiter == "," or not any(len(cells) for cells in commas):
        return "."
    if any(text.str.contains(".", literal=True).any() for text in columns):
        return "."
    if delimiter != ";" and all(cells.str.contains(r"^[+-]?\d{1,3}(,\d{3})+$").all() for cells in commas):
        raise DataError(
            "commas in the numbers may be decimal marks or part thousands: give the decimal mark, or remove them"
        )
    return ","


def _first(bad: pl.Series) -> int | None:
    row = bad.fill_null(value=False).arg_max()
    return row if row is not None and bad[row] else None


def _numbers(name: str, text: pl.Series, decimal: str, line_of: LineOf) -> pl.Series:
    whole = text.cast(pl.Int64, strict=False)
    if whole.null_count() == text.null_count():
        return whole
    if decimal == ",":
        pointed = text.str.contains(".", literal=True)
        text = text.set(pointed.fill_null(value=False), "?").str.replace_all(",", ".", literal=True)
    numbers = text.cast(pl.Float64, strict=False)
    row = _first((numbers.is_null() & text.is_not_null()) | numbers.is_nan().fill_null(value=False))
    if row is not None:
        raise DataError(
            f"column {name!r} is declared numeric, but on line {line_of(row)} it holds text: correct the cell, "
            "give the word that stands for a missing value (missing_values in the plan, --missing-value; missing= in "
            f"Python), or check the decimal mark (now {decimal!r})"
        )
    return numbers


def _as_dates(text: pl.Series, date_format: str) -> pl.Series:
    """Parse with one format; null where it does not fit."""
    if _CLOCK.search(date_format):
        dates = text.str.to_datetime(date_format, strict=False, time_unit="us", exact=True)
    else:
        dates = text.str.to_date(date_format, strict=False, exact=True)
    return _without(dates, dates.dt.year() < _FIRST_YEAR)


def _check_format(date_format: str, column: str) -> None:
    """A format must be able to write a date so that it can be read again, and what was read be written again."""
    zone = "UTC" if any(mark in date_format for mark in ("%z", "%:z", "%#z")) else None
    probe = pl.Series([datetime(2021, 3, 4)]).dt.replace_time_zone(zone)
    try:
        read = _as_dates(probe.dt.to_string(_writable(date_format)), date_format)
        read.dt.to_string(_writable(date_format))
        again = read.cast(probe.dtype)
    except pl.exceptions.PolarsError:
        again = pl.Series([None])
    if not again.equals(probe):
        raise PlanError(f"date format {date_format!r} of column {column!r} is no date: try '%Y-%m-%d'")


def _dates(name: str, text: pl.Series, given: str | None, line_of: LineOf) -> tuple[pl.Series, str]:
    sample = text.drop_nulls().head(_SAMPLE)
    if given is not None:
        _check_format(given, name)
        candidates = [given]
    else:
        fits = {pattern: _as_dates(sample, pattern).null_count() for pattern in _FORMATS}
        candidates = [pattern for pattern in _FORMATS if fits[pattern] == min(fits.values())]
    readings = [(pattern, _as_dates(text, pattern)) for pattern in candidates]
    fewest = min(dates.null_count() for _, dates in readings)
    readings = [(pattern, dates) for pattern, dates in readings if dates.null_count() == fewest]
    if fewest > text.null_count():
        row = _first(readings[0][1].is_null() & text.is_not_null())
        assert row is not None
        raise DataError(
            f"column {name!r} is declared a date, but line {line_of(row)} does not fit the format "
            f"{readings[0][0]!r}: correct the cell or give the column's date format"
        )
    if any(not dates.equals(readings[0][1]) for _, dates in readings):
        raise DataError(
            f"column {name!r} may be written {' or '.join(repr(pattern) for pattern, _ in readings)}: say which, "
            "by the column's date format"
        )
    return readings[0][1], _writable(readings[0][0])


def _writable(date_format: str) -> str:
    """Dates are read with zones written in whatever way, and written in one."""
    return date_format.replace("%#z", "%:z")


def guess_kind(text: pl.Series, dialect: Dialect, missing: Collection[str] = ()) -> str:
    """Guess what a text column holds: ``numeric``, ``date`` or ``nominal``, as are postcodes with leading zeros."""
    cells = _present(text, dialect, missing).drop_nulls().str.strip_chars()
    if len(cells) == 0 or cells.str.contains(r"^[+-]?0\d+$").any():
        return "nominal"
    for kind in ("numeric", "date"):
        for part in (cells.head(_SAMPLE), cells) if len(cells) > _SAMPLE else (cells,):
            try:
                parse_columns(part.to_frame(), {cells.name: kind}, dialect, line_of=lambda row: row)
            except DataError as error:
                if "may be" in str(error):
                    return kind
                break
        else:
            return kind
    return "nominal"
