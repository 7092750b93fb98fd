"""Save: a release and its manifest as files, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import DataError
from shoal.files import Outputs, SourceFile, target_format
from shoal.frames import Table
from shoal.plan import Plan
from shoal.run.backends import backend_of
from shoal.run.giveaways import formulas_of
from shoal.run.giveaways.giveaway import as_manifest
from shoal.run.release import Manifest, Release
from shoal.run.verify import refuse_broken
from shoal.run.written import manifest_path, write_release


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
    refuse_broken(release.guarantees, plan)
    backend = backend_of(release.data)
    if backend is not None:
        raise DataError(f"the release is a table of {backend.name}, which writes it by itself: use release.data")
    output = str(path)
    known = target_format(output, like=like)
    content = release.manifest
    if like is not None:
        content = content.adding(input={**content["input"], "file": like.name, "file_sha256": like.sha256})
    if known.has_formulas and not escape_formulas:
        found = tuple(formulas_of(Table.of(release.data).frame.to_polars(), plan))
        told = [giveaway for giveaway in release.giveaways if giveaway.name not in {each.name for each in found}]
        content = content.adding(**as_manifest((*found, *told)))
    inputs = [like.path] if like is not None and like.path is not None else []
    with Outputs(inputs=inputs) as outputs:
        content = write_release(outputs, release, content, like, plan, output, escape_formulas=escape_formulas)
        beside = manifest_path(output, None if manifest is None else str(manifest))
        if beside is not None:
            outputs.text(beside, content.to_json(), private="where possible")
    return content
