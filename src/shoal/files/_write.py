"""Write a table to a file, the way another file was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from polars import selectors

from shoal.errors import DataError
from shoal.files.columnar import write_columnar
from shoal.files.csv_write import write_csv
from shoal.files.dialect import Dialect
from shoal.files.formats import Format, extension, format_of, is_gzip
from shoal.files.labelled import Labels, require_labelled, write_labelled
from shoal.files.output import STDOUT, Outputs, explain, sha256_of
from shoal.files.source import SourceFile


@dataclass(frozen=True)
class Written:
    """A file as it was written: its format, size and the SHA-256 of its bytes."""

    format: Format
    sha256: str
    size: int


def write(
    frame: pl.DataFrame,
    target: str | Path,
    *,
    like: SourceFile | None = None,
    format: str | None = None,
    verbatim: Iterable[str] = (),
    outputs: Outputs | None = None,
) -> Written:
    """Write a table to a file, or to standard output (``-``); the same table gives the same bytes.

    Parameters
    ----------
    frame
        The table.
    target
        The file; its extension tells the format.
    like
        The file the table came from: CSV keeps its delimiter, decimal mark, encoding, line end and date formats, Stata
        and SPSS keep their labels. It is never overwritten.
    format
        The format, whatever the extension. Standard output has that of ``like``, or CSV.
    verbatim
        Columns that were not masked. In a CSV file their cells are written as they were read (``1.50`` stays ``1.50``),
        in Stata and SPSS files they keep the labels of codes that no record has. Never name a masked column: two ways
        to write one value would tell records apart.
    outputs
        A transaction of several files, see `Outputs`; without one the file appears at once.

    Returns
    -------
    Written
        Format, size and fingerprint.

    Raises
    ------
    OutputError
        When the file cannot be written; then nothing is left behind.
    """
    if outputs is None:
        with Outputs(inputs=[like.path] if like is not None and like.path is not None else []) as alone:
            return write(frame, target, like=like, format=format, verbatim=verbatim, outputs=alone)
    verbatim = tuple(verbatim)
    file_format = target_format(target, like=like, format=format)
    if file_format not in ("parquet", "arrow"):
        _refuse_nested(frame, file_format)
        frame = frame.with_columns(selectors.duration().dt.to_string("iso"))
    if like is not None and like.text is not None and file_format == "csv":
        frame = _with_text(frame, like.text, verbatim)
    temporary = outputs.stage(target)
    try:
        if file_format == "csv":
            write_csv(frame, temporary, _dialect(target, like), compress=is_gzip(Path(target)))
        elif file_format in ("parquet", "arrow"):
            write_columnar(frame, temporary, file_format)
        else:
            packed = Path(target).suffix == ".zsav"
            labels = _labels(like, file_format)
            write_labelled(frame, temporary, file_format, labels, verbatim=verbatim, packed=packed)
        return Written(file_format, sha256_of(temporary), temporary.stat().st_size)
    except (OSError, pl.exceptions.ComputeError) as error:
        raise explain(error, target) from None


def target_format(target: str | Path, *, like: SourceFile | None = None, format: str | None = None) -> Format:
    """Tell in which format `write` would write a target: as told, by its extension, or as ``like``.

    Raises
    ------
    DataError
        When the extension is unknown, or the library of the format is not installed.
    """
    nameless = str(target) == STDOUT or not Path(target).suffix  # standard output, a device, a pipe
    if nameless and format is None and like is not None:
        return like.format
    if str(target) == STDOUT and format is None:
        return "csv"
    found = format_of(Path(target), format)
    if found in ("stata", "spss"):
        require_labelled(found)
    return found


def _dialect(target: str | Path, like: SourceFile | None) -> Dialect:
    """Write as the other file is written; but the cells of a .tsv are parted by tabs, whatever the other has."""
    dialect = like.dialect if like is not None and like.dialect is not None else Dialect()
    return replace(dialect, delimiter="\t") if extension(Path(target)) == ".tsv" else dialect


def _labels(like: SourceFile | None, file_format: Format) -> Labels | None:
    """Keep the labels of the other file, and its display formats where they mean the same."""
    if like is None or like.labels is None or like.format == file_format:
        return like.labels if like is not None else None
    return replace(like.labels, formats={})


def _refuse_nested(frame: pl.DataFrame, file_format: Format) -> None:
    for name, kind in frame.schema.items():
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            raise DataError(
                f"column {name!r} is no plain value ({kind}), and {file_format} has no place for it: write parquet"
            )


def _with_text(frame: pl.DataFrame, text: pl.DataFrame, verbatim: Iterable[str]) -> pl.DataFrame:
    names = [name for name in verbatim if name in frame.columns and name in text.columns]
    if names and frame.height != text.height:
        raise DataError(f"{frame.height} rows cannot be written verbatim: {text.height} were read")
    return frame.with_columns([text[name] for name in names])
