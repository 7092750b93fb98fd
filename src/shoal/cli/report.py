"""shoal report: the evidence a person signs, for a release made by shoal or by any other tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from shoal.cli.console import print_giveaways, print_guarantees, progress_bar, require_all, stderr, stdout
from shoal.cli.listed import listed
from shoal.cli.overrides import plan_options
from shoal.cli.row_map import ByKey, RowMap, matched_rows
from shoal.cli.sources import parsed_release, reads, written_apart
from shoal.errors import DataError, PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.plan import Plan
from shoal.report import Edition, assess, collect
from shoal.report.attempts import chosen_attacks
from shoal.report.data import ReportData
from shoal.report.written import report_paths, stage_report
from shoal.run.release import Release
from shoal.run.source import parsed

ATTACKS_HELP = "Attacks to try for the report; quick ones if left out, or all, or none."


@plan_options
@reads(
    data="The table before",
    released="The table after, made by shoal or by any other tool.",
)
def report_command(
    data: SourceFile,
    released: SourceFile,
    plan: Plan,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="The file, HTML or (page one) Markdown; a JSON file appears beside it."),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Print page one on standard output.")] = False,
    attacks: Annotated[list[str], typer.Option(metavar="KEY[,KEY...]", help=ATTACKS_HELP)] = [],  # noqa: B006  typer copies it
    edition: Annotated[
        Edition, typer.Option(help="internal shows everything; external may be handed out with the release.")
    ] = Edition.INTERNAL,
    by_key: ByKey = None,
    row_map: RowMap = None,
    require: Annotated[
        bool,
        typer.Option("--require", help="Exit with 3 if a guarantee does not hold; the report is written."),
    ] = False,
    certificate: Annotated[
        bool,
        typer.Option("--certificate", help="Prove how far the loss is from the best possible at most: up to a minute."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.")] = False,
) -> None:
    """Report on a release: guarantees, distributions, risk and loss, in one HTML file and the same in JSON.

    The guarantees of the plan are checked on the released table; the report says so where one does not hold. Exit code
    0 says that the report was made, and with `--require` that everything in it holds.
    """
    if output is None and not summary:
        raise PlanError("a report goes to a file or to the terminal: name one with --output, or ask for --summary")
    target = None if output is None else report_paths(output)
    choices = ReportChoices(edition, named_attacks(attacks), certificate)
    outputs = Outputs(printed=["--summary"] if summary else [])
    data, (released, generalized) = parsed(data, plan), parsed_release(released, plan)
    if apart := written_apart(released, plan):
        raise DataError(
            f"{released.name} writes equal values of {', '.join(map(repr, apart))} in several ways, by which readers "
            "tell records apart: write each value in one way"
        )
    rows = matched_rows(released, row_map, by_key)
    for path in target or ():  # now that all is read, the manifest beside the release among it
        outputs.check(path, option="--output")
    release = assess(data.frame, released.frame, plan, key_column=by_key, rows=rows)
    release = replace(
        release,
        manifest=release.manifest.adding(
            input={**release.manifest["input"], **data.provenance},
            output={**release.manifest["output"], "file_sha256": released.sha256},
            **({"generalized": [each.sentence for each in generalized]} if generalized else {}),
        ),
    )
    if target is None:
        found = collect_report(data, release, plan, choices, quiet=quiet)
    else:
        with outputs:
            found = write_report(outputs, target, data, release, plan, choices, quiet=quiet)
    if summary:
        print_summary(found)
    if not quiet:
        for each in generalized:
            stderr.print(each.sentence)
        print_guarantees(release.guarantees)
        print_giveaways(release.giveaways)
        if target is not None:
            stderr.print(f"wrote {printable(target[0])} and {printable(target[1])}")
    if require:
        require_all(release.guarantees, what="asks for it; the report says why")


@dataclass(frozen=True)
class ReportChoices:
    """Who a report is for, what is tried against the release, and whether its loss is certified."""

    edition: Edition
    attacks: tuple[str, ...] | None
    certificate: bool = False


def report_choices(
    report: str | None, edition: Edition | None, attacks: Sequence[str], *, json_summary: bool, summary: bool
) -> ReportChoices:
    """Return who a report beside a release is for, and what it tries; refuse what makes no sense without one."""
    if json_summary and summary:
        raise PlanError("--json and --summary both want standard output: ask for one of them")
    for option, given in (
        ("--edition says who reads the report", edition),
        ("--attacks is for the report", attacks),
    ):
        if given and report is None and not summary:
            raise PlanError(f"{option}, and neither --report nor --summary was asked for")
    return ReportChoices(edition or Edition.INTERNAL, named_attacks(attacks))


def printed_options(*, json_summary: bool, summary: bool) -> list[str]:
    """Return the options of a release that ask for something on standard output."""
    return [option for option, wanted in (("--json", json_summary), ("--summary", summary)) if wanted]


def named_attacks(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return what --attacks names, None where it was left out; what is no attack is refused before the work."""
    names = listed(texts, "--attacks")
    chosen_attacks(names)
    return names


def collect_report(
    data: SourceFile, release: Release, plan: Plan, choices: ReportChoices, *, quiet: bool
) -> ReportData:
    """Collect what a report says, with a progress bar."""
    with progress_bar("linking records", quiet=quiet) as progress:
        return collect(
            data.frame,
            release,
            plan,
            edition=choices.edition,
            name=data.name,
            certificate=choices.certificate,
            attacks=choices.attacks,
            progress=progress,
        )


def print_summary(found: ReportData) -> None:
    """Print page one on standard output."""
    stdout.print(found.summary.text, end="")


def write_report(
    outputs: Outputs,
    target: tuple[str, str],
    data: SourceFile,
    release: Release,
    plan: Plan,
    choices: ReportChoices,
    *,
    quiet: bool,
) -> ReportData:
    """Add a report to the files that are about to appear together, and return what it says."""
    found = collect_report(data, release, plan, choices, quiet=quiet)
    stage_report(outputs, target, found)
    return found
