"""Read, run, write, audit, sign, report: a release of a file, all of whose files appear together or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.auditor import Finding
from shoal.errors import GuaranteeError
from shoal.files import Outputs
from shoal.giveaways import refuse_giveaways
from shoal.jobs.job import Audit, Engine, Job, ReportRequest, Watcher
from shoal.jobs.local_engine import LocalEngine
from shoal.report import collect
from shoal.report.report_data import ReportData
from shoal.report.report_files import report_paths, stage_report
from shoal.run.audit import require_findings
from shoal.run.release import Guarantees, Release
from shoal.signature import sign


@dataclass(frozen=True)
class Outcome:
    """What came of a job: the release, its manifest as it was written; the reports; what the auditor found."""

    release: Release
    reports: tuple[ReportData, ...] = ()
    findings: tuple[Finding, ...] = ()


def release_file(job: Job, *, engine: Engine | None = None, watcher: Watcher | None = None) -> Outcome:
    """Make a release and every file that a job asks for beside it, on this machine if there is no other engine.

    A wrong plan or table and a file that cannot be written are mostly refused before the work, a guarantee that is not
    met and what the job does not let pass as soon as that shows.
    """
    engine = LocalEngine(job) if engine is None else engine
    watcher = Watcher() if watcher is None else watcher
    outputs = Outputs(inputs=job.later_inputs, printed=job.printed)
    engine.check(outputs)
    with engine.transaction(outputs):
        release = engine.anonymize(watcher)
        if job.strict:
            refuse_giveaways(release.giveaways)
        watcher.released(release, engine.original)
        if job.require:
            require_all(release.guarantees, what="asks for it: nothing was written")
        findings: list[Finding] = []
        if not job.dry_run:
            release = engine.stage(outputs, release)
            if job.audit is not Audit.NONE:
                with watcher.stage("auditing"):
                    findings = engine.audit(outputs, release)
                watcher.audited(findings)
                if job.audit is Audit.REQUIRE:
                    require_findings(findings, after="; nothing was written")
            if job.sign is not None:
                release = replace(release, manifest=release.manifest.adding(signature=sign(release.manifest, job.sign)))
            if job.manifest is not None:
                engine.stage_manifest(outputs, job.manifest, release.manifest.to_json())
            if job.plan_file is not None:
                outputs.text(job.plan_file, job.plan.to_toml(), private=job.private)
        reports = [
            _report(job, request, outputs, release, engine, watcher)
            for request in job.reports
            if request.path is None or not job.dry_run
        ]
        watcher.reported(reports)
    return Outcome(release, tuple(reports), tuple(findings))


def _report(
    job: Job, request: ReportRequest, outputs: Outputs, release: Release, engine: Engine, watcher: Watcher
) -> ReportData:
    """Collect what a report says, and add it to what is about to appear where it is asked for as a file."""
    with watcher.stage(f"report_{request.edition.value}") as progress:
        report = collect(
            engine.original,
            release,
            job.plan,
            edition=request.edition,
            name=engine.name,
            certificate=request.certificate,
            attacks=request.attacks,
            progress=progress,
        )
    if request.path is not None:
        stage_report(outputs, report_paths(request.path), report, private=job.private)
    return report


def require_all(guarantees: Guarantees, *, what: str) -> None:
    """Refuse, for ``--require``, what leaves a guarantee open that a plan gave up or a release misses."""
    missed = [guarantee.name for guarantee in guarantees.values() if not guarantee.holds]
    if missed:
        raise GuaranteeError(
            f"{', '.join(missed)} {'does' if len(missed) == 1 else 'do'} not hold, and --require {what}"
        )
