"""Make a release with all its evidence: the same functions, files and bytes as ``shoal anonymize``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.charts import ColumnChart, column_chart
from shoal.app.worker import Reporter
from shoal.files import FORMATS, Outputs, SourceFile, target_format
from shoal.files.csv.format import CSV
from shoal.giveaways import file_label, formula_cells
from shoal.plan import Plan
from shoal.report import Edition, collect
from shoal.report.attempts import ALL, NONE
from shoal.report.data import ReportData, RiskyGroup
from shoal.report.summary import Summary
from shoal.run.audit import audit_staged
from shoal.run.pipeline import anonymize
from shoal.run.release import Release
from shoal.run.release_files import row_map_text, write_release
from shoal.run.source import parsed

QUICKLY = "quick"
"""What is tried against a release where nothing is chosen: the attacks that reports try by themselves."""

ATTACKED = (QUICKLY, ALL, NONE)
"""What the page lets people choose."""

ANONYMOUS = "-anonymous"
"""What stands before the ending of a released file."""

MOST_DRAWN = 60
"""Columns whose charts the page itself shows; of those beyond it has the numbers, and the report the charts."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run: for the page; the files are in the folder."""

    release: str
    files: tuple[str, ...]
    guarantees: tuple[dict[str, Any], ...]
    giveaways: tuple[dict[str, Any], ...]
    facts: tuple[tuple[str, float, str, bool], ...]
    summary: Summary
    findings: tuple[tuple[str, bool | None, str], ...]
    records: int
    groups: dict[str, Any]
    shuffled: bool
    sha256: str
    columns: tuple[ColumnChart, ...]
    riskiest: tuple[RiskyGroup, ...]


def make_release(
    bench: Bench,
    report: Reporter,
    source: Source,
    values: dict[str, Any],
    folder: str,
    escape_formulas: bool = False,  # noqa: FBT001, FBT002 - tasks are sent by position
    attacks: str = QUICKLY,
) -> Outcome:
    """Anonymize the table into a folder; nothing appears unless everything does."""
    plan = Plan.from_mapping(values)
    report.stage("reading")
    data = parsed(bench.table(source), plan)
    place = Path(folder)
    name = released_name(data)
    output = str(place / name)
    written_as = target_format(output, like=data)
    beside = (
        *(file_label(data) if written_as.labelled else ()),
        *(formula_cells(data, plan) if written_as.has_formulas and not escape_formulas else ()),
    )
    release = anonymize(data.frame, plan, progress=report.stage("grouping"), giveaways=beside)
    content = release.manifest.adding(input={**release.manifest["input"], **data.provenance})
    findings = []
    with Outputs() as outputs:
        content = write_release(outputs, release, content, data, plan, output, escape_formulas=escape_formulas)
        if written_as.name == CSV.name:
            report.stage("auditing")
            findings = audit_staged(outputs.staged(output), release, data, plan)
        internal = _write_reports(outputs, place, data, replace(release, manifest=content), plan, attacks, report)
        report.stage("drawing_columns")
        columns = tuple(column_chart(each, drawn=i < MOST_DRAWN) for i, each in enumerate(internal.distributions))
        outputs.text(place / "manifest.json", content.to_json(), private=True)
        outputs.text(place / "plan.toml", plan.to_toml(), private=True)
        outputs.text(place / "row-map.csv", row_map_text(release.rows), private=True)
    return Outcome(
        release=name,
        files=tuple(sorted(path.name for path in place.iterdir())),
        guarantees=tuple(release.guarantees.to_list()),
        giveaways=tuple(giveaway.to_dict() for giveaway in release.giveaways),
        facts=tuple((fact.name, fact.value, fact.unit, fact.at_most) for fact in internal.facts),
        summary=internal.summary,
        findings=tuple((finding.name, finding.holds, finding.words) for finding in findings),
        records=len(release.rows),
        groups=dict(content["groups"]),
        shuffled=bool(content["order"]["shuffled"]),
        sha256=content["output"]["file_sha256"],
        columns=columns,
        riskiest=internal.riskiest,
    )


def released_name(data: SourceFile) -> str:
    """Return what the released file is called: as the original, with `ANONYMOUS` before its ending."""
    known = FORMATS[data.format]
    if known.write is None:
        return f"{Path(data.name).stem}{ANONYMOUS}.csv"
    path = Path(data.name)
    ending = "".join(path.suffixes[-2:]) if path.suffix.lower() in (".gz", ".zst") else path.suffix
    return f"{data.name.removesuffix(ending)}{ANONYMOUS}{ending}"


def _write_reports(
    outputs: Outputs, place: Path, data: SourceFile, release: Release, plan: Plan, attacks: str, report: Reporter
) -> ReportData:
    """Write both editions, and return what the internal one tells."""
    reports: dict[Edition, ReportData] = {}
    chosen = None if attacks == QUICKLY else [attacks]
    for edition in Edition:
        progress = report.stage(f"report_{edition.value}")
        found = collect(data.frame, release, plan, edition=edition, name=data.name, attacks=chosen, progress=progress)
        outputs.text(place / f"report-{edition.value}.html", found.to_html(), private=True)
        outputs.text(place / f"report-{edition.value}.json", found.to_json(), private=True)
        reports[edition] = found
    return reports[Edition.INTERNAL]
