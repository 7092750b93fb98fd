"""A job is done as one: its files appear together or not at all, whoever looks on, and the auditor is heard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from shoal.auditor import Finding
from shoal.errors import DataError, GuaranteeError
from shoal.giveaways import GiveawayError
from shoal.jobs import Audit, Job, ReportRequest, Watcher, release_file
from shoal.plan import Plan
from shoal.report import Edition
from shoal.report.report_data import ReportData
from shoal.run.release import Release

PLAN = Plan(
    k=3,
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "pay": {"role": "confidential", "kind": "numeric"},
    },
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pl.DataFrame({"age": [*range(20, 32)], "pay": [7 * n % 12 for n in range(12)]}).write_csv(tmp_path / "in.csv")
    return tmp_path


def job(folder: Path, **more: object) -> Job:
    """Return a job for every file that a run may leave."""
    return Job(
        **{
            "source": str(folder / "in.csv"),
            "plan": PLAN,
            "output": str(folder / "out.csv"),
            "manifest": str(folder / "out.manifest.json"),
            "plan_file": str(folder / "plan.toml"),
            "row_map": str(folder / "rows.csv"),
            "model": str(folder / "model.json"),
            "reports": tuple(ReportRequest(each, ("none",), path=str(folder / f"{each}.html")) for each in Edition),
            "private": True,
            **more,
        }
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


FILES = {"out.csv", "out.manifest.json", "plan.toml", "rows.csv", "model.json"}
REPORTS = {"internal.html", "internal.json", "external.html", "external.json"}


class Diary(Watcher):
    """Writes down what it is told, and what stood in the folder then."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lines = folder, list[str]()

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[int, int], object] | None]:
        self.note(name)
        yield None

    def released(self, release: Release, original: object) -> None:
        assert original is not None
        self.note("released")

    def audited(self, findings: Sequence[Finding]) -> None:
        self.note("audited")

    def reported(self, reports: Sequence[ReportData]) -> None:
        self.note("reported")

    def note(self, line: str) -> None:
        """Write a line; nothing has its name yet."""
        assert not (FILES | REPORTS) & names(self.folder)
        self.lines.append(line)


def test_everything_appears_at_the_end(folder: Path) -> None:
    diary = Diary(folder)
    outcome = release_file(job(folder, audit=Audit.TELL), watcher=diary)
    assert diary.lines == [
        "grouping",
        "released",
        "auditing",
        "audited",
        "report_internal",
        "report_external",
        "reported",
    ]
    assert names(folder) == {"in.csv"} | FILES | REPORTS
    assert json.loads((folder / "out.manifest.json").read_text()) == dict(outcome.release.manifest)
    assert [report.edition for report in outcome.reports] == list(Edition)
    assert {finding.holds for finding in outcome.findings} == {True}
    assert pl.read_csv(folder / "out.csv")["age"].to_list() == outcome.release.data["age"].to_list()
    for name in (FILES | REPORTS) - {"out.csv"}:
        assert (folder / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("line", ["grouping", "released", "auditing", "audited", "report_external", "reported"])
def test_nothing_is_left_whenever_somebody_refuses(folder: Path, line: str) -> None:
    class Refusing(Diary):
        def note(self, line_: str) -> None:
            super().note(line_)
            if line_ == line:
                raise DataError("no")

    with pytest.raises(DataError, match="no"):
        release_file(job(folder, audit=Audit.TELL), watcher=Refusing(folder))
    assert names(folder) == {"in.csv"}


def test_the_auditor_is_told_or_obeyed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Finding("k_anonymity", False, "a class of one")
    monkeypatch.setattr("shoal.jobs.local_engine.audit_staged", lambda *_: [broken])
    with pytest.raises(GuaranteeError, match="does not hold what its plan says: k_anonymity; nothing was written"):
        release_file(job(folder, audit=Audit.REQUIRE))
    assert names(folder) == {"in.csv"}
    assert release_file(job(folder, audit=Audit.TELL)).findings == (broken,)
    assert names(folder) > FILES


def test_a_dry_run_reports_and_writes_nothing(folder: Path) -> None:
    requests = (ReportRequest(attacks=("none",)), ReportRequest(path=str(folder / "report.html")))
    outcome = release_file(job(folder, dry_run=True, reports=requests))
    assert len(outcome.reports) == 1
    assert "12 records" in outcome.reports[0].summary.text
    assert names(folder) == {"in.csv"}


def test_a_strict_job_lets_no_warning_pass(folder: Path) -> None:
    pl.DataFrame({"age": range(12), "pay": range(12)}).write_csv(folder / "in.csv")  # rows in the order of a column
    assert release_file(job(folder, dry_run=True, reports=())).release.giveaways
    with pytest.raises(GiveawayError):
        release_file(job(folder, strict=True))
    assert names(folder) == {"in.csv"}


def test_a_job_that_requires_all_takes_no_guarantee_that_was_given_up(folder: Path) -> None:
    given_up = PLAN.replace(method="mic1d", guarantee=False)
    asked = job(folder, plan=given_up, model=None, reports=(), require=True)
    with pytest.raises(GuaranteeError, match="k_anonymity does not hold, and --require asks for it: nothing was writ"):
        release_file(asked)
    assert names(folder) == {"in.csv"}
