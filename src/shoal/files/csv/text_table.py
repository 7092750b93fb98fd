"""CSV as a table of text, read and written: every cell as it stands, so that what is not masked survives."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import polars as pl
from polars import selectors

from shoal import _core
from shoal.errors import DataError, counted
from shoal.files.csv.dialect import Dialect, check_options, decode, detect_delimiter, encoder, line_number
from shoal.files.format import TextOptions
from shoal.files.packing import packer, unpacked
from shoal.files.source_file import Contents, Lines
from shoal.frames.exact_names import column_of, with_columns_of

_DETECTED = TextOptions()


def read_csv(data: bytes, name: str, options: TextOptions = _DETECTED) -> Contents:
    """Read every cell of a file as text.

    Empty cells are null; a quoted empty cell is the empty text.
    """
    check_options(options.delimiter, options.decimal, options.encoding)
    text, encoding, bom = decode(unpacked(data, name), options.encoding, name)
    del data
    if not text.strip():
        raise DataError(f"{name} is empty")
    zero = text.find(0)
    if zero >= 0:
        line = line_number(text[:zero].decode())
        raise DataError(f"{name}, line {line}: a zero byte is no text: is it a CSV file, is the encoding right?")
    delimiter = options.delimiter or detect_delimiter(text)
    cut = _core.cut_csv(text, delimiter)
    if cut["fault"]:
        raise DataError(f"{name}, line {cut['fault_line']}: {_fault(cut, delimiter)}")
    columns = [pl.Series(column) for column in cut["columns"]]
    names = [column[0] or "" for column in columns]
    _check_names(names, name)
    # Not as a list: polars would give a column with an empty name another one.
    frame = pl.DataFrame({label: column.slice(1) for label, column in zip(names, columns, strict=True)})
    if frame.height == 0:
        raise DataError(f"{name} has a header but no records")
    line_end = next(end for end in ("\r\n", "\n", "\r") if text.startswith(end.encode(), cut["header_end"]))
    dialect = Dialect(delimiter, options.decimal, encoding, bom, line_end, options.missing)
    return Contents(frame=frame, dialect=dialect, text=frame, lines=Lines(cut["shift_records"], cut["shifts"]))


def _fault(cut: _core.CsvCut, delimiter: str) -> str:
    if cut["fault"] is _core.CsvFault.ragged:
        return (
            f"{counted(cut['fault_width'], 'cell')} where the header has {cut['width']}: correct the line, or give the "
            f"right delimiter (now {delimiter!r})"
        )
    if cut["fault"] is _core.CsvFault.unclosed_quote:
        return "a quotation mark opens a cell here and is never closed"
    if cut["fault"] is _core.CsvFault.text_after_quote:
        return "text follows the closing quotation mark of a cell: write a quotation mark inside a cell twice"
    return "a cell is larger than two gigabytes"


def _check_names(names: list[str], file: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        # By place, not by name: without a header, the first line is a record.
        places = [str(place) for place, name in enumerate(names, start=1) if name == repeated[0]]
        raise DataError(
            f"{file}: column names must be unique, but columns {', '.join(places[:-1])} and {places[-1]} share one: is "
            "the first line a header?"
        )


_ROWS_PER_BATCH = 1 << 17


def write_csv(frame: pl.DataFrame, path: Path, dialect: Dialect, *, compress: bool = False, zstd: bool = False) -> None:
    """Write a frame as CSV.

    Numbers are written as the shortest text that reads back as the same number; missing cells are empty.
    """
    dates = {
        name: column_of(frame, name).dt.to_string(date_format)
        for name, date_format in dialect.date_formats.items()
        if name in frame.columns and frame.schema[name].is_temporal()
    }
    ready = with_columns_of(frame, dates).with_columns(selectors.float().fill_nan(None))
    encode = encoder(dialect)
    with path.open("wb") as raw:
        out = packer(raw, zstd=zstd) if compress or zstd else raw
        for start in range(0, max(len(ready), 1), _ROWS_PER_BATCH):
            out.write(encode(_batch(ready.slice(start, _ROWS_PER_BATCH), dialect, header=start == 0)))
        if out is not raw:
            out.close()


def _batch(rows: pl.DataFrame, dialect: Dialect, *, header: bool) -> bytes:
    if rows.width == 1:
        # A lone empty cell would be a blank line, which is no record: it is written as "".
        rows = rows.cast(pl.String).fill_null("") if rows.null_count().row(0) != (0,) else rows
    buffer = io.BytesIO()
    rows.write_csv(
        buffer,
        include_header=header,
        separator=dialect.delimiter,
        line_terminator=dialect.line_end,
        decimal_comma=dialect.decimal == ",",
    )
    return buffer.getvalue()
