"""shoal anonymize: a file in, an anonymous file with its manifest out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from shoal.cli.after import METAVAR, EarlierFiles, read_earlier
from shoal.cli.console import (
    log_shown,
    print_json,
    progress_bar,
    refuse_strictly,
    require_all,
    stderr,
)
from shoal.cli.formulas import EscapeFormulas, leaves_formulas
from shoal.cli.key_file import Keys
from shoal.cli.outcome import summarise
from shoal.cli.overrides import plan_options
from shoal.cli.private_file import check_private
from shoal.cli.report import (
    ATTACKS_HELP,
    collect_report,
    print_summary,
    printed_options,
    report_choices,
    write_report,
)
from shoal.cli.row_map import write_row_map
from shoal.cli.sources import reads
from shoal.cli.spark import on_spark
from shoal.cli.verified import require_text, verify_written
from shoal.errors import PlanError, printable
from shoal.files import Address, Outputs, SourceFile, is_address, target_format
from shoal.files._write import require_place, writable_format
from shoal.files.database import database_of, shown
from shoal.giveaways import GiveawayError, file_label, formula_cells
from shoal.masking.attribute_blocks import require_groups
from shoal.plan import Plan
from shoal.report import Edition
from shoal.report.data import ReportData
from shoal.report.written import report_paths
from shoal.run.model import Model
from shoal.run.pipeline import anonymize
from shoal.run.release_files import manifest_path, write_release
from shoal.run.source import parsed
from shoal.signature import require_key
from shoal.signature import sign as signed

STDOUT = "-"


@plan_options
@on_spark
@reads(data="The table")
def anonymize_command(
    data: SourceFile,
    plan: Plan,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The released table; standard output if left out.")
    ] = STDOUT,
    manifest: Annotated[
        str | None, typer.Option(help="Where the manifest goes; beside the output if left out.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(help="A report on the release, HTML or (page one) Markdown; a JSON file appears beside it."),
    ] = None,
    edition: Annotated[
        Edition | None,
        typer.Option(help="internal (if left out) shows everything; external may be handed out with the release."),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print page one of the report on standard output.")
    ] = False,
    attacks: Annotated[list[str], typer.Option(metavar="KEY[,KEY...]", help=ATTACKS_HELP)] = [],  # noqa: B006  typer copies it
    escape_formulas: EscapeFormulas = False,
    after: Annotated[
        list[str],
        typer.Option(
            metavar=METAVAR,
            help="An earlier release of the same table, with its manifest beside it, and its row map where rows were "
            "shuffled: what all of them leave of a person together is checked, too. Repeatable.",
        ),
    ] = [],  # noqa: B006  typer copies it
    after_anyway: Annotated[
        bool,
        typer.Option(
            "--after-anyway", help="Release although fewer than k are left together with earlier releases; it is said."
        ),
    ] = False,
    row_map: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where each released row stood in the original, as CSV that you alone can read: for `shoal measure` "
            "and `shoal report`. It undoes a shuffle.",
        ),
    ] = None,
    key_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='The key of pseudonyms (keep_subject = "pseudonym"): read, or made for you alone if it is not there, '
            "so that a later release has the same. Written nowhere if left out.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The model of the release, a file for you alone: `shoal apply` masks new records by it, --previous "
            "releases the table again once it has grown. It holds no records.",
        ),
    ] = None,
    remember: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="The key by which the model remembers who stood with whom, for --previous: read, or made for you "
            "alone if it is not there.",
        ),
    ] = None,
    previous: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The model of the last release of this table, which has grown since: who stays keeps companions who "
            "stay, and what differences of the releases leave of anybody is checked. Needs --remember.",
        ),
    ] = None,
    hold_back: Annotated[
        bool,
        typer.Option(
            "--hold-back", help="With --previous, leave out who could be told by a difference, instead of refusing."
        ),
    ] = False,
    sign: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Sign the manifest with this Ed25519 private key (PEM), for `shoal verify --signature`.",
        ),
    ] = None,
    json_summary: Annotated[
        bool, typer.Option("--json", help="Print the manifest as JSON on standard output.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing that a warning would be given of: exit code 3.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Let the auditor of `shoal verify` judge the CSV file that was written, before it gets its name; exit "
            "with 3, and leave nothing, if something does not hold.",
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")] = False,
    require: Annotated[
        bool, typer.Option("--require", help="Exit with 3, and write nothing, unless every guarantee holds.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.")] = False,
) -> None:
    """Anonymize a table by a plan.

    Exit code 0 only if every guarantee holds on the released table that the plan does not give up by
    `guarantee = false`; `--require` counts those, too. 2 for a wrong plan or wrong data, 3 for a guarantee that cannot
    be met, or a warning with --strict, 130 for Ctrl-C. Files appear whole or not at all.
    """
    printed = printed_options(json_summary=json_summary, summary=summary)
    choices = report_choices(report, edition, attacks, json_summary=json_summary, summary=summary)
    if sign is not None:
        require_key(sign)
        if manifest_path(output, manifest) is None:
            raise PlanError("--sign signs the manifest, and none is written: name a file with --manifest")
    if verify:
        require_text(output, data)
        if dry_run:
            raise PlanError("--verify judges what was written, and --dry-run writes nothing: leave one of them out")
    report_files = None if report is None else report_paths(report)
    found: ReportData | None = None
    runs = leaves_formulas(output, data, escape=escape_formulas)
    earlier_files = [EarlierFiles.parse(text) for text in after]
    if after_anyway and not after and previous is None:
        raise PlanError("--after-anyway accepts what earlier releases leave, and --after names none")
    if remember is not None and model is None and not dry_run:
        raise PlanError(
            "--remember is for the model of the release, which the next release needs as --previous, and none is "
            "written: name a file with --model"
        )
    if model is not None:
        require_groups(plan)
    keys = Keys.of(plan, key_file, remember)
    named = {"--row-map": row_map, "--key-file": key_file, "--remember": remember, "--model": model}
    private = {option: file for option, file in named.items() if file is not None and file not in keys.read}
    # What is read only later; the rest is known from having been read.
    inputs = [*([] if previous is None else [previous]), *(path for files in earlier_files for path in files.paths)]
    if not dry_run:
        others = {"--manifest": [manifest_path(output, manifest)], "--report": report_files or ()}
        _refuse_early(data, plan, Outputs(inputs=inputs, printed=printed), output, private, others)
    earlier = read_earlier(earlier_files, data, plan)
    data = parsed(data, plan)
    beside = (
        *(file_label(data) if target_format(output, like=data).labelled else ()),
        *(formula_cells(data, plan) if runs else ()),
    )
    try:
        with log_shown(quiet=quiet), progress_bar("grouping records", quiet=quiet) as progress:
            release = anonymize(
                data.frame,
                plan,
                after=earlier,
                after_anyway=after_anyway,
                previous=None if previous is None else Model.load(previous),
                remember=keys.memory,
                hold_back=hold_back,
                key=keys.pseudonyms,
                progress=progress,
                strict=strict,
                giveaways=beside,
            )
    except GiveawayError as error:
        refuse_strictly(error.giveaways)
    if require:
        if not quiet:
            summarise(release, plan, data.frame)
        require_all(release.guarantees, what="asks for it: nothing was written")
    content = release.manifest.adding(input={**release.manifest["input"], **data.provenance})
    if not dry_run:
        with Outputs(inputs=inputs, printed=printed) as outputs:
            content = write_release(outputs, release, content, data, plan, output, escape_formulas=escape_formulas)
            if verify:
                verify_written(outputs, output, release, data, plan, quiet=quiet)
            if sign is not None:
                content = content.adding(signature=signed(content, sign))
            if (manifest_file := manifest_path(output, manifest)) is not None:
                outputs.text(manifest_file, content.to_json(), private="where possible")
            if row_map is not None:
                write_row_map(outputs, row_map, release.rows)
            keys.write(outputs)
            if model is not None:
                outputs.text(model, release.model.to_json(), private=True)
            if report_files is not None:
                evidence = replace(release, manifest=content)
                found = write_report(outputs, report_files, data, evidence, plan, choices, quiet=quiet)
            elif summary:  # what cannot be told is refused before the files appear, not after
                found = collect_report(data, release, plan, choices, quiet=quiet)
    if json_summary:
        print_json(dict(content))
    if summary:
        print_summary(found or collect_report(data, release, plan, choices, quiet=quiet))
    if not quiet:
        if not require:
            summarise(release, plan, data.frame)
        if dry_run:
            stderr.print("dry run: nothing was written", style="bold")
        else:
            files = [output, manifest_path(output, manifest), *private.values(), *(report_files or ())]
            _say_written([name for name in files if name is not None and name != STDOUT])


def _refuse_early(
    data: SourceFile,
    plan: Plan,
    outputs: Outputs,
    output: str,
    private: Mapping[str, str],
    others: Mapping[str, Sequence[str | None]],
) -> None:
    """What cannot be written is said before the work, not after it."""
    known = writable_format(output, like=data)
    dropped = plan.dropped_names()
    require_place({name: dtype for name, dtype in data.frame.schema.items() if name not in dropped}, known)
    if is_address(output):
        address = Address.parse(output)
        database_of(address).check(address)
        outputs.take(database_of(address).places(address), address.name)
    else:
        outputs.check(output, option="--output")
    for option, targets in others.items():
        for target in targets:
            if target is not None:
                outputs.check(target, option=option)
    for option, target in private.items():
        check_private(outputs, option, target, output)


def _say_written(names: list[str]) -> None:
    if names:
        *others, last = (printable(shown(name)) for name in names)
        stderr.print(f"wrote {', '.join(others)} and {last}" if others else f"wrote {last}")
