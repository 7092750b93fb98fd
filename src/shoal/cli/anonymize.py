"""shoal anonymize: a file in, an anonymous file with its manifest out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import log_shown, print_guarantees, print_warnings, progress_bar, stderr
from shoal.cli.overrides import plan_options
from shoal.cli.report import report_paths, write_report
from shoal.cli.row_map import check_row_map, manifest_beside, write_row_map
from shoal.cli.sources import parsed, reads
from shoal.errors import PlanError
from shoal.files import Outputs, SourceFile, target_format, write
from shoal.plan import Plan
from shoal.plan.way_to_closeness import way_of
from shoal.report import Edition
from shoal.run.order import order_sentence
from shoal.run.pipeline import anonymize
from shoal.run.release import Manifest, Release
from shoal.run.released import changed_columns

STDOUT = "-"


@plan_options
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
    row_map: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where each released row stood in the original, as CSV that you alone can read: for `shoal measure` "
            "and `shoal report`. It undoes a shuffle.",
        ),
    ] = None,
    json_summary: Annotated[
        bool, typer.Option("--json", help="Print the manifest as JSON on standard output.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but write.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.")] = False,
) -> None:
    """Anonymize a table by a plan.

    Exit code 0 only if the guarantee holds on the released table; 2 for a wrong plan or wrong data, 3 for a guarantee
    that cannot be met, 130 for Ctrl-C. Files appear whole or not at all.
    """
    if json_summary and output == STDOUT and not dry_run:
        raise PlanError("--json and the released table both want standard output: name a file with --output")
    if report_edition is not None and report is None:
        raise PlanError("--report-edition says who reads the report, and no --report was asked for")
    report_files = None if report is None else report_paths(report)
    if not dry_run:
        _refuse_early(data, plan_file, output, row_map, _manifest_path(output, manifest), *(report_files or ()))
    data = parsed(data, plan)
    with log_shown(quiet=quiet), progress_bar("grouping records", quiet=quiet) as progress:
        release = anonymize(data.frame, plan, progress=progress)
    content = release.manifest.adding(
        input={**release.manifest["input"], "file": data.name, "file_sha256": data.sha256}
    )
    if not dry_run:
        with Outputs(inputs=[plan_file, *([data.path] if data.path else [])]) as outputs:
            content = _write(outputs, release, content, data, plan, output, _manifest_path(output, manifest))
            if row_map is not None:
                write_row_map(outputs, row_map, release.rows)
            if report_files is not None:
                evidence = replace(release, manifest=content)
                edition = report_edition or Edition.INTERNAL
                write_report(outputs, report_files, data, evidence, plan, edition=edition, quiet=quiet)
    if json_summary:
        typer.echo(json.dumps(dict(content), indent=2, ensure_ascii=False))
    if not quiet:
        summarise(release, plan)
        if dry_run:
            stderr.print("dry run: nothing was written", style="bold")
        else:
            files = [output, _manifest_path(output, manifest), row_map, *(report_files or ())]
            _say_written([name for name in files if name is not None and name != STDOUT])


def _refuse_early(data: SourceFile, plan_file: str, output: str, row_map: str | None, *others: str | None) -> None:
    """What cannot be written is said before the work, not after it."""
    target_format(output, like=data)
    outputs = Outputs(inputs=[plan_file, *([data.path] if data.path else [])])
    for target in (output, *others):
        if target is not None:
            outputs.check(target)
    if row_map is not None:
        check_row_map(outputs, row_map, output)


def _write(
    outputs: Outputs,
    release: Release,
    content: Manifest,
    data: SourceFile,
    plan: Plan,
    output: str,
    manifest: str | None,
) -> Manifest:
    # Not so for ``by``, which is part of what was checked: written in two ways, one value would part its records.
    touched = (*changed_columns(plan), plan.by)
    untouched = [name for name in release.data.columns if name not in touched]
    like = data.take(release.rows) if content["order"]["shuffled"] else data
    written = write(release.data, output, like=like, verbatim=untouched, outputs=outputs)
    content = content.adding(output={**content["output"], "file_sha256": written.sha256})
    if manifest is not None:
        outputs.text(manifest, content.to_json())
    return content


def _say_written(names: list[str]) -> None:
    if names:
        *others, last = names
        stderr.print(f"wrote {', '.join(others)} and {last}" if others else f"wrote {last}")


def _manifest_path(output: str, manifest: str | None) -> str | None:
    if manifest is not None or output == STDOUT:
        return manifest
    return str(manifest_beside(Path(output)))


def summarise(release: Release, plan: Plan) -> None:
    """Say on stderr what was done and what holds."""
    groups, subjects = release.manifest["groups"], release.manifest.get("subjects")
    of_whom = "" if subjects is None else f" of {subjects['count']:,} subjects ({subjects['column']})"
    stderr.print(
        f"{len(release.labels):,} records{of_whom} in {groups['count']:,} groups of {groups['smallest']} to "
        f"{groups['largest']} by {_method(plan)}",
    )
    order = release.manifest["order"]
    if order["shuffled"]:
        stderr.print(order_sentence(order["followed"], done=True))
    print_guarantees(release.guarantees)
    print_warnings(release.manifest["warnings"])


def _method(plan: Plan) -> str:
    way = way_of(plan)
    if way is None:
        return plan.method
    return f"{plan.method}, merged" if way.form is None else way.name
