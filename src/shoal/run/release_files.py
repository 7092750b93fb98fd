"""A release as a file: masked columns anew, all others cell by cell as they came."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.file_status import is_special_file
from shoal.files import Outputs, SourceFile, is_address, is_packed, write
from shoal.files.output import STDOUT
from shoal.frames import Table
from shoal.plan import Plan
from shoal.run.release import Manifest, Release

ROW_MAP_COLUMNS = ("released_row", "original_row")


def write_release(
    outputs: Outputs,
    release: Release,
    content: Manifest,
    data: SourceFile | None,
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
        The file it was made from, as the plan reads it; None where it was made from a frame.
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
    touched = (*plan.changed_names(), *plan.recoded_names(), plan.by, plan.pseudonym_column())
    frame = Table.of(release.data).frame.to_polars()
    untouched = [name for name in frame.columns if name not in touched]
    like = data
    if data is not None and (content["order"]["shuffled"] or len(release.rows) < len(data.frame)):
        like = data.take(release.rows)
    written = write(frame, output, like=like, verbatim=untouched, escape_formulas=escape_formulas, outputs=outputs)
    return content.adding(output={**content["output"], "file_sha256": written.sha256})


def row_map_text(rows: NDArray[np.int64]) -> str:
    """Return a row map as CSV; rows are counted from 1, as people do."""
    return pl.DataFrame(dict(zip(ROW_MAP_COLUMNS, (np.arange(len(rows)) + 1, rows + 1), strict=True))).write_csv()


def manifest_beside(release: Path) -> Path:
    """Return where the manifest of a release stands unless told otherwise.

    Examples
    --------
    >>> manifest_beside(Path("out.2024.csv.gz")).name
    'out.2024.manifest.json'
    """
    named = release.with_suffix("") if is_packed(release) else release
    return release.with_name(f"{named.stem}.manifest.json")


def manifest_path(output: str, manifest: str | None) -> str | None:
    """Return where the manifest goes: where it is told to, else beside a file; None where nobody says it.

    A pipe or a device has no place beside it: that of a process substitution is the list of open files.
    """
    path = Path(output)
    if manifest is not None or output == STDOUT or is_address(output) or not path.name or is_special_file(path):
        return manifest
    return str(manifest_beside(path))
