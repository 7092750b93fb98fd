"""Columns with labels, as Stata and SPSS files have them: labels for codes on the way in, and codes again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import polars as pl

from shoal.files.display_formats import Clock
from shoal.files.source_file import Contents, Labels
from shoal.frames.exact_names import column_of, with_columns_of

_INTEGERS = {"int8": pl.Int8, "int16": pl.Int16, "int32": pl.Int32}


def with_labels(frame: pl.DataFrame, metadata: Any, clock: Clock) -> Contents:
    """Return a table in its own types, labels in place of codes, and what its file says about its columns.

    A column whose every value has a label becomes a column of labels (a polars Enum in the order of the codes), so that
    plans speak of ``"severe"`` and not of 3. A column with labels for some values only, as for a code of refusal,
    keeps its numbers. User-defined missing values, and empty text, are missing.
    """
    values = {
        name: _of_values(column_of(frame, name), labels)
        for name, labels in metadata.variable_value_labels.items()
        if name in frame.columns
    }
    storage = metadata.readstat_variable_types
    display = {name: form or "" for name, form in metadata.original_variable_types.items()}
    dated = {name: clock.read(name, column_of(frame, name), display[name]) for name in frame.columns}
    typed = with_columns_of(
        frame, {name: _restored_type(column, storage[name], display[name]) for name, column in dated.items()}
    )
    typed = with_columns_of(typed, {name: _as_labels(column_of(typed, name), values[name]) for name in values})
    labels = Labels(
        columns={name: label for name, label in metadata.column_names_to_labels.items() if label},
        values=values,
        formats={name: form for name, form in display.items() if form and clock.shows(form, typed.schema[name])},
        measures={name: level for name, level in metadata.variable_measure.items() if level != "unknown"},
        schema=dict(typed.schema),
        file=metadata.file_label or "",
    )
    return Contents(frame=typed, labels=labels)


def _of_values(column: pl.Series, labels: dict[Any, str]) -> dict[Any, str]:
    """Return the labels of values: Stata has some for kinds of missing ones too, by letters beside numbers."""
    return {code: label for code, label in labels.items() if isinstance(code, str) == (column.dtype == pl.String)}


def _restored_type(column: pl.Series, storage: str, display: str) -> pl.Series:
    """Undo what the reader does to integers with gaps and to missing text."""
    if column.dtype == pl.String:
        return column.set((column == "").fill_null(value=False), None)
    if storage in _INTEGERS and column.dtype.is_numeric():
        return column.cast(_INTEGERS[storage])
    # SPSS has one numeric type: its integers are numbers displayed without decimals.
    if column.dtype == pl.Float64 and display.startswith("F") and "." not in display.replace(".0", ""):
        whole = column.cast(pl.Int64, strict=False)
        return whole if whole.cast(pl.Float64).equals(column) else column
    return column


def _as_labels(codes: pl.Series, labels: dict[Any, str]) -> pl.Series:
    if not (codes.dtype.is_numeric() or codes.dtype == pl.String):
        return codes  # dates and times, whose codes were numbers
    names = list(dict.fromkeys(labels[code] for code in sorted(labels)))
    unlabelled = any(code not in labels for code in codes.unique().drop_nulls().to_list())
    if len(names) < len(labels) or unlabelled:
        return codes
    return codes.replace_strict(list(labels), list(labels.values()), return_dtype=pl.Enum(names))


def with_codes(frame: pl.DataFrame, labels: Labels, verbatim: Collection[str] = ()) -> Contents:
    """Return a table with codes in place of labels, and what a file may still say about its columns.

    Columns that were not masked (``verbatim``) keep the labels of codes that no record has.
    """
    # A column of integers that became one of averages is displayed with its decimals, and has no code left.
    same = {name for name, dtype in frame.schema.items() if _same_type(labels.schema.get(name), dtype)}
    values = {
        name: codes if name in verbatim else _used_labels(column_of(frame, name), codes)
        for name, codes in labels.values.items()
        if name in same
    }
    formats = {name: display for name, display in labels.formats.items() if name in same}
    coded = {name: _writable(column_of(frame, name), values.get(name, {}), formats.get(name)) for name in frame.columns}
    return Contents(frame=with_columns_of(frame, coded), labels=replace(labels, values=values, formats=formats))


def _same_type(before: pl.DataType | None, after: pl.DataType) -> bool:
    """Whether a column is what it was; a list of labels may have become shorter."""
    return before == after or (isinstance(before, pl.Enum) and isinstance(after, pl.Enum))


def _used_labels(column: pl.Series, labels: dict[Any, str]) -> dict[Any, str]:
    """Leave out the labels that masking left no record with: they would tell that somebody had them."""
    if isinstance(column.dtype, pl.Enum):
        listed = set(column.dtype.categories)  # of a scale all, whoever has them
        new = [label for label in column.dtype.categories if label not in labels.values()]  # what rare ones became
        listed_labels = {code: label for code, label in labels.items() if label in listed}
        if any(isinstance(code, str) for code in labels):
            return listed_labels | {label: label for label in new}
        free = int(max(labels, default=0)) + 1
        return listed_labels | {free + place: label for place, label in enumerate(new)}
    codes_left = set(column.unique().to_list())
    return {code: label for code, label in labels.items() if code in codes_left}


def _writable(column: pl.Series, labels: dict[Any, str], display: str | None) -> pl.Series:
    if labels and column.dtype in (pl.Enum, pl.String, pl.Categorical):
        codes = {label: code for code, label in labels.items()}
        dtype = pl.String if any(isinstance(code, str) for code in labels) else pl.Float64
        return column.cast(pl.String).replace_strict(list(codes), list(codes.values()), return_dtype=dtype)
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int8)
    if isinstance(column.dtype, pl.Duration):  # as it was in a file of this format, else as text
        return column.dt.to_string("iso") if display is None else column.dt.total_microseconds() / 1_000_000
    return plain_cells(column)


def plain_cells(column: pl.Series) -> pl.Series:
    """Return a column without what programs lack: categories are texts, decimals doubles, times those of the spot."""
    if column.dtype in (pl.Enum, pl.Categorical):
        return column.cast(pl.String)
    if column.dtype.is_decimal():
        return column.cast(pl.Float64)
    zoned = isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None
    return column.dt.replace_time_zone(None) if zoned else column  # what a clock on the spot showed


def whole_numbers(column: pl.Series) -> pl.Series:
    """Return a column of doubles as integers where all that are there are whole; any other as it is.

    >>> whole_numbers(pl.Series([1.0, None, 3.0])).to_list(), whole_numbers(pl.Series([1.5])).to_list()
    ([1, None, 3], [1.5])
    """
    if column.dtype != pl.Float64 or column.null_count() == len(column):
        return column
    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.cast(pl.Float64).equals(column) else column
