"""``anonymize --verify``: the auditor judges the file that was written, before it gets its name."""

from __future__ import annotations

from shoal.cli.console import stderr
from shoal.cli.verify import print_findings, require_findings
from shoal.errors import PlanError
from shoal.files import Outputs, SourceFile, target_format
from shoal.files.csv.format import CSV
from shoal.plan import Plan
from shoal.run.audit import audit_staged
from shoal.run.release import Release


def require_text(output: str, data: SourceFile) -> None:
    """Refuse to verify a file that the auditor cannot read, before any work."""
    written_as = target_format(output, like=data)
    if written_as.name != CSV.name:
        raise PlanError(
            f"--verify reads the release as text, and {written_as.title} is none: name a CSV file, or leave it out"
        )


def verify_written(
    outputs: Outputs, output: str, release: Release, data: SourceFile, plan: Plan, *, quiet: bool
) -> None:
    """Judge a release that was staged, by its plan and, where k counts subjects, by the original.

    Raises
    ------
    GuaranteeError
        A promise is broken: nothing is to appear.
    """
    findings = audit_staged(outputs.staged(output), release, data, plan)
    if not quiet:
        stderr.print("as an outsider reads the file that was written:", style="bold")
        print_findings(findings, stderr)
    require_findings(findings, after="; nothing was written")
