"""shoal report: the evidence a person signs, for a release made by shoal or by any other tool."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from shoal.cli.console import print_giveaways, print_guarantees, progress_bar, stderr, stdout
from shoal.cli.options import Quiet, flag, names_in, option, repeatable
from shoal.cli.overrides import plan_options
from shoal.cli.sources import Matching, Reading, Released, ReleasedTable, first_table, written_apart
from shoal.errors import DataError, PlanError, printable
from shoal.files import Outputs
from shoal.jobs import require_all
from shoal.plan import Plan
from shoal.report import Edition, assess, collect
from shoal.report.attempts import chosen_attacks
from shoal.report.report_files import report_paths, stage_report
from shoal.run.source_parsing import parsed

ATTACKS_HELP = "Attacks to try for the report; quick ones if left out, or all, or none."


@dataclass(frozen=True)
class ReportOptions:
    """What the report tells, and where it goes."""

    output: str | None = option(
        "The file, HTML or (page one) Markdown; a JSON file appears beside it.", "--output", "-o"
    )
    summary: bool = flag("Print page one on standard output.")
    attacks: list[str] = repeatable(ATTACKS_HELP, metavar="KEY[,KEY...]")
    edition: Edition = option(
        "internal shows everything; external may be handed out with the release.", default=Edition.INTERNAL
    )
    matching: Matching = field(default_factory=Matching)
    require: bool = flag("Exit with 3 if a guarantee does not hold; the report is written.")
    certificate: bool = flag("Prove how far the loss is from the best possible at most: up to a minute.")
    quiet: Quiet = False


@plan_options
def report_command(
    data: Annotated[str, first_table("The table before")],
    released: Released,
    plan: Plan,
    options: ReportOptions,
    reading: Reading,
) -> None:
    """Report on a release: guarantees, distributions, risk and loss, in one HTML file and the same in JSON.

    The guarantees of the plan are checked on the released table; the report says so where one does not hold. Exit code
    0 says that the report was made, and with `--require` that everything in it holds.
    """
    original, made = reading.read(data, released)
    if options.output is None and not options.summary:
        raise PlanError("a report goes to a file or to the terminal: name one with --output, or ask for --summary")
    target = () if options.output is None else report_paths(options.output)
    attacks = named_attacks(options.attacks)
    outputs = Outputs(printed=["--summary"] if options.summary else [])
    before, readable = parsed(original, plan), ReleasedTable.of(made, plan)
    after, generalized = readable.file, readable.generalized
    if apart := written_apart(after, plan):
        raise DataError(
            f"{after.name} writes equal values of {', '.join(map(repr, apart))} in several ways, by which readers "
            "tell records apart: write each value in one way"
        )
    rows = options.matching.rows(after)
    for path in target:  # now that all is read, the manifest beside the release among it
        outputs.check(path, option="--output")
    release = assess(before.frame, after.frame, plan, key_column=options.matching.by_key, rows=rows)
    release = replace(
        release,
        manifest=release.manifest.adding(
            input={**release.manifest["input"], **before.provenance},
            output={**release.manifest["output"], "file_sha256": after.sha256},
            **({"generalized": [each.sentence for each in generalized]} if generalized else {}),
        ),
    )
    with outputs:
        with progress_bar("linking records", quiet=options.quiet) as progress:
            report = collect(
                before.frame,
                release,
                plan,
                edition=options.edition,
                name=before.name,
                certificate=options.certificate,
                attacks=attacks,
                progress=progress,
            )
        if target:
            stage_report(outputs, target, report)
    if options.summary:
        stdout.print(report.summary.text, end="")
    if not options.quiet:
        for each in generalized:
            stderr.print(each.sentence)
        print_guarantees(release.guarantees)
        print_giveaways(release.giveaways)
        if target:
            stderr.print(f"wrote {' and '.join(map(printable, target))}")
    if options.require:
        require_all(release.guarantees, what="asks for it; the report says why")


def named_attacks(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return what --attacks names, None where it was left out; what is no attack is refused before the work."""
    names = names_in(texts, "--attacks")
    chosen_attacks(names)
    return names
