"""Save: a release and its manifest as files, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import DataError
from shoal.files import Outputs, SourceFile, target_format
from shoal.frames import Table
from shoal.giveaways import file_label, formulas_of
from shoal.giveaways.giveaway import Giveaway, as_manifest
from shoal.plan import Plan
from shoal.plan.missing_cells import open_table
from shoal.republish.intersection import NAME as INTERSECTION
from shoal.run.backends import backend_of
from shoal.run.release import Guarantees, Manifest, Release
from shoal.run.release_files import manifest_path, write_release
from shoal.run.verify import refuse_broken


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
    known = target_format(output, like=like)
    content = release.manifest
    found: list[Giveaway] = []
    if like is not None:
        _require_its_file(like, release, plan)
        content = content.adding(input={**content["input"], **like.provenance})
        found += file_label(like) if known.labelled else ()
    if known.has_formulas and not escape_formulas:
        found += formulas_of(Table.of(release.data).frame.to_polars(), plan)
    if found:
        earlier = [giveaway for giveaway in release.giveaways if giveaway.name not in {each.name for each in found}]
        content = content.adding(**as_manifest((*found, *earlier)))
    inputs = [like.path] if like is not None and like.path is not None else []
    with Outputs(inputs=inputs) as outputs:
        content = write_release(outputs, release, content, like, plan, output, escape_formulas=escape_formulas)
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
