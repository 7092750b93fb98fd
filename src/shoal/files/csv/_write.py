"""Write CSV the way it was read: delimiter, decimal mark, encoding and line end."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
from polars import selectors

from shoal.files.csv.dialect import Dialect, encoder
from shoal.files.packing import packer
from shoal.frames.exact_names import column_of, with_columns_of

_ROWS_PER_BATCH = 1 << 17


def write_csv(frame: pl.DataFrame, path: Path, dialect: Dialect, *, compress: bool = False, zstd: bool = False) -> None:
    """Write a frame as CSV.

    Numbers are written as the shortest text that reads back as the same number; missing cells are empty.
    """
    ready = with_columns_of(frame, _dates_as_text(frame, dialect)).with_columns(selectors.float().fill_nan(None))
    encode = encoder(dialect)
    with path.open("wb") as raw:
        out = packer(raw, zstd=zstd) if compress or zstd else raw
        for start in range(0, max(len(ready), 1), _ROWS_PER_BATCH):
            out.write(encode(_batch(ready.slice(start, _ROWS_PER_BATCH), dialect, header=start == 0)))
        if out is not raw:
            out.close()


def _dates_as_text(frame: pl.DataFrame, dialect: Dialect) -> dict[str, pl.Series]:
    return {
        name: column_of(frame, name).dt.to_string(date_format)
        for name, date_format in dialect.date_formats.items()
        if name in frame.columns and frame.schema[name].is_temporal()
    }


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
