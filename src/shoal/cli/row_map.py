"""The row map: which original row each released row was, in a file that only its owner can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.files import Outputs, SourceFile, read
from shoal.reading import note_read
from shoal.run.release_files import ROW_MAP_COLUMNS, manifest_beside, row_map_text

ByKey = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Match records by this column instead of by row order.")
]
RowMap = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Match records by the row map that `shoal anonymize --row-map` wrote for the release."
    ),
]
"""How a command that compares two tables is told which of their records belong together: `matched_rows` reads both."""


def write_row_map(outputs: Outputs, target: str, rows: NDArray[np.int64]) -> None:
    """Add a row map to the files that are about to appear together."""
    outputs.text(target, row_map_text(rows), private=True)


def read_row_map(path: str, released: SourceFile) -> NDArray[np.int64]:
    """Read the original position of each released row, from 0; rows of the original that were dropped are not named.

    Raises
    ------
    DataError
        It is no row map, or the map of another release.
    """
    frame = read(path, format="csv").frame
    if frame.columns != list(ROW_MAP_COLUMNS):
        raise DataError(f"{path} is no row map: its columns must be {' and '.join(ROW_MAP_COLUMNS)}")
    numbers = frame.select(pl.all().cast(pl.Int64, strict=False))
    rows = np.arange(len(released.frame)) + 1
    named = numbers["original_row"]
    complete = len(numbers) == len(rows) and np.array_equal(numbers["released_row"].sort().to_numpy(), rows)
    if not complete or named.null_count() or named.n_unique() < len(rows) or (named < 1).any():
        raise DataError(
            f"{path} must name each of the {len(rows)} rows of {released.name} and of the original once: is it the row "
            "map of another release?"
        )
    return numbers.sort("released_row")["original_row"].to_numpy() - 1


def matched_rows(released: SourceFile, row_map: str | None, by_key: str | None) -> NDArray[np.int64] | None:
    """Return where the rows of a release come from, None where nobody says; refuse to guess where they were shuffled.

    Parameters
    ----------
    released
        The table after.
    row_map, by_key
        What was said of how rows belong together.

    Raises
    ------
    PlanError
        Records cannot be matched in two ways at once.
    DataError
        The manifest beside the release says that its rows were shuffled, and nothing says how.
    """
    manifest = None if released.path is None else manifest_beside(released.path)
    if manifest is not None:
        note_read(manifest)  # also where it is not asked: a report must not take its place
    if row_map is not None:
        if by_key is not None:
            raise PlanError("--row-map and --by-key both say which records belong together: give one of them")
        return read_row_map(row_map, released)
    if by_key is None and manifest is not None and _was_shuffled(manifest):
        raise DataError(
            f"the rows of {released.name} were shuffled, as {manifest.name} beside it says, and do not stand as in "
            "the original: give --row-map the file that `shoal anonymize --row-map` wrote, or --by-key a column"
        )
    return None


def _was_shuffled(manifest: Path) -> bool:
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        return bool(content["order"]["shuffled"])
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return False  # there is none, or it is not shoal's
