"""Files to files: a release gets its name when its guarantees hold on what was written."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from threading import Event
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from shoal.auditor import Finding
from shoal.errors import GuaranteeError
from shoal.files import Outputs
from shoal.giveaways import as_manifest
from shoal.jobs import Engine, Job, Outcome, Watcher, release_file
from shoal.plan import Plan
from shoal.run.release import Release
from shoal.spark._anonymize import FRAGMENT_SIZE, anonymize, on_disks
from shoal.spark.destination import Destination
from shoal.spark.fields import LOSS, SUBJECT
from shoal.spark.files import format_of, local_path, read, read_back, write
from shoal.spark.giveaways import formula_cells_of
from shoal.spark.judge import judge
from shoal.spark.messages import in_words
from shoal.spark.release import SparkRelease
from shoal.spark.session import followed, interruptible

logger = logging.getLogger("shoal")


@dataclass(frozen=True)
class SparkOptions:
    """How Spark does a job, by the options of `anonymize_files`; ``reading`` are those of its reader of CSV files.

    What was lost is measured wherever there is a report.
    """

    file_format: str | None = None
    fragment_size: int = FRAGMENT_SIZE
    measure: bool = False
    reading: Mapping[str, Any] = field(default_factory=dict)


def anonymize_files(
    session: SparkSession,
    source: str,
    plan: Plan,
    target: str,
    *,
    file_format: str | None = None,
    fragment_size: int = FRAGMENT_SIZE,
    manifest: str | None = None,
    measure: bool = False,
    progress: Callable[[int, int], object] | None = None,
    **how: Any,
) -> SparkRelease:
    """Anonymize a folder or file that Spark reads into a folder that it writes.

    Parameters
    ----------
    session
        Of Spark.
    source, target
        Where the table is, and where the release will be.
    plan
        Every choice of the run.
    file_format
        Of both, where their names do not say.
    fragment_size
        Records of a fragment, about.
    manifest
        Where the manifest goes, if it is written.
    measure
        Whether the manifest tells what was lost.
    progress
        Called now and then with (tasks done, tasks known).
    how
        Options of Spark's reader of CSV files.

    Notes
    -----
    The masked table is written once, under another name, and its guarantees are judged on what is read back from there.
    A subject is no column of a release: there k is judged on the table that was written, with its subjects, and the
    classes of what was read back must be the same.
    """
    job = Job(source=source, plan=plan, output=target, manifest=manifest)
    options = SparkOptions(file_format, fragment_size, measure, how)
    release = release_on_spark(session, job, options, progress=progress).release
    assert isinstance(release, SparkRelease)
    return release


def release_on_spark(
    session: SparkSession,
    job: Job,
    options: SparkOptions,
    *,
    watcher: Watcher | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Let Spark do a job; an interrupt waits until nothing is left of what is not finished."""

    def work(stopped: Event) -> Outcome:
        cluster = _Cluster(session, job, options, stopped)
        with in_words(), followed(session, progress):
            outcome = release_file(job, engine=cluster, watcher=watcher)
        return replace(outcome, release=replace(outcome.release, data=cluster.read_back()))

    return interruptible(session, work)


def check_files(job: Job, outputs: Outputs) -> None:
    """Refuse files of this machine that could not be written beside a release."""
    here = None if job.manifest is None else local_path(job.manifest)
    if here is not None:
        outputs.check(str(here), option="--manifest")
    for path in (path for request in job.reports for path in request.files):
        outputs.check(path, option="--report")


class _Cluster(Engine):
    """Does a job on a cluster: the table is written under a name that is not final, and judged as it was written."""

    original = None  # which stays where Spark reads it

    def __init__(self, session: SparkSession, job: Job, options: SparkOptions, stopped: Event) -> None:
        assert isinstance(job.source, str), "Spark reads the table by itself"
        self._session, self._job, self._options, self._stopped = session, job, options, stopped
        self._source = job.source
        self._measures = options.measure or bool(job.reports)
        self._destination = Destination(session, job.output)
        self._written: DataFrame  # the table as it was read from where it was written
        self._subjects: DataFrame | None = None

    @property
    def name(self) -> str:
        """What reports call the table."""
        return PurePosixPath(self._source).name

    def check(self, outputs: Outputs) -> None:
        """Refuse names that are taken, and a table that cannot be read."""
        self._destination.check(self._job.manifest)
        check_files(self._job, outputs)
        how = {"file_format": format_of(self._source, self._options.file_format), **self._options.reading}
        self._frame = read(self._session, self._source, self._job.plan, **how)
        self._file_format = format_of(self._job.output, self._options.file_format)

    @contextmanager
    def transaction(self, outputs: Outputs) -> Iterator[None]:
        """Give the release its name at the end; the files of this machine appear after it, or take that back."""
        try:
            with outputs:
                self._destination.prepare()
                yield
                if self._stopped.is_set():
                    raise KeyboardInterrupt
                self._destination.finish()
        except BaseException:
            self._destination.discard()
            raise
        finally:
            if self._subjects is not None:
                self._subjects.unpersist()

    def anonymize(self, watcher: Watcher) -> SparkRelease:
        """Mask the table, write it, and judge what was written."""
        plan, size = self._job.plan, self._options.fragment_size
        release = anonymize(self._frame, plan, fragment_size=size, measure=self._measures, settle=self._write)
        if plan.subject_column() is not None or self._measures:
            verdict = judge(self._written, plan.replace(subject="record", keep_subject=None), {})
            if verdict.groups != release.manifest["groups"]:
                raise GuaranteeError("what was written has other classes than what was judged: nothing was released")
        if self._file_format != "csv":
            return release
        formulas = formula_cells_of(self._written, plan, release.manifest["output"]["rows"])
        return replace(release, manifest=release.manifest.adding(**as_manifest((*release.giveaways, *formulas))))

    def stage(self, outputs: Outputs, release: Release) -> Release:
        """Return the release as it is: the table was written to be judged."""
        return release

    def audit(self, outputs: Outputs, release: Release) -> list[Finding]:
        """Return nothing: the auditor reads one file of text."""
        return []

    def _write(self, frame: DataFrame) -> DataFrame:
        """Return the table as it was written, or the one it was written from where that has subjects."""
        more = {SUBJECT, LOSS}.intersection(frame.columns)
        settled = frame
        if more:
            settled = self._subjects = on_disks(frame)
        self._written = write(settled.drop(*more), self._destination.unfinished, file_format=self._file_format)
        logger.info("Spark judges what it wrote")
        return settled if more else self._written

    def stage_manifest(self, outputs: Outputs, path: str, text: str) -> None:
        """Write the manifest where it goes, on this machine or beside the release."""
        self._destination.stage_text(outputs, path, text)

    def read_back(self) -> DataFrame:
        """Return the released table from where it is."""
        return read_back(self._written, self._destination.path, file_format=self._file_format)
