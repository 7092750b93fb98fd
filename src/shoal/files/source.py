"""Read a table from a file: the frame, how it was written, and the fingerprint of its bytes."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from shoal.errors import DataError
from shoal.files.columnar import read_columnar
from shoal.files.csv_read import Lines, read_csv
from shoal.files.dialect import Dialect
from shoal.files.formats import Format, extension, format_of
from shoal.files.labelled import Labels, read_labelled
from shoal.files.output import sha256_of
from shoal.files.parse import guess_kinds, parse_columns

STDIN = "-"


@dataclass(frozen=True, eq=False)
class SourceFile:
    """A table that came from a file.

    Parameters
    ----------
    frame
        The table. All columns of a CSV file are text until `parse`.
    path
        Where it was read; None for standard input.
    format
        ``csv``, ``parquet``, ``arrow``, ``stata`` or ``spss``.
    sha256
        Of the file's bytes, in hexadecimal.
    dialect
        How a CSV file is written; None for other formats.
    labels
        Variable and value labels of a Stata or SPSS file; None for other formats.
    text
        The frame as it stood in the CSV file, before parsing; None for other formats.
    lines
        On which line of the CSV file each row starts; None for other formats.
    """

    frame: pl.DataFrame
    path: Path | None
    format: Format
    sha256: str
    dialect: Dialect | None = None
    labels: Labels | None = None
    text: pl.DataFrame | None = None
    lines: Lines | None = None

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return self.path.name if self.path is not None else "standard input"

    def parse(self, kinds: Mapping[str, str], *, date_formats: Mapping[str, str] | None = None) -> SourceFile:
        """Turn text columns of a CSV file into what a plan declares them to be; other formats have their types.

        Parameters
        ----------
        kinds
            ``numeric``, ``date``, ``ordinal`` or ``nominal`` by column. Columns that are not named stay text.
        date_formats
            strftime formats by column, where they are not to be guessed.

        Raises
        ------
        DataError
            For the first cell that does not fit, by column and line of the file, never by value.
        """
        if self.dialect is None:
            return self
        absent = [name for name in kinds if name not in self.frame.columns]
        if absent:
            raise DataError(
                f"{self.name} has no column {absent[0]!r} among its {self.frame.width}: is its first line a header?"
            )
        frame, dialect = parse_columns(self.frame, kinds, self.dialect, line_of=self.line_of, date_formats=date_formats)
        return replace(self, frame=frame, dialect=dialect)

    def guess_kinds(self) -> dict[str, str]:
        """Guess what each text column holds: ``numeric``, ``date`` or ``nominal``; columns with a type are left out."""
        if self.dialect is None:
            return {}
        return guess_kinds(self.frame.select(pl.col(pl.String)), self.dialect)

    def line_of(self, row: int) -> int:
        """Return the line of the CSV file (from 1) on which a row (from 0) starts."""
        if self.lines is None:
            raise DataError(f"{self.name} is not a CSV file: it has no lines")
        return self.lines.of(row)


def read(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
) -> SourceFile:
    """Read a table from a file, or from standard input (``-``).

    Parameters
    ----------
    path
        The file. Its extension tells the format: ``.csv .tsv .txt`` (also ``.gz``), ``.parquet``, ``.arrow .feather``,
        ``.dta``, ``.sav .zsav``.
    format
        ``csv``, ``parquet``, ``arrow``, ``stata`` or ``spss``, whatever the extension.
    delimiter, decimal, encoding
        How a CSV file is written; each is detected if it is not given.
    missing
        Cells of a CSV file that mean "no value", besides empty ones, such as ``NA``.

    Raises
    ------
    DataError
        When the file is not there, empty, damaged, or no table; with the line for CSV files.
    """
    source = Path(path)
    how = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    if str(path) == STDIN:
        if format not in (None, "csv"):
            raise DataError(f"standard input is read as csv, not as {format}: give a file")
        return _from_csv(sys.stdin.buffer.read(), None, tuple(missing), how)
    file_format = format_of(source, format)
    if source.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        if file_format == "csv":
            return _from_csv(source.read_bytes(), source, tuple(missing), how)
        digest = sha256_of(source)
        if file_format in ("stata", "spss"):
            frame, labels = read_labelled(source, file_format)
            found = SourceFile(frame, source, file_format, digest, labels=labels)
        else:
            found = SourceFile(read_columnar(source, file_format), source, file_format, digest)
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else (error.strerror or "").lower()
        raise DataError(f"{path} cannot be read: {reason}") from None
    if found.frame.height == 0:
        raise DataError(f"{found.name} has columns but no records")
    return found


def _from_csv(data: bytes, path: Path | None, missing: tuple[str, ...], how: dict[str, str | None]) -> SourceFile:
    name = path.name if path is not None else "standard input"
    if how["delimiter"] is None and path is not None and extension(path) == ".tsv":
        how = {**how, "delimiter": "\t"}
    digest = hashlib.sha256(data).hexdigest()
    frame, dialect, lines = read_csv(data, name, missing=missing, **how)
    return SourceFile(frame, path, "csv", digest, dialect, text=frame, lines=lines)
