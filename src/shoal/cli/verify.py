"""shoal verify: judge a written release again, by a code path of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated

import typer
from rich.console import Console

from shoal import auditor
from shoal.cli.console import stdout
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.files.csv.dialect import check_options
from shoal.files.csv.format import CSV
from shoal.files.format import ending_of
from shoal.files.formats import FORMATS
from shoal.files.output import require_file
from shoal.plan import Plan
from shoal.run.audit import audited
from shoal.signature import check_signature, signed_held_back


def verify_command(
    release: Annotated[str, typer.Argument(help="The released table, a CSV file.")],
    plan: Annotated[str, typer.Option(help="The plan, a TOML file.")],
    original: Annotated[
        str | None, typer.Option(help="The table it was made from, a CSV file: without it persons cannot be counted.")
    ] = None,
    row_map: Annotated[
        str | None, typer.Option(help="Which original row each released one came from, where they were shuffled.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of the files, if it is not UTF-8, UTF-16 or Windows-1252.")
    ] = None,
    missing_value: Annotated[
        list[str], typer.Option(metavar="TEXT", help="A word that stands for a missing value. Repeatable.")
    ] = [],  # noqa: B006  typer copies it
    codebook: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What the codes of the files mean, where the plan speaks of labels."),
    ] = None,
    signature: Annotated[
        str | None,
        typer.Option(help="The manifest of the release, whose signature is checked too; it says what was held back."),
    ] = None,
    public_key: Annotated[
        str | None, typer.Option(help="The public key (PEM) of who should have signed; any signer if left out.")
    ] = None,
) -> None:
    """Judge a written release again, as an outsider would, by a code path of its own.

    The judge is one file, shoal/auditor.py, that needs nothing but Python and can be read and run alone. It reads the
    files as text. Exit code 0: all that can be judged holds; 3: something does not; 2: the files do not go together.
    """
    if public_key is not None and signature is None:
        raise PlanError("--public-key says whose signature is expected: name the signed manifest by --signature")
    check_options(None, None, encoding)
    for name in (release, plan, original, row_map, codebook, signature, public_key):
        if name is not None:
            require_file(name)
    for name in (release, original, row_map):
        if name is not None:
            _require_text(name)
    Plan.load(plan)  # as strictly as a run reads it: the auditor would not miss a section whose name is misspelt
    findings = audited(
        release,
        plan,
        original,
        row_map,
        encoding=encoding,
        missing=missing_value,
        codebook=codebook,
        held_back=0 if signature is None else signed_held_back(signature),
    )
    if signature is not None:
        findings += check_signature(signature, release, plan, public_key, original)
    print_findings(findings, stdout)
    require_findings(findings)


def _require_text(name: str) -> None:
    """Refuse a file of a format that is no text: the auditor would look for columns in its bytes."""
    path = PurePath(name)
    for known in FORMATS.values():
        if known.name != CSV.name and ending_of(path) in known.endings:
            raise DataError(f"{path.name} is no CSV file but {known.title}, and an audit reads text: write it as CSV")


def print_findings(findings: Sequence[auditor.Finding], console: Console) -> None:
    """Say what was judged, and what could not be."""
    for name, holds, words in findings:
        mark, style = ("?", "bold yellow") if holds is None else ("✓", "bold green") if holds else ("✗", "bold red")
        console.print(mark, style=style, end=" ")
        console.print(f"{name}: {words}")


def require_findings(findings: Sequence[auditor.Finding], *, after: str = "") -> None:
    """Refuse a release that the auditor found to break a promise."""
    broken = [finding.name for finding in findings if finding.holds is False]
    if broken:
        raise GuaranteeError(f"the release does not hold what its plan says: {', '.join(broken)}{after}")
