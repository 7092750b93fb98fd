"""A job: what is released, by which plan, and every file that shall appear; who does it, and who looks on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from shoal.auditor import Finding
from shoal.files import Outputs, SourceFile
from shoal.jobs.earlier_files import EarlierFiles
from shoal.plan import Plan
from shoal.report import Edition
from shoal.report.report_data import ReportData
from shoal.report.report_files import report_paths
from shoal.run.release import Release


class Audit(Enum):
    """Whether the auditor judges the CSV file that was written, before it gets its name."""

    NONE = "none"
    TELL = "tell"
    REQUIRE = "require"


@dataclass(frozen=True)
class ReportRequest:
    """A report to make of the release."""

    edition: Edition = Edition.INTERNAL
    attacks: tuple[str, ...] | None = None  # what is tried against the release; the quick ones if None
    certificate: bool = False  # prove how far the loss is from the best possible
    path: str | None = None  # where its page goes; None where it is collected, and written nowhere

    @property
    def files(self) -> tuple[str, ...]:
        """Where it goes: the page, and the JSON beside it."""
        return () if self.path is None else report_paths(self.path)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A release to make of a table: what is read, where everything goes (None: nowhere), and what is refused."""

    source: SourceFile | str  # the name of its file, or the file as it was read
    plan: Plan
    output: str
    manifest: str | None = None
    plan_file: str | None = None
    reports: tuple[ReportRequest, ...] = ()
    row_map: str | None = None
    model: str | None = None
    # key_file, remember: the keys of pseudonyms and of the model's memory, which are made if they are not there
    key_file: str | None = None
    remember: str | None = None
    previous: str | None = None  # the model of the last release of a table that has grown since
    hold_back: bool = False  # leave out who could be told by a difference from that release
    after: tuple[EarlierFiles, ...] = ()  # earlier releases of the same table
    after_anyway: bool = False  # release although fewer than k are left together with them
    escape_formulas: bool = False  # write ' before cells of a CSV file that a spreadsheet would run
    sign: str | None = None  # the private key that signs the manifest
    audit: Audit = Audit.NONE
    strict: bool = False  # release nothing that would be warned of
    require: bool = False  # release nothing that leaves a guarantee open, given up or not
    private: bool = False  # every file beside the release is for its owner alone, wherever it goes
    dry_run: bool = False  # do everything but write
    printed: Sequence[str] = ()  # options that ask for something on standard output, which then takes no file

    @property
    def later_inputs(self) -> list[str]:
        """What is read only after the outputs were checked, and must not be overwritten either."""
        earlier = (path for files in self.after for path in files.paths)
        return [*([] if self.previous is None else [self.previous]), *earlier]


class Watcher:
    """Looks on while a job is done; this one says nothing.

    What a method raises ends the job, and leaves nothing behind.
    """

    def stage(self, name: str) -> AbstractContextManager[Callable[[int, int], object] | None]:
        """Return a block during which a stage runs, with what is called with (done, total) if anything.

        Stages are ``grouping``, ``auditing`` and, for each report, ``report_`` with its edition.
        """
        return nullcontext()

    def released(self, release: Release, original: Any) -> None:
        """Take notice of a release of which nothing was written yet, and of the original where it is at hand."""

    def audited(self, findings: Sequence[Finding]) -> None:
        """Take notice of what the auditor found, before it is acted upon."""

    def reported(self, reports: Sequence[ReportData]) -> None:
        """Take notice of the reports, when everything is ready to appear."""


class Engine(Protocol):
    """Where the work of a job is done."""

    @property
    def name(self) -> str:
        """What reports call the table."""

    @property
    def original(self) -> Any:
        """The table, None where it is not at hand."""

    def check(self, outputs: Outputs) -> None:
        """Refuse what could not be done or written, before the work."""

    def transaction(self, outputs: Outputs) -> AbstractContextManager[object]:
        """Return the block at whose end the release and the other outputs appear together, or not at all."""

    def anonymize(self, watcher: Watcher) -> Release:
        """Return the release, its manifest saying where the table came from."""

    def stage(self, outputs: Outputs, release: Release) -> Release:
        """Add the table, and what undoes it, to what is about to appear; return it with the fingerprint of its file."""

    def audit(self, outputs: Outputs, release: Release) -> list[Finding]:
        """Let the auditor judge the file that is about to appear, if it is one of text."""

    def stage_manifest(self, outputs: Outputs, path: str, text: str) -> None:
        """Add the manifest to what is about to appear."""
