"""shoal report: the evidence a person signs, for a release made by shoal or by any other tool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_giveaways, print_guarantees, progress_bar, require_all, stderr
from shoal.cli.overrides import plan_options
from shoal.cli.row_map import matched_rows
from shoal.cli.sources import parsed_release, reads, written_apart
from shoal.errors import DataError, PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.files.private import Privacy
from shoal.plan import Plan
from shoal.report import Edition, assess, collect
from shoal.run.parsed import parsed
from shoal.run.release import Release


@plan_options
@reads(
    data="The table before",
    released="The table after, made by shoal or by any other tool.",
)
def report_command(
    data: SourceFile,
    released: SourceFile,
    plan: Plan,
    plan_file: str,
    output: Annotated[str, typer.Option("--output", "-o", help="The HTML file; a JSON file appears beside it.")],
    edition: Annotated[
        Edition, typer.Option(help="internal shows everything; external may be handed out with the release.")
    ] = Edition.INTERNAL,
    by_key: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Match records by this column instead of by row order.")
    ] = None,
    row_map: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Match records by the row map that `shoal anonymize --row-map` wrote for the release."
        ),
    ] = None,
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
    target = report_paths(output)
    outputs = Outputs(inputs=[plan_file, *(source.path for source in (data, released) if source.path)])
    for path in target:
        outputs.check(path)
    data, (released, generalized) = parsed(data, plan), parsed_release(released, plan)
    if apart := written_apart(released, plan):
        raise DataError(
            f"{released.name} writes equal values of {', '.join(map(repr, apart))} in several ways, by which readers "
            "tell records apart: write each value in one way"
        )
    rows = matched_rows(released, row_map, by_key)
    release = assess(data.frame, released.frame, plan, key_column=by_key, rows=rows)
    release = replace(
        release,
        manifest=release.manifest.adding(
            input={**release.manifest["input"], "file": data.name, "file_sha256": data.sha256},
            output={**release.manifest["output"], "file_sha256": released.sha256},
            **({"generalized": [found.sentence for found in generalized]} if generalized else {}),
        ),
    )
    with outputs:
        write_report(outputs, target, data, release, plan, edition=edition, certificate=certificate, quiet=quiet)
    if not quiet:
        for found in generalized:
            stderr.print(found.sentence)
        print_guarantees(release.guarantees)
        print_giveaways(release.giveaways)
        stderr.print(f"wrote {printable(target[0])} and {printable(target[1])}")
    if require:
        require_all(release.guarantees, what="asks for it; the report says why")


def report_paths(output: str) -> tuple[str, str]:
    """Return where the HTML and the JSON of a report go."""
    path = Path(output)
    if path.suffix.lower() not in (".html", ".htm"):
        raise PlanError(f"a report is an HTML file, so its name must end in .html, not {output!r}")
    return output, str(path.with_suffix(".json"))


def write_report(
    outputs: Outputs,
    target: tuple[str, str],
    data: SourceFile,
    release: Release,
    plan: Plan,
    *,
    edition: Edition,
    quiet: bool,
    certificate: bool = False,
) -> None:
    """Add a report to the files that are about to appear together."""
    with progress_bar("linking records", quiet=quiet) as progress:
        found = collect(
            data.frame, release, plan, edition=edition, name=data.name, certificate=certificate, progress=progress
        )
    # The external edition is made to travel with the release; the internal one tells of the original.
    private: Privacy = "where possible" if edition is Edition.INTERNAL else False
    outputs.text(target[0], found.to_html(), private=private)
    outputs.text(target[1], found.to_json(), private=private)
