"""A codebook: what the codes in a file of text mean, as Stata and SPSS files say it of theirs.

A CSV file of three columns, ``column``, ``code`` and ``label``: one line for each code, in the order of the scale.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.csv.text_table import read_csv
from shoal.files.source_file import Contents, Labels
from shoal.files_in_use import note_read
from shoal.frames.exact_names import column_of, with_columns_of

HEADER = ("column", "code", "label")
_WHOLE = re.compile("[+-]?[0-9]{1,18}")  # what other formats hold as a number

Codebook = dict[str, dict[str, str]]
"""Column to code to label, in the order of the lines."""


def read_codebook(path: str | Path) -> Codebook:
    """Read a codebook; refuse an empty cell, a code twice, or a label for two codes of a column."""
    path = Path(path)
    try:
        note_read(path)
        data = path.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else (error.strerror or "").lower()
        raise DataError(f"the codebook {path} cannot be read: {reason}") from None
    table = read_csv(data, path.name)
    if tuple(table.frame.columns) != HEADER:
        raise DataError(f"the codebook {path.name} must have the columns {', '.join(HEADER)}, in this order")
    assert table.lines is not None, "a table of text has its lines"
    book: Codebook = {}
    for row, cells in enumerate(table.frame.iter_rows()):
        line = f"the codebook {path.name}, line {table.lines.of(row)}:"
        if any(cell is None or not cell.strip() for cell in cells):
            raise DataError(f"{line} a cell is empty: every line needs a column, a code and a label")
        column, code, label = (cell.strip() for cell in cells)
        own = book.setdefault(column, {})
        if code in own:
            raise DataError(f"{line} the code was there before for column {column!r}: a code has one label")
        if label in own.values():
            raise DataError(f"{line} the label was there before for column {column!r}: two codes would become one")
        own[code] = label
    return book


def with_codebook(frame: pl.DataFrame, book: Codebook, name: str) -> Contents:
    """Return a table of text with labels in place of codes, and what its files say of them.

    A column whose every cell has a label becomes one of labels, in the order of the codebook; one where only some have,
    as for a code of refusal, keeps its codes.
    """
    strange = [column for column in book if column not in frame.columns]
    if strange:
        raise DataError(f"the codebook speaks of column {strange[0]!r}, which {name} does not have")
    columns = {column: _as_labels(column_of(frame, column), own) for column, own in book.items()}
    labelled = with_columns_of(frame, columns)
    named = {column: own for column, own in book.items() if isinstance(labelled.schema[column], pl.Enum)}
    # Other formats have labels for whole numbers alone.
    whole = {column: own for column, own in named.items() if all(map(_WHOLE.fullmatch, own))}
    numbered = {column: {int(code): label for code, label in own.items()} for column, own in whole.items()}
    values = {column: labels for column, labels in numbered.items() if len(labels) == len(named[column])}
    return Contents(frame=labelled, labels=Labels(values=values, schema=dict(labelled.schema)))


def _as_labels(column: pl.Series, own: dict[str, str]) -> pl.Series:
    bare = column.str.strip_chars()
    bare = bare.set((bare == "").fill_null(value=False), None)
    if any(code not in own for code in bare.unique().drop_nulls().to_list()):
        return column
    return bare.replace_strict(list(own), list(own.values()), return_dtype=pl.Enum(list(own.values())))


def with_written_codes(frame: pl.DataFrame, book: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    """Return a table with codes as the codebook writes them in place of labels."""
    columns = {}
    for column, own in book.items():
        if column in frame.columns and frame.schema[column] in (pl.Enum, pl.Categorical):
            codes = {label: code for code, label in own.items()}
            text = column_of(frame, column).cast(pl.String)
            columns[column] = text.replace(list(codes), list(codes.values()))  # what rare ones became has no code
    return with_columns_of(frame, columns)
