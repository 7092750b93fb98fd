"""shoal verify: judge a written release again, by a code path of its own."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated

import typer

from shoal.cli.console import print_findings, stdout
from shoal.cli.options import REQUIRED, option, repeatable
from shoal.errors import DataError, PlanError
from shoal.files.csv.dialect import check_options
from shoal.files.csv_format import CSV
from shoal.files.format import ending_of
from shoal.files.outputs import require_file
from shoal.files.registry import FORMATS
from shoal.plan import Plan
from shoal.run.audit import ReleaseOnDisk, audit_files, require_findings
from shoal.signature import check_signature, signed_held_back


@dataclass(frozen=True)
class VerifyOptions:
    """What the files are judged by."""

    plan: str = option("The plan, a TOML file.", default=REQUIRED)
    original: str | None = option("The table it was made from, a CSV file: without it persons cannot be counted.")
    row_map: str | None = option("Which original row each released one came from, where they were shuffled.")
    encoding: str | None = option("The encoding of the files, if it is not UTF-8, UTF-16 or Windows-1252.")
    missing_value: list[str] = repeatable("A word that stands for a missing value. Repeatable.", metavar="TEXT")
    codebook: str | None = option("What the codes of the files mean, where the plan speaks of labels.", metavar="FILE")
    signature: str | None = option(
        "The manifest of the release, whose signature is checked too; it says what was held back."
    )
    public_key: str | None = option("The public key (PEM) of who should have signed; any signer if left out.")


def verify_command(
    release: Annotated[str, typer.Argument(help="The released table, a CSV file.")], options: VerifyOptions
) -> None:
    """Judge a written release again, as an outsider would, by a code path of its own.

    The judge is one file, shoal/auditor.py, that needs nothing but Python and can be read and run alone. It reads the
    files as text. Exit code 0: all that can be judged holds; 3: something does not; 2: the files do not go together.
    """
    if options.public_key is not None and options.signature is None:
        raise PlanError("--public-key says whose signature is expected: name the signed manifest by --signature")
    check_options(None, None, options.encoding)
    tables = [name for name in (release, options.original, options.row_map) if name is not None]
    for name in (*tables, options.plan, options.codebook, options.signature, options.public_key):
        if name is not None:
            require_file(name)
    for name in tables:
        _require_text(name)
    # As strictly as a run reads it: the auditor would not miss a section whose name is misspelt.
    Plan.load(options.plan)
    files = ReleaseOnDisk(
        release,
        options.plan,
        options.original,
        options.row_map,
        options.encoding,
        options.missing_value,
        options.codebook,
        held_back=0 if options.signature is None else signed_held_back(options.signature),
    )
    findings = audit_files(files)
    if options.signature is not None:
        findings += check_signature(options.signature, release, options.plan, options.public_key, options.original)
    print_findings(findings, stdout)
    require_findings(findings)


def _require_text(name: str) -> None:
    """Refuse a file of a format that is no text: the auditor would look for columns in its bytes."""
    path = PurePath(name)
    for known in FORMATS.values():
        if known.name != CSV.name and ending_of(path) in known.endings:
            raise DataError(f"{path.name} is no CSV file but {known.title}, and an audit reads text: write it as CSV")
