"""A release as files: masked columns anew, all others cell by cell as they came; whole or not at all."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.file_status import is_special_file
from shoal.files import Outputs, SourceFile, is_address, is_packed, read, target_format, write
from shoal.files.outputs import STDOUT
from shoal.frames import Table
from shoal.giveaways import file_label, formulas_of
from shoal.giveaways.giveaway import Giveaway, as_manifest
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.republish.intersection import NAME as INTERSECTION
from shoal.run.backends import backend_of
from shoal.run.gate import refuse_broken
from shoal.run.release import Guarantees, Manifest, Release

ROW_MAP_COLUMNS = ("released_row", "original_row")


def write_release(
    outputs: Outputs,
    release: Release,
    data: SourceFile | None,
    plan: Plan,
    output: str,
    *,
    escape_formulas: bool = False,
) -> Release:
    """Add a released table to the files that are about to appear together; return it with the fingerprint of its file.

    ``data`` is the file it was made from, as the plan reads it; None where it was made from a frame.
    """
    # Not so for ``by``, which is part of what was checked: written in two ways, one value would part its records.
    touched = (*plan.changed_names(), *plan.recoded_names(), plan.by, plan.pseudonym_column())
    frame = Table.of(release.data).frame.to_polars()
    untouched = [name for name in frame.columns if name not in touched]
    like, content = data, release.manifest
    if data is not None and (content["order"]["shuffled"] or len(release.rows) < len(data.frame)):
        like = data.take(release.rows)
    written = write(frame, output, like=like, verbatim=untouched, escape_formulas=escape_formulas, outputs=outputs)
    content = content.adding(output={**content["output"], "file_sha256": written.sha256})
    return replace(release, manifest=content)


def row_map_text(rows: NDArray[np.int64]) -> str:
    """Return a row map as CSV; rows are counted from 1, as people do."""
    return pl.DataFrame(dict(zip(ROW_MAP_COLUMNS, (np.arange(len(rows)) + 1, rows + 1), strict=True))).write_csv()


def read_row_map(path: str, released: SourceFile) -> NDArray[np.int64]:
    """Read the original position of each released row, from 0; rows of the original that were dropped are not named."""
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


def manifest_beside(release: Path) -> Path:
    """Return where the manifest of a release stands unless told otherwise.

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


def save(
    release: Release,
    path: str | Path,
    *,
    manifest: str | Path | None = None,
    like: SourceFile | None = None,
    escape_formulas: bool = False,
) -> Manifest:
    """Write a release and its manifest as ``shoal anonymize`` does; `Release.save` says what the arguments are."""
    plan = Plan.from_mapping(release.manifest["plan"])
    # A release that leaves too few together with earlier ones is made only by who accepts it, and says so.
    refuse_broken(Guarantees(tuple(each for each in release.guarantees.values() if each.name != INTERSECTION)), plan)
    backend = backend_of(release.data)
    if backend is not None:
        raise DataError(f"the release is a table of {backend.name}, which writes it by itself: use release.data")
    release.require_unchanged()
    output = os.fspath(path)  # which shows nothing of a frame that is given by mistake
    file_format = target_format(output, like=like)
    content = release.manifest
    warnings: list[Giveaway] = []
    if like is not None:
        _require_its_file(like, release, plan)
        content = content.adding(input={**content["input"], **like.provenance})
        warnings += file_label(like) if file_format.labelled else ()
    if file_format.has_formulas and not escape_formulas:
        warnings += formulas_of(Table.of(release.data).frame.to_polars(), plan)
    if warnings:
        earlier = [giveaway for giveaway in release.giveaways if giveaway.name not in {each.name for each in warnings}]
        content = content.adding(**as_manifest((*warnings, *earlier)))
    inputs = [like.path] if like is not None and like.path is not None else []
    with Outputs(inputs=inputs) as outputs:
        evidence = replace(release, manifest=content)
        content = write_release(outputs, evidence, like, plan, output, escape_formulas=escape_formulas).manifest
        beside = manifest_path(output, None if manifest is None else os.fspath(manifest))
        if beside is not None:
            outputs.text(beside, content.to_json(), private="where possible")
    return content


def _require_its_file(like: SourceFile, release: Release, plan: Plan) -> None:
    """Refuse a file that the release was not made from: its cells would be written into rows of others."""
    if not isinstance(like, SourceFile):
        raise DataError(f"like must be a file as shoal.files.read returns it, not a {type(like).__name__}")
    if open_table(like.frame, plan).sha256() != release.manifest["input"]["sha256"]:
        raise DataError(
            f"like is {like.name}, which holds another table than the one that was anonymized: anonymize the frame of "
            "the file itself, or leave like out"
        )
