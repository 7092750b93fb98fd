"""``anonymize --verify``: the auditor judges the file that was written, before it gets its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.auditor import Finding
from shoal.cli.console import stderr
from shoal.cli.row_map import row_map_text
from shoal.cli.verify import audited, print_findings, require_findings
from shoal.errors import PlanError
from shoal.files import Outputs, SourceFile, target_format
from shoal.files.csv.format import CSV
from shoal.files.temporary import claim_anywhere
from shoal.files.temporary import release as give_up
from shoal.plan import Plan
from shoal.plan.attribute import Role
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

    A CSV file is given to the auditor as it stands; of other originals and of standard input it gets the columns
    that it needs as text. Plan, row map and such columns are files for the owner alone, which
    are gone afterwards.

    Raises
    ------
    GuaranteeError
        A promise is broken: nothing is to appear.
    """
    encoding, missing = ("utf-8", ()) if data.dialect is None else (data.dialect.encoding, data.dialect.missing)
    with _private_file() as plan_file, _private_file() as row_map, _private_file() as view:
        plan_file.write_text(plan.to_toml(), encoding="utf-8")
        original: Path | None = None
        if (subject := plan.subject_column()) is not None:
            row_map.write_text(row_map_text(release.rows), encoding="utf-8")
            original = data.path if data.format == CSV.name and data.path is not None else view
            if original is view:
                names = dict.fromkeys([subject, *plan.names(Role.QUASI_IDENTIFIER), *_others(plan)])
                view.write_text(data.frame.select(list(names)).write_csv(), encoding=encoding)
        findings = audited(
            outputs.staged(output),
            plan_file,
            original,
            row_map if original is not None else None,
            encoding=encoding,
            missing=missing,
        )
    judged = {finding.name for finding in findings}
    findings += [Finding(name, None, "is not judged here") for name in release.guarantees if name not in judged]
    if not quiet:
        stderr.print("as an outsider reads the file that was written:", style="bold")
        print_findings(findings, stderr)
    require_findings(findings, after="; nothing was written")


def _others(plan: Plan) -> list[str]:
    """Return the columns besides the quasi-identifiers whose original cells tell whether a recoding holds."""
    recodings = plan.recodings()
    dates = [keys["relative_to"] for keys in recodings.values() if "relative_to" in keys]
    return [*(name for name, keys in recodings.items() if "rare" in keys), *dates]


@contextmanager
def _private_file() -> Iterator[Path]:
    path = claim_anywhere()
    try:
        yield path
    finally:
        give_up(path)
