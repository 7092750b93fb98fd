"""What Stata and SPSS files share: pyreadstat (an extra) reads and writes them, and what it says becomes a sentence."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import OutputError
from shoal.files.format import Input, Target, not_whole
from shoal.files.labelled import Labels, with_codes, with_labels
from shoal.files.source import Contents

LIBRARY = "pyreadstat"
EXTRA = "stata-spss"


def read_labelled(source: Input, title: str, reader: Callable[..., Any]) -> Contents:
    """Read a file with labels by one of pyreadstat's functions."""
    import pyreadstat

    try:
        frame, metadata = reader(source.path, output_format="polars")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError):
        raise not_whole(source.name, title) from None
    typed, labels = with_labels(frame, metadata)
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
    try:
        writer(
            coded,
            target.path,
            file_label=labels.file,
            column_labels=labels.columns,
            variable_value_labels=labels.values,
            variable_format=labels.formats,
            **options(labels),
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        # These speak of names and of the format, never of cells.
        reason = "is the disk full?" if "write data" in str(error) else str(error)
        raise OutputError(f"the {title} file cannot be written: {reason}") from None
    if not _is_whole(target.path, reader, coded):
        raise OutputError(f"the {title} file cannot be written whole: is the disk full?")


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
        columns, _ = reader(path, output_format="dict")
        return list(columns) == frame.columns and all(len(cells) == frame.height for cells in columns.values())
    return False
