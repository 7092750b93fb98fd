"""Stata and SPSS files, with the labels of their variables and values (through pyreadstat, an extra)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError, OutputError
from shoal.files.formats import Format

_INTEGERS = {"int8": pl.Int8, "int16": pl.Int16, "int32": pl.Int32}
_STATA_VERSION = 14  # the first with UTF-8; read by every Stata since 2015
_NAMES = {"stata": "Stata", "spss": "SPSS"}


@dataclass(frozen=True, eq=False)
class Labels:
    """What a Stata or SPSS file says about its columns besides the values.

    Parameters
    ----------
    columns
        Variable labels by column.
    values
        Value labels by column: code to label.
    formats
        Display formats by column, such as ``%8.2f`` or ``F8.2``.
    measures
        SPSS measurement levels by column: nominal, ordinal, scale.
    schema
        The types of the columns as they were read.
    file
        The label of the file.
    """

    columns: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[Any, str]] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)
    measures: dict[str, str] = field(default_factory=dict)
    schema: dict[str, pl.DataType] = field(default_factory=dict)
    file: str = ""


def require_labelled(file_format: Format) -> Any:
    """Return the library of a format, or say which extra brings it."""
    try:
        import pyreadstat
    except ImportError:
        raise DataError(
            f"{_NAMES[file_format]} files need pyreadstat: install the extra, pip install 'shoal[stata-spss]'"
        ) from None
    return pyreadstat


def _reader(library: Any, file_format: Format) -> Any:
    return library.read_dta if file_format == "stata" else library.read_sav


def read_labelled(path: Path, file_format: Format) -> tuple[pl.DataFrame, Labels]:
    """Read a Stata or SPSS file.

    A column whose every value has a label becomes a column of labels (a polars Enum in the order of the codes), so that
    plans speak of ``"severe"`` and not of 3. A column with labels for some values only, as for a code of refusal,
    keeps its numbers. User-defined missing values, and empty text, are read as missing.
    """
    library = require_labelled(file_format)
    if path.stat().st_size == 0:
        raise DataError(f"{path.name} is empty")
    try:
        frame, meta = _reader(library, file_format)(path, output_format="polars")
    except (library.ReadstatError, library.PyreadstatError, ValueError):
        raise DataError(
            f"{path.name} is not a whole {_NAMES[file_format]} file: it is damaged, truncated or of another format"
        ) from None
    values = {name: dict(labels) for name, labels in meta.variable_value_labels.items() if name in frame.columns}
    storage, display = meta.readstat_variable_types, meta.original_variable_types
    typed = frame.select(_own_type(frame[name], storage[name], display[name]) for name in frame.columns)
    typed = typed.with_columns([_as_labels(typed[name], values[name]) for name in values])
    return typed, Labels(
        columns={name: label for name, label in meta.column_names_to_labels.items() if label},
        values=values,
        formats=dict(meta.original_variable_types),
        measures={name: level for name, level in meta.variable_measure.items() if level != "unknown"},
        schema=dict(typed.schema),
        file=meta.file_label or "",
    )


def _own_type(column: pl.Series, storage: str, display: str) -> pl.Series:
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
    names = list(dict.fromkeys(labels[code] for code in sorted(labels)))
    unlabelled = any(code not in labels for code in codes.unique().drop_nulls().to_list())
    if len(names) < len(labels) or unlabelled:
        return codes
    return codes.replace_strict(list(labels), list(labels.values()), return_dtype=pl.Enum(names)).alias(codes.name)


def write_labelled(
    frame: pl.DataFrame,
    path: Path,
    file_format: Format,
    labels: Labels | None,
    *,
    verbatim: Collection[str] = (),
    packed: bool,
) -> None:
    """Write a Stata or SPSS file with the labels of the file that was read; labels become codes again.

    Parameters
    ----------
    frame
        The table.
    path
        Where to write.
    file_format
        ``stata`` or ``spss``.
    labels
        From the file that was read.
    verbatim
        Columns that were not masked: they keep the labels of codes that no record has.
    packed
        Write a compressed SPSS file (.zsav).
    """
    library = require_labelled(file_format)
    known = labels or Labels()
    # A column of integers that became one of averages is displayed with its decimals, and has no code left.
    same = {name for name in frame.columns if _same_type(known.schema.get(name), frame.schema[name])}
    values = {
        name: codes if name in verbatim else _still_there(frame[name], codes)
        for name, codes in known.values.items()
        if name in same
    }
    coded = frame.with_columns([_writable(frame[name], values.get(name, {})) for name in frame.columns])
    options: dict[str, Any] = {
        "file_label": known.file,
        "column_labels": known.columns,
        "variable_value_labels": values,
        "variable_format": {name: display for name, display in known.formats.items() if name in same},
    }
    if file_format == "stata":
        options["version"] = _STATA_VERSION
    else:
        options["compress"] = packed
        options["variable_measure"] = {name: level for name, level in known.measures.items() if name in frame.columns}
    try:
        (library.write_dta if file_format == "stata" else library.write_sav)(coded, path, **options)
    except (library.ReadstatError, library.PyreadstatError) as error:
        # These speak of names and of the format, never of cells.
        reason = "is the disk full?" if "write data" in str(error) else str(error)
        raise OutputError(f"the {_NAMES[file_format]} file cannot be written: {reason}") from None
    _erase_timestamp(path, file_format)
    _check_whole(library, path, file_format, coded)


def _same_type(before: pl.DataType | None, after: pl.DataType) -> bool:
    """Whether a column is what it was; a list of labels may have become shorter."""
    return before == after or (isinstance(before, pl.Enum) and isinstance(after, pl.Enum))


def _still_there(column: pl.Series, labels: dict[Any, str]) -> dict[Any, str]:
    """Leave out the labels that masking left no record with: they would tell that somebody had them."""
    if isinstance(column.dtype, pl.Enum):
        listed = set(column.dtype.categories)  # of a scale all, whoever has them
        return {code: label for code, label in labels.items() if label in listed}
    found = set(column.unique().to_list())
    return {code: label for code, label in labels.items() if code in found}


def _writable(column: pl.Series, labels: dict[Any, str]) -> pl.Series:
    if labels and column.dtype in (pl.Enum, pl.String, pl.Categorical):
        codes = {label: code for code, label in labels.items()}
        return column.cast(pl.String).replace_strict(list(codes), list(codes.values()), return_dtype=pl.Float64)
    if column.dtype in (pl.Enum, pl.Categorical):
        return column.cast(pl.String)
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int8)
    if column.dtype.is_decimal():
        return column.cast(pl.Float64)
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        return column.dt.replace_time_zone(None)  # the formats have no zones: what a clock on the spot showed
    return column


def _erase_timestamp(path: Path, file_format: Format) -> None:
    """Set the time of writing to a fixed one: the same table gives the same bytes."""
    with path.open("r+b") as file:
        start = file.read(1 << 10)
        if file_format == "spss":
            file.seek(92)
            file.write(b"01 Jan 7000:00:00")
        elif (tag := start.find(b"<timestamp>\x11")) >= 0:
            file.seek(tag + len(b"<timestamp>\x11"))
            file.write(b"01 Jan 1970 00:00")


def _check_whole(library: Any, path: Path, file_format: Format, frame: pl.DataFrame) -> None:
    """The writer does not notice a full disk: what was written is read again."""
    try:
        columns, _ = _reader(library, file_format)(path, output_format="dict")
        whole = list(columns) == frame.columns and all(len(cells) == frame.height for cells in columns.values())
    except (library.ReadstatError, library.PyreadstatError, ValueError):
        whole = False
    if not whole:
        raise OutputError(f"the {_NAMES[file_format]} file cannot be written whole: is the disk full?")
