"""shoal anonymize: a file in, an anonymous file with its manifest out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.after import METAVAR, EarlierFiles, read_earlier
from shoal.cli.console import (
    log_shown,
    print_giveaways,
    print_guarantees,
    print_json,
    progress_bar,
    refuse_strictly,
    require_all,
    stderr,
)
from shoal.cli.key_file import read_or_make_key
from shoal.cli.manifests import manifest_beside
from shoal.cli.overrides import plan_options
from shoal.cli.private_file import check_private
from shoal.cli.report import report_paths, write_report
from shoal.cli.row_map import write_row_map
from shoal.cli.sources import parsed, reads
from shoal.cli.spark import on_spark
from shoal.cli.verified import require_text, verify_written
from shoal.errors import PlanError, printable
from shoal.files import Outputs, SourceFile, target_format, write
from shoal.plan import Plan
from shoal.plan.way_to_closeness import way_of
from shoal.report import Edition
from shoal.run.gaps import gap_sentences
from shoal.run.giveaways import GiveawayError, file_label, formula_cells
from shoal.run.order import order_sentence
from shoal.run.pipeline import anonymize
from shoal.run.recoded import recoded_columns, recoding_sentences
from shoal.run.refining import refinement_sentence
from shoal.run.release import Manifest, Release
from shoal.run.released import changed_columns, unchanged_sentence
from shoal.run.suppress import suppression_sentence
from shoal.signature import require_key
from shoal.signature import sign as signed

STDOUT = "-"


@plan_options
@on_spark
@reads(data="The table")
def anonymize_command(
    data: SourceFile,
    plan: Plan,
    plan_file: str,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The released table; standard output if left out.")
    ] = STDOUT,
    manifest: Annotated[
        str | None, typer.Option(help="Where the manifest goes; beside the output if left out.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(help="An HTML report on the release; a JSON file appears beside it.")
    ] = None,
    report_edition: Annotated[
        Edition | None,
        typer.Option(help="internal (if left out) shows everything; external may be handed out with the release."),
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option("--escape-formulas", help="Write ' before cells of a CSV file that a spreadsheet would run."),
    ] = False,
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
    if json_summary and output == STDOUT and not dry_run:
        raise PlanError("--json and the released table both want standard output: name a file with --output")
    if report_edition is not None and report is None:
        raise PlanError("--report-edition says who reads the report, and no --report was asked for")
    if sign is not None:
        require_key(sign)
        if _manifest_path(output, manifest) is None:
            raise PlanError("--sign signs the manifest, and none is written: name a file with --manifest")
    if verify:
        require_text(output, data)
        if dry_run:
            raise PlanError("--verify judges what was written, and --dry-run writes nothing: leave one of them out")
    report_files = None if report is None else report_paths(report)
    if escape_formulas and not target_format(output, like=data).has_formulas:
        raise PlanError("--escape-formulas is for CSV files: no spreadsheet takes cells of others for formulas")
    earlier_files = [EarlierFiles.parse(text) for text in after]
    if after_anyway and not after:
        raise PlanError("--after-anyway accepts what earlier releases leave, and --after names none")
    key, new_key_file = None, None
    if key_file is not None:
        key, is_new = read_or_make_key(key_file, plan)
        new_key_file = key_file if is_new else None
    private = {"--row-map": row_map, "--key-file": new_key_file}
    inputs = [
        *_inputs(data, plan_file, None if new_key_file else key_file),
        *(path for files in earlier_files for path in files.paths),
    ]
    if not dry_run:
        _refuse_early(data, inputs, output, private, _manifest_path(output, manifest), *(report_files or ()))
    earlier = read_earlier(earlier_files, data, plan)
    data = parsed(data, plan)
    written_as = target_format(output, like=data)
    beside = (
        *(file_label(data) if written_as.labelled else ()),
        *(formula_cells(data, plan) if written_as.has_formulas and not escape_formulas else ()),
    )
    try:
        with log_shown(quiet=quiet), progress_bar("grouping records", quiet=quiet) as progress:
            release = anonymize(
                data.frame,
                plan,
                after=earlier,
                after_anyway=after_anyway,
                key=key,
                progress=progress,
                strict=strict,
                giveaways=beside,
            )
    except GiveawayError as error:
        refuse_strictly(error.giveaways)
    if require:
        if not quiet:
            summarise(release, plan)
        require_all(release.guarantees, what="asks for it: nothing was written")
    content = release.manifest.adding(
        input={**release.manifest["input"], "file": data.name, "file_sha256": data.sha256}
    )
    if not dry_run:
        with Outputs(inputs=inputs) as outputs:
            content = _write(outputs, release, content, data, plan, output, escape_formulas=escape_formulas)
            if verify:
                verify_written(outputs, output, release, data, plan, quiet=quiet)
            if sign is not None:
                content = content.adding(signature=signed(content, sign))
            if (manifest_file := _manifest_path(output, manifest)) is not None:
                outputs.text(manifest_file, content.to_json(), private="where possible")
            if row_map is not None:
                write_row_map(outputs, row_map, release.rows)
            if new_key_file is not None and key is not None:
                outputs.text(new_key_file, f"{key.hex()}\n", private=True)
            if report_files is not None:
                evidence = replace(release, manifest=content)
                edition = report_edition or Edition.INTERNAL
                write_report(outputs, report_files, data, evidence, plan, edition=edition, quiet=quiet)
    if json_summary:
        print_json(dict(content))
    if not quiet:
        if not require:
            summarise(release, plan)
        if dry_run:
            stderr.print("dry run: nothing was written", style="bold")
        else:
            files = [output, _manifest_path(output, manifest), row_map, new_key_file, *(report_files or ())]
            _say_written([name for name in files if name is not None and name != STDOUT])


def _inputs(data: SourceFile, *files: str | None) -> list[str | Path]:
    """Return what must not be overwritten."""
    return [name for name in (data.path, *files) if name is not None]


def _refuse_early(
    data: SourceFile,
    inputs: Sequence[str | Path],
    output: str,
    private: Mapping[str, str | None],
    *others: str | None,
) -> None:
    """What cannot be written is said before the work, not after it."""
    target_format(output, like=data)
    outputs = Outputs(inputs=inputs)
    for target in (output, *others):
        if target is not None:
            outputs.check(target)
    for option, target in private.items():
        if target is not None:
            check_private(outputs, option, target, output)


def _write(
    outputs: Outputs,
    release: Release,
    content: Manifest,
    data: SourceFile,
    plan: Plan,
    output: str,
    *,
    escape_formulas: bool,
) -> Manifest:
    # Not so for ``by``, which is part of what was checked: written in two ways, one value would part its records.
    touched = (*changed_columns(plan), *recoded_columns(plan), plan.by, plan.pseudonym_column())
    untouched = [name for name in release.data.columns if name not in touched]
    dropped = len(release.rows) < len(data.frame)
    like = data.take(release.rows) if content["order"]["shuffled"] or dropped else data
    written = write(
        release.data, output, like=like, verbatim=untouched, escape_formulas=escape_formulas, outputs=outputs
    )
    return content.adding(output={**content["output"], "file_sha256": written.sha256})


def _say_written(names: list[str]) -> None:
    if names:
        *others, last = map(printable, names)
        stderr.print(f"wrote {', '.join(others)} and {last}" if others else f"wrote {last}")


def _manifest_path(output: str, manifest: str | None) -> str | None:
    path = Path(output)
    if manifest is not None or output == STDOUT or not path.name:
        return manifest
    return str(manifest_beside(path))


def summarise(release: Release, plan: Plan) -> None:
    """Say on stderr what was done and what holds."""
    groups, subjects = release.manifest["groups"], release.manifest.get("subjects")
    records = release.manifest["output"]["rows"]
    of_whom = "" if subjects is None else f" of {subjects['count']:,} subjects ({subjects['column']})"
    stderr.print(
        f"{records:,} records{of_whom} in {groups['count']:,} groups of {groups['smallest']} to "
        f"{groups['largest']} by {_method(plan)}",
    )
    for sentence in recoding_sentences(release.manifest):
        stderr.print(sentence)
    if "refine" in release.manifest:
        stderr.print(f"refined, {refinement_sentence(release.manifest['refine'])}")
    dropped = suppression_sentence(release.manifest)
    if dropped is not None:
        stderr.print(dropped)
    order = release.manifest["order"]
    if order["shuffled"] and "spark" not in release.manifest:  # whose rows have no order to begin with
        stderr.print(order_sentence(order["followed"], done=True))
    print_guarantees(release.guarantees)
    for sentence in gap_sentences(release.manifest.get("gaps", {})):
        stderr.print(f"  {sentence}", style="dim")
    unchanged = unchanged_sentence(groups)
    if unchanged is not None:
        stderr.print(f"  {unchanged}", style="dim")
    print_giveaways(release.giveaways)


def _method(plan: Plan) -> str:
    way = way_of(plan)
    if way is None:
        return plan.method
    return f"{plan.method}, merged" if way.form is None else way.name
