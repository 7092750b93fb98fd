"""A table that came from a file: the frame, how it was written, and the fingerprint of its bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.files.csv.dialect import Dialect
from shoal.files.csv.parse import guess_kind, parse_columns
from shoal.frames.exact_names import column_of


@dataclass(frozen=True, eq=False)
class Lines:
    """On which line of the file each row starts.

    Most files have one row per line. Where a quoted cell spans lines, or blank lines stand between rows, rows shift:
    from record ``records[i]`` on (0 is the header) by ``shifts[i]`` lines.
    """

    records: NDArray[np.int64]
    shifts: NDArray[np.int64]

    def of(self, row: int) -> int:
        """Return the line (from 1) on which a row (from 0, without the header) starts."""
        last = int(np.searchsorted(self.records, row + 1, side="right")) - 1
        return row + 2 + (int(self.shifts[last]) if last >= 0 else 0)


@dataclass(frozen=True, eq=False)
class Labels:
    """What a Stata or SPSS file says about its columns besides the values."""

    columns: dict[str, str] = field(default_factory=dict)  # variable labels by column
    values: dict[str, dict[Any, str]] = field(default_factory=dict)  # value labels by column: code to label
    formats: dict[str, str] = field(default_factory=dict)  # display formats by column, such as ``%8.2f`` or ``F8.2``
    measures: dict[str, str] = field(default_factory=dict)  # SPSS measurement levels by column: nominal, ordinal, scale
    schema: dict[str, pl.DataType] = field(default_factory=dict)  # the types of the columns as they were read
    file: str = ""  # the label of the file


@dataclass(frozen=True, eq=False, kw_only=True)
class Contents:
    """What a format reads from a file."""

    # the table. Its columns are text until `SourceFile.parse` where a ``dialect`` says how they are written
    frame: pl.DataFrame
    dialect: Dialect | None = None  # how a file of text is written; None for formats that have types
    labels: Labels | None = None  # variable and value labels of a Stata or SPSS file; None for other formats
    text: pl.DataFrame | None = None  # the frame as it stood in a file of text, before parsing; None for other formats
    lines: Lines | None = None  # on which line of a file of text each row starts; None for other formats
    # what the codes of a file of text mean, by column, where a codebook came with it
    codebook: Mapping[str, Mapping[str, str]] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceFile(Contents):
    """The contents of a file, and where they came from."""

    path: Path | None  # where it was read; None for standard input
    name: str  # what to call it in messages and manifests, on one line whatever the name of the file holds
    format: str  # the name of its format
    sha256: str  # of the file's bytes, in hexadecimal

    @property
    def provenance(self) -> dict[str, str]:
        """What a manifest says of the file: its name, its format and the fingerprint of its bytes."""
        return {"file": self.name, "format": self.format, "file_sha256": self.sha256}

    def parse(
        self,
        kinds: Mapping[str, str],
        *,
        date_formats: Mapping[str, str] | None = None,
        missing: Mapping[str, Collection[str]] | None = None,
    ) -> Self:
        """Turn text columns of a CSV file into what a plan declares them to be; other formats have their types.

        Parameters
        ----------
        kinds
            ``numeric``, ``date``, ``ordinal`` or ``nominal`` by column. Columns that are not named stay text.
        date_formats
            strftime formats by column, where they are not to be guessed.
        missing
            Cells that mean "no value" by column, besides empty ones.

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
        parsed = parse_columns(
            self.frame, kinds, self.dialect, line_of=self.line_of, date_formats=date_formats, missing=missing
        )
        return replace(self, frame=parsed.frame, dialect=parsed.dialect)

    def guess_kinds(self, *, missing: Collection[str] = (), rows: NDArray[np.int64] | None = None) -> dict[str, str]:
        """Guess what each text column holds: ``numeric``, ``date`` or ``nominal``; columns with a type are left out.

        Parameters
        ----------
        missing
            Cells that may mean "no value", and are passed over.
        rows
            Those to look at; all if None.
        """
        if self.dialect is None:
            return {}
        text = self.frame.select(pl.col(pl.String))
        looked_at = text if rows is None else text[rows]
        return {name: guess_kind(column_of(looked_at, name), self.dialect, missing) for name in text.columns}

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the contents with their rows in another order; lines are those of the file, and left out."""
        text = None if self.text is None else self.text[rows]
        return replace(self, frame=self.frame[rows], text=text, lines=None)

    def line_of(self, row: int) -> int:
        """Return the line of the CSV file (from 1) on which a row (from 0) starts."""
        if self.lines is None:
            raise DataError(f"{self.name} is not a CSV file: it has no lines")
        return self.lines.of(row)
