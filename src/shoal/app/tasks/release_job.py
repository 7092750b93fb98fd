"""Make a release with all its evidence: the same functions, files and bytes as ``shoal anonymize``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.app.figures import ColumnChart, column_chart
from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.auditor import Finding
from shoal.files import FORMATS, SourceFile, target_format
from shoal.files.csv_format import CSV
from shoal.jobs import Audit, Job, ReportRequest, Watcher, release_file
from shoal.plan import Plan
from shoal.report import Edition
from shoal.report.attempts import ALL, NONE
from shoal.report.report_data import Fact, ReportData, RiskyGroup
from shoal.report.summary import Summary

QUICKLY = "quick"
"""What is tried against a release where nothing is chosen: the attacks that reports try by themselves."""

ATTACKED = (QUICKLY, ALL, NONE)
"""What the page lets people choose."""

ANONYMOUS = "-anonymous"
"""What stands before the ending of a released file."""

MOST_DRAWN = 60
"""Columns whose charts the page itself shows; of those beyond it has the numbers, and the report the charts."""


@dataclass(frozen=True)
class ReleaseChoices:
    """What a person chooses beside the plan: whether formulas are written as text, and what the reports try."""

    escape_formulas: bool = False
    attacks: str = QUICKLY


@dataclass(frozen=True)
class Outcome:
    """What came of a run: for the page; the files are in the folder."""

    release: str
    files: tuple[str, ...]
    giveaways: tuple[dict[str, Any], ...]
    facts: tuple[Fact, ...]
    summary: Summary
    riskiest: tuple[RiskyGroup, ...]
    findings: tuple[Finding, ...]
    records: int
    groups: dict[str, Any]
    shuffled: bool
    columns: tuple[ColumnChart, ...]


class _Page(Watcher):
    """Tells the page how far a job is, and draws the columns before anything appears."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.columns: tuple[ColumnChart, ...] = ()

    def stage(self, name: str) -> AbstractContextManager[Callable[[int, int], object] | None]:
        return nullcontext(self._reporter.stage(name))

    def reported(self, reports: Sequence[ReportData]) -> None:
        self._reporter.stage("drawing_columns")
        distributions = reports[0].distributions
        self.columns = tuple(column_chart(each, drawn=i < MOST_DRAWN) for i, each in enumerate(distributions))


def make_release(
    bench: Bench,
    report: Reporter,
    source: Source,
    values: dict[str, Any],
    folder: str,
    choices: ReleaseChoices = ReleaseChoices(),
) -> Outcome:
    """Anonymize the table into a folder; nothing appears unless everything does."""
    plan = Plan.from_mapping(values)
    report.stage("reading")
    data = bench.table(source)
    place, name = Path(folder), released_name(data)
    attacks = None if choices.attacks == QUICKLY else (choices.attacks,)
    is_text = target_format(name, like=data).name == CSV.name
    job = Job(
        source=data,
        plan=plan,
        output=str(place / name),
        manifest=str(place / "manifest.json"),
        plan_file=str(place / "plan.toml"),
        reports=tuple(
            ReportRequest(edition, attacks, path=str(place / f"report-{edition.value}.html")) for edition in Edition
        ),
        row_map=str(place / "row-map.csv"),
        escape_formulas=choices.escape_formulas,
        audit=Audit.TELL if is_text else Audit.NONE,
        private=True,
    )
    page = _Page(report)
    made = release_file(job, watcher=page)
    release, internal = made.release, made.reports[0]
    return Outcome(
        release=name,
        files=tuple(sorted(path.name for path in place.iterdir())),
        giveaways=tuple(giveaway.to_dict() for giveaway in release.giveaways),
        facts=internal.facts,
        summary=internal.summary,
        riskiest=internal.riskiest,
        findings=made.findings,
        records=len(release.rows),
        groups=dict(release.manifest["groups"]),
        shuffled=bool(release.manifest["order"]["shuffled"]),
        columns=page.columns,
    )


def released_name(data: SourceFile) -> str:
    """Return what the released file is called: as the original, with `ANONYMOUS` before its ending."""
    known = FORMATS[data.format]
    if known.write is None:
        return f"{Path(data.name).stem}{ANONYMOUS}.csv"
    path = Path(data.name)
    ending = "".join(path.suffixes[-2:]) if path.suffix.lower() in (".gz", ".zst") else path.suffix
    return f"{data.name.removesuffix(ending)}{ANONYMOUS}{ending}"
