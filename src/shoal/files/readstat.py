"""Stata, SPSS and SAS files: pyreadstat (an extra) reads and writes them, and what it says becomes a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import OutputError
from shoal.files.display_formats import SAS_CLOCK, SPSS_CLOCK, STATA_CLOCK, Clock
from shoal.files.format import Format, Input, Target, not_whole
from shoal.files.source_file import Contents, Labels
from shoal.files.value_labels import whole_numbers, with_codes, with_labels
from shoal.frames.exact_names import column_of, only_columns, with_columns_of

_STATA_VERSION = 14  # the first with UTF-8; read by every Stata since 2015
_STATA_TIME = b"<timestamp>\x11"
_PACKED_SPSS = ".zsav"
_SAS_TRANSPORT = ".xpt"


def _read_sas(source: Input) -> Contents:
    reader = "read_xport" if source.ending == _SAS_TRANSPORT else "read_sas7bdat"
    contents = _read(source, title="SAS", reader=reader, clock=SAS_CLOCK)
    # SAS has one type for all numbers: whole ones are told by their values.
    frame = contents.frame
    numbers = {name: whole_numbers(column_of(frame, name)) for name in frame.columns}
    return replace(contents, frame=with_columns_of(frame, numbers))


def _read(source: Input, *, title: str, reader: str, clock: Clock) -> Contents:
    """Read a file with labels by one of pyreadstat's functions.

    Dates and times are read as the numbers that they are: pyreadstat's own have no place for many of them, and times of
    more than a day begin anew with it.
    """
    import pyreadstat

    try:
        frame, metadata = getattr(pyreadstat, reader)(
            source.path, output_format="polars", disable_datetime_conversion=True
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        raise not_whole(source.name, title) from None
    return with_labels(frame, metadata, clock)


def _write_stata(frame: pl.DataFrame, target: Target) -> None:
    _Writer(STATA, "dta", lambda labels: {"version": _STATA_VERSION}).write(frame, target)
    with target.path.open("r+b") as file:  # with another time of writing, the same table would give other bytes
        place = file.read(1 << 10).find(_STATA_TIME)
        if place >= 0:
            file.seek(place + len(_STATA_TIME))
            file.write(b"01 Jan 1970 00:00")


def _write_spss(frame: pl.DataFrame, target: Target) -> None:
    packed = target.ending == _PACKED_SPSS
    writer = _Writer(SPSS, "sav", lambda labels: {"compress": packed, "variable_measure": labels.measures})
    writer.write(frame, target)
    with target.path.open("r+b") as file:  # the same
        file.seek(92)  # the header has its date and time in fixed places
        file.write(b"01 Jan 7000:00:00")


@dataclass(frozen=True)
class _Writer:
    """Writes files with the labels of the file that was read, by pyreadstat's functions for a format."""

    format: Format
    suffix: str  # of the names of these functions
    options: Callable[[Labels], dict[str, Any]]  # what this format takes besides what all take

    def write(self, frame: pl.DataFrame, target: Target) -> None:
        """Write a table; raise an OutputError that names the column which the format has no place for."""
        import pyreadstat

        like = target.like
        labels = Labels() if like is None or like.labels is None else like.labels
        if like is not None and like.format != self.format.name:
            labels = replace(labels, formats={})  # display formats mean something else there
        table = with_codes(frame, labels, target.verbatim)
        assert table.labels is not None, "with_codes gives them"
        coded, labels, title = table.frame, table.labels, self.format.title
        try:
            self._write(coded, labels, target.path)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            if "write data" in str(error):
                raise OutputError(f"the {title} file cannot be written: is the disk full?") from None
            for column in coded.columns:
                try:
                    self._write(only_columns(coded, [column]), replace(labels, file=""), target.path)
                except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as refusal:
                    why = _reason(refusal)
                    raise OutputError(f"column {column!r} cannot be written to a {title} file: {why}") from None
            raise OutputError(f"the {title} file cannot be written: {_reason(error)}") from None
        if not self._is_whole(target.path, coded):
            raise OutputError(f"the {title} file cannot be written whole: is the disk full?")

    def _write(self, frame: pl.DataFrame, labels: Labels, path: Path) -> None:
        import pyreadstat

        getattr(pyreadstat, f"write_{self.suffix}")(
            frame,
            path,
            file_label=labels.file,
            column_labels=_of(frame, labels.columns),
            variable_value_labels=_of(frame, labels.values),
            variable_format=_of(frame, labels.formats),
            **{option: _of(frame, value) for option, value in self.options(labels).items()},
        )

    def _is_whole(self, path: Path, frame: pl.DataFrame) -> bool:
        """Read what was written: the writer does not notice a full disk."""
        import pyreadstat

        with suppress(pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
            read = getattr(pyreadstat, f"read_{self.suffix}")
            columns, _ = read(path, output_format="dict", disable_datetime_conversion=True)
            return list(columns) == frame.columns and all(len(cells) == frame.height for cells in columns.values())
        return False


def _of(frame: pl.DataFrame, value: Any) -> Any:
    """Return what is said of the columns of a frame; what is not said by column as it is."""
    return {name: words for name, words in value.items() if name in frame.columns} if isinstance(value, dict) else value


_REASONS = {
    r"name.*(begins|starts) with": "its name must begin with a letter: rename it",
    r"name.*contains a space": "its name contains a space: rename it",
    r"name.*contains": "its name has a character that the format does not take: rename it",
    r"name.*reserved": "its name is a word that the format keeps for itself: rename it",
    r"name.*too long": "its name is longer than the format takes: rename it",
    r"name.*empty": "it has no name: give it one",
    r"label is too long": "its label is longer than the format takes: shorten it",
    r"outside the range": "it has a number that the format does not hold: write csv or parquet",
    r"string": "it has a text that is longer than the format holds: write csv or parquet",
}
"""What is wrong with a column, by how pyreadstat says it, which speaks of names and of the format, never of cells."""


def _reason(error: Exception) -> str:
    text = str(error)
    return next((reason for pattern, reason in _REASONS.items() if re.search(pattern, text)), text.lower())


STATA = Format(
    name="stata",
    title="Stata",
    endings=(".dta",),
    keeps="types, variable labels, value labels, formats",
    read=partial(_read, title="Stata", reader="read_dta", clock=STATA_CLOCK),
    write=_write_stata,
    binary=True,
    labelled=True,
    library="pyreadstat",
    extra="stata-spss",
)

SPSS = replace(
    STATA,
    name="spss",
    title="SPSS",
    endings=(".sav", _PACKED_SPSS),
    keeps="variable labels, value labels, formats, measurement levels",
    read=partial(_read, title="SPSS", reader="read_sav", clock=SPSS_CLOCK),
    write=_write_spss,
)

SAS = replace(
    STATA,
    name="sas",
    title="SAS",
    endings=(".sas7bdat", _SAS_TRANSPORT),
    keeps="read only; variable labels where Stata or SPSS is written",
    read=_read_sas,
    write=None,
)
