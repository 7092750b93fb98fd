"""A release as a file: masked columns anew, all others cell by cell as they came."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.files import Outputs, SourceFile, write
from shoal.plan import Plan
from shoal.run.recoded import recoded_columns
from shoal.run.release import Manifest, Release
from shoal.run.released import changed_columns

ROW_MAP_COLUMNS = ("released_row", "original_row")


def write_release(
    outputs: Outputs,
    release: Release,
    content: Manifest,
    data: SourceFile,
    plan: Plan,
    output: str,
    *,
    escape_formulas: bool = False,
) -> Manifest:
    """Add a released table to the files that are about to appear together.

    Parameters
    ----------
    outputs
        The transaction over files.
    release, content
        What is released, and its manifest so far.
    data, plan
        The file it was made from, as the plan reads it.
    output
        Where it goes.
    escape_formulas
        Write ' before cells of a CSV file that a spreadsheet would run.

    Returns
    -------
    Manifest
        With the fingerprint of what was written.
    """
    # Not so for ``by``, which is part of what was checked: written in two ways, one value would part its records.
    touched = (*changed_columns(plan), *recoded_columns(plan), plan.by, plan.pseudonym_column())
    untouched = [name for name in release.data.columns if name not in touched]
    dropped = len(release.rows) < len(data.frame)
    like = data.take(release.rows) if content["order"]["shuffled"] or dropped else data
    written = write(
        release.data, output, like=like, verbatim=untouched, escape_formulas=escape_formulas, outputs=outputs
    )
    return content.adding(output={**content["output"], "file_sha256": written.sha256})


def row_map_text(rows: NDArray[np.int64]) -> str:
    """Return a row map as CSV; rows are counted from 1, as people do."""
    return pl.DataFrame(dict(zip(ROW_MAP_COLUMNS, (np.arange(len(rows)) + 1, rows + 1), strict=True))).write_csv()
