"""A job done on this machine, in memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.auditor import Finding
from shoal.errors import OutputError, PlanError
from shoal.files import Address, Outputs, SourceFile, is_address, read, target_format
from shoal.files._write import require_place, writable_format
from shoal.files.csv_format import CSV
from shoal.files.database import database_of
from shoal.files.private import Privacy
from shoal.giveaways import file_label, formulas_of
from shoal.jobs.earlier_files import read_earlier
from shoal.jobs.job import Audit, Job, Watcher
from shoal.jobs.keys import Key, read_keys
from shoal.masking.attribute_blocks import require_groups
from shoal.republish.earlier_release import Earlier
from shoal.run.audit import audit_staged
from shoal.run.model import Model
from shoal.run.pipeline import anonymize
from shoal.run.release import Release
from shoal.run.saved_release import row_map_text, write_release
from shoal.run.source_parsing import parsed
from shoal.signature import require_key


class LocalEngine:
    """Does a job in the memory of this machine."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._source = read(job.source) if isinstance(job.source, str) else job.source
        self._keys: dict[str, Key] = {}
        self._earlier: tuple[Earlier, ...] = ()

    @property
    def name(self) -> str:
        """What reports call the table."""
        return self._source.name

    @property
    def original(self) -> Any:
        """The table as the plan reads it."""
        return self._table.frame

    @property
    def private_files(self) -> dict[str, str]:
        """The files that undo the release and are to be written, by the options that name them."""
        job, there = self._job, [key.path for key in self._keys.values() if not key.is_new]
        named = {"--row-map": job.row_map, "--key-file": job.key_file, "--remember": job.remember, "--model": job.model}
        return {option: file for option, file in named.items() if file is not None and file not in there}

    @cached_property
    def _table(self) -> SourceFile:
        return parsed(self._source, self._job.plan)

    def check(self, outputs: Outputs) -> None:
        """Refuse what could not be signed, audited or written, before the work."""
        job = self._job
        if job.sign is not None:
            require_key(job.sign)
            if job.manifest is None:
                raise PlanError("--sign signs the manifest, and none is written: name a file with --manifest")
        if job.audit is Audit.REQUIRE:
            written_as = target_format(job.output, like=self._source)
            if written_as.name != CSV.name:
                raise PlanError(
                    f"--verify reads the release as text, and {written_as.title} is none: name a CSV file, or leave it "
                    "out"
                )
            if job.dry_run:
                raise PlanError("--verify judges what was written, and --dry-run writes nothing: leave one of them out")
        leaves_formulas(job.output, self._source, escape=job.escape_formulas)
        if job.model is not None:
            require_groups(job.plan)
        self._keys = read_keys(job.plan, job.key_file, job.remember)
        if not job.dry_run:
            self._check_outputs(outputs)
        self._earlier = read_earlier(job.after, self._source, job.plan)

    def _check_outputs(self, outputs: Outputs) -> None:
        """Refuse what could not be written at the end of a long run."""
        job = self._job
        file_format, dropped = writable_format(job.output, like=self._source), job.plan.dropped_names()
        schema = self._source.frame.schema
        require_place({name: dtype for name, dtype in schema.items() if name not in dropped}, file_format)
        if is_address(job.output):
            address = Address.parse(job.output)
            database_of(address).check(address)
            outputs.take(database_of(address).places(address), address.name)
        else:
            outputs.check(job.output, option="--output")
        if job.manifest is not None:
            outputs.check(job.manifest, option="--manifest")
        for path in (path for request in job.reports for path in request.files):
            outputs.check(path, option="--report")
        for option, target in self.private_files.items():
            outputs.check(target, private=True, option=option)
            beside = Path(target).resolve().parent == Path(job.output).resolve().parent
            if beside and not job.private and outputs.is_private(job.output):
                raise OutputError(
                    f"{option} {target} would stand beside the release with the same permissions, and whoever gets the "
                    "folder could undo the release by it: choose another folder for it"
                )

    def transaction(self, outputs: Outputs) -> AbstractContextManager[object]:
        """Return the outputs themselves: all of them are files or databases."""
        return outputs

    def anonymize(self, watcher: Watcher) -> Release:
        """Run the pipeline on the table."""
        job, table = self._job, self._table
        written_as = target_format(job.output, like=table)
        giveaways = (
            *(file_label(table) if written_as.labelled else ()),
            *(formulas_of(table.frame, job.plan) if written_as.has_formulas and not job.escape_formulas else ()),
        )
        previous = None if job.previous is None else Model.load(job.previous)
        secrets = {option: key.secret for option, key in self._keys.items()}
        with watcher.stage("grouping") as progress:
            release = anonymize(
                table.frame,
                job.plan,
                after=self._earlier,
                after_anyway=job.after_anyway,
                previous=previous,
                remember=secrets.get("--remember"),
                hold_back=job.hold_back,
                key=secrets.get("--key-file"),
                progress=progress,
                strict=job.strict,
                giveaways=giveaways,
            )
        manifest = release.manifest
        return replace(release, manifest=manifest.adding(input={**manifest["input"], **table.provenance}))

    def stage(self, outputs: Outputs, release: Release) -> Release:
        """Write the table, and what undoes it for its owner alone: row map, new keys, model."""
        job = self._job
        escape = job.escape_formulas
        release = write_release(outputs, release, self._table, job.plan, job.output, escape_formulas=escape)
        if job.row_map is not None:
            outputs.text(job.row_map, row_map_text(release.rows), private=True)
        for key in self._keys.values():
            if key.is_new:
                outputs.text(key.path, f"{key.secret.hex()}\n", private=True, new=True)  # one file for both is refused
        if job.model is not None:
            outputs.text(job.model, release.model.to_json(), private=True)
        return release

    def audit(self, outputs: Outputs, release: Release) -> list[Finding]:
        """Judge the file by its plan and, where k counts subjects, by the original."""
        return audit_staged(outputs.staged(self._job.output), release, self._table, self._job.plan)

    def stage_manifest(self, outputs: Outputs, path: str, text: str) -> None:
        """Write the manifest under a temporary name, for its owner alone where that is possible."""
        private: Privacy = True if self._job.private else "where possible"
        outputs.text(path, text, private=private)


def leaves_formulas(output: str, data: SourceFile, *, escape: bool) -> bool:
    """Whether a spreadsheet would run cells of an output as they leave; escaping where it would not is refused."""
    takes = target_format(output, like=data).has_formulas
    if escape and not takes:
        raise PlanError("--escape-formulas is for CSV files: no spreadsheet takes cells of others for formulas")
    return takes and not escape
