"""What Stata and SPSS files share: pyreadstat (an extra) reads and writes them, and what it says becomes a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import OutputError
from shoal.files.display_formats import Clock
from shoal.files.format import Input, Target, not_whole
from shoal.files.labelled import Labels, with_codes, with_labels
from shoal.files.source import Contents
from shoal.frames.exact_names import only_columns

LIBRARY = "pyreadstat"
EXTRA = "stata-spss"


def read_labelled(source: Input, title: str, reader: Callable[..., Any], clock: Clock) -> Contents:
    """Read a file with labels by one of pyreadstat's functions.

    Dates and times are read as the numbers that they are: pyreadstat's own have no place for many of them, and times of
    more than a day begin anew with it.
    """
    import pyreadstat

    try:
        frame, metadata = reader(source.path, output_format="polars", disable_datetime_conversion=True)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        raise not_whole(source.name, title) from None
    typed, labels = with_labels(frame, metadata, clock)
    return Contents(frame=typed, labels=labels)


def write_labelled(
    frame: pl.DataFrame,
    target: Target,
    *,
    name: str,
    title: str,
    reader: Callable[..., Any],
    writer: Callable[..., Any],
    options: Callable[[Labels], dict[str, Any]],
) -> None:
    """Write a file with the labels of the file that was read.

    Parameters
    ----------
    frame
        The table.
    target
        Where to write.
    name, title
        Of the format.
    reader, writer
        pyreadstat's functions for it.
    options
        What this writer takes besides what all take, from the labels that are written.
    """
    import pyreadstat

    coded, labels = with_codes(frame, _labels_for(name, target), target.verbatim)

    def write(frame: pl.DataFrame, label: str) -> None:
        writer(
            frame,
            target.path,
            file_label=label,
            column_labels=_of(frame, labels.columns),
            variable_value_labels=_of(frame, labels.values),
            variable_format=_of(frame, labels.formats),
            **{option: _of(frame, value) for option, value in options(labels).items()},
        )

    try:
        write(coded, labels.file)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        if "write data" in str(error):
            raise OutputError(f"the {title} file cannot be written: is the disk full?") from None
        for column in coded.columns:
            with _said_of(column, title):
                write(only_columns(coded, [column]), "")
        raise OutputError(f"the {title} file cannot be written: {_reason(error)}") from None
    if not _is_whole(target.path, reader, coded):
        raise OutputError(f"the {title} file cannot be written whole: is the disk full?")


def _of(frame: pl.DataFrame, value: Any) -> Any:
    """Return what is said of the columns of a frame; what is not said by column as it is."""
    return {name: said for name, said in value.items() if name in frame.columns} if isinstance(value, dict) else value


@contextmanager
def _said_of(column: str, title: str) -> Iterator[None]:
    """Turn what pyreadstat says of a column inside the block into a sentence that names it."""
    import pyreadstat

    try:
        yield
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise OutputError(f"column {column!r} cannot be written to a {title} file: {_reason(error)}") from None


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
    said = str(error)
    return next((reason for pattern, reason in _REASONS.items() if re.search(pattern, said)), said.lower())


def _labels_for(name: str, target: Target) -> Labels:
    """Keep the labels of the other file, and its display formats where they mean the same."""
    like = target.like
    if like is None or like.labels is None:
        return Labels()
    return like.labels if like.format == name else replace(like.labels, formats={})


def _is_whole(path: Path, reader: Callable[..., Any], frame: pl.DataFrame) -> bool:
    """Read what was written: the writer does not notice a full disk."""
    import pyreadstat

    with suppress(pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        columns, _ = reader(path, output_format="dict", disable_datetime_conversion=True)
        return list(columns) == frame.columns and all(len(cells) == frame.height for cells in columns.values())
    return False
