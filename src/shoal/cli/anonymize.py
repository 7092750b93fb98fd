"""shoal anonymize: a file in, an anonymous file with its manifest out; on this machine or by Spark."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Literal

from shoal.auditor import Finding
from shoal.cli.console import log_shown, print_findings, print_json, progress_bar, refuse_strictly, stderr, stdout
from shoal.cli.options import EscapeFormulas, Quiet, flag, option, repeatable
from shoal.cli.outcome import summarise
from shoal.cli.overrides import plan_options
from shoal.cli.report import ATTACKS_HELP, named_attacks
from shoal.cli.sources import Data, Reading
from shoal.errors import PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.files.database import shown
from shoal.files.outputs import STDOUT
from shoal.giveaways import GiveawayError
from shoal.jobs import Audit, Job, LocalEngine, Outcome, ReportRequest, Watcher, release_file
from shoal.jobs.earlier_files import METAVAR, EarlierFiles
from shoal.plan import Plan
from shoal.progress import Progress
from shoal.report import Edition
from shoal.report.report_files import report_paths
from shoal.report.wording import listed
from shoal.run.release import Release
from shoal.run.saved_release import manifest_path

_option = partial(option, rich_help_panel="Apache Spark")


@dataclass(frozen=True)
class AnonymizeOptions:
    """What is written, and what is refused."""

    output: str = option("The released table; standard output if left out.", "--output", "-o", default=STDOUT)
    manifest: str | None = option("Where the manifest goes; beside the output if left out.")
    report: str | None = option("A report on the release, HTML or (page one) Markdown; a JSON file appears beside it.")
    edition: Edition | None = option(
        "internal (if left out) shows everything; external may be handed out with the release."
    )
    summary: bool = flag("Print page one of the report on standard output.")
    attacks: list[str] = repeatable(ATTACKS_HELP, metavar="KEY[,KEY...]")
    escape_formulas: EscapeFormulas = False
    after: list[str] = repeatable(
        "An earlier release of the same table, with its manifest beside it, and its row map where rows were "
        "shuffled: what all of them leave of a person together is checked, too. Repeatable.",
        metavar=METAVAR,
    )
    after_anyway: bool = flag("Release although fewer than k are left together with earlier releases; it is said.")
    row_map: str | None = option(
        "Where each released row stood in the original, as CSV that you alone can read: for `shoal measure` "
        "and `shoal report`. It undoes a shuffle.",
        metavar="FILE",
    )
    key_file: str | None = option(
        'The key of pseudonyms (keep_subject = "pseudonym"): read, or made for you alone if it is not there, '
        "so that a later release has the same. Written nowhere if left out.",
        metavar="FILE",
    )
    model: str | None = option(
        "The model of the release, a file for you alone: `shoal apply` masks new records by it, --previous "
        "releases the table again once it has grown. It holds no records.",
        metavar="FILE",
    )
    remember: str | None = option(
        "The key by which the model remembers who stood with whom, for --previous: read, or made for you "
        "alone if it is not there.",
        metavar="KEY",
    )
    previous: str | None = option(
        "The model of the last release of this table, which has grown since: who stays keeps companions who "
        "stay, and what differences of the releases leave of anybody is checked. Needs --remember.",
        metavar="MODEL",
    )
    hold_back: bool = flag("With --previous, leave out who could be told by a difference, instead of refusing.")
    sign: str | None = option(
        "Sign the manifest with this Ed25519 private key (PEM), for `shoal verify --signature`.", metavar="KEY"
    )
    json_summary: bool = flag("Print the manifest as JSON on standard output.", "--json")
    strict: bool = flag("Write nothing that a warning would be given of: exit code 3.")
    verify: bool = flag(
        "Let the auditor of `shoal verify` judge the CSV file that was written, before it gets its name; exit "
        "with 3, and leave nothing, if something does not hold."
    )
    dry_run: bool = flag("Do everything but write.")
    require: bool = flag("Exit with 3, and write nothing, unless every guarantee holds.")
    quiet: Quiet = False

    def job(self, source: SourceFile | str, plan: Plan, manifest: str | None) -> Job:
        """Return what is asked for, with the manifest at its place; refuse options that do not go together."""
        reports = self._reports()
        after = tuple(EarlierFiles.parse(text) for text in self.after)
        if self.after_anyway and not after and self.previous is None:
            raise PlanError("--after-anyway accepts what earlier releases leave, and --after names none")
        if self.remember is not None and self.model is None and not self.dry_run:
            raise PlanError(
                "--remember is for the model of the release, which the next release needs as --previous, and none is "
                "written: name a file with --model"
            )
        same = {each.name: getattr(self, each.name) for each in fields(Job) if hasattr(self, each.name)}
        special: dict[str, Any] = {
            "manifest": manifest,
            "reports": reports,
            "after": after,
            "audit": Audit.REQUIRE if self.verify else Audit.NONE,
            "printed": [*(["--json"] if self.json_summary else []), *(["--summary"] if self.summary else [])],
        }
        return Job(source=source, plan=plan, **same | special)

    def _reports(self) -> tuple[ReportRequest, ...]:
        """Return the report that is asked for; refuse what makes no sense without one."""
        if self.json_summary and self.summary:
            raise PlanError("--json and --summary both want standard output: ask for one of them")
        for words, given in (
            ("--edition says who reads the report", self.edition),
            ("--attacks is for the report", self.attacks),
        ):
            if given and self.report is None and not self.summary:
                raise PlanError(f"{words}, and neither --report nor --summary was asked for")
        path = None if self.dry_run else self.report
        request = ReportRequest(self.edition or Edition.INTERNAL, named_attacks(self.attacks), path=path)
        if self.report is not None:
            report_paths(self.report)  # of a dry run, too
        return (request,) if path is not None or self.summary else ()


@dataclass(frozen=True)
class EngineOptions:
    """Who does the work."""

    engine: Literal["machine", "spark"] = _option(
        "Where the work is done: on this machine, or by Spark.", default="machine"
    )
    master: str | None = _option(
        "The master of Spark, such as local[2] or spark://host:7077; Spark's own setting if left out.", metavar="URL"
    )
    fragment_size: int | None = _option("Records that a worker groups at a time, about; a million.")


@plan_options
def anonymize_command(
    data: Data,
    plan: Plan,
    options: AnonymizeOptions,
    reading: Reading,
    engine: EngineOptions,
) -> None:
    """Anonymize a table by a plan.

    Exit code 0 only if every guarantee holds on the released table that the plan does not give up by
    `guarantee = false`; `--require` counts those, too. 2 for a wrong plan or wrong data, 3 for a guarantee that cannot
    be met, or a warning with --strict, 130 for Ctrl-C. Files appear whole or not at all.
    """
    try:
        if engine.engine == "spark":
            _release_on_spark(data, plan, options, reading, engine)
        else:
            _release_here(data, plan, options, reading, engine)
    except GiveawayError as error:
        refuse_strictly(error.giveaways)


def _release_here(data: str, plan: Plan, options: AnonymizeOptions, reading: Reading, engine: EngineOptions) -> None:
    for name, value in (("--master", engine.master), ("--fragment-size", engine.fragment_size)):
        if value is not None:
            raise PlanError(f"{name} is for Spark: add --engine spark, or leave it out")
    (source,) = reading.read(data)
    job = options.job(source, plan, manifest_path(options.output, options.manifest))
    machine = LocalEngine(job)
    outcome = release_file(job, engine=machine, watcher=_Terminal(job, quiet=options.quiet))
    _print(outcome, options)
    if options.quiet:
        return
    if not options.require:
        summarise(outcome.release, plan, machine.original)
    if options.dry_run:
        stderr.print("dry run: nothing was written", style="bold")
    else:
        _say_written(job, machine.private_files.values())


class _Terminal(Watcher):
    """Says on standard error how far a job is, and what is found before anything is written."""

    def __init__(self, job: Job, *, quiet: bool) -> None:
        self._job, self._quiet = job, quiet

    @contextmanager
    def stage(self, name: str) -> Iterator[Progress | None]:
        """Show a progress bar, and what the library has to say in advance."""
        if name == "auditing":
            yield None
            return
        grouping = name == "grouping"
        title = "grouping records" if grouping else "linking records"
        with log_shown(quiet=self._quiet or not grouping), progress_bar(title, quiet=self._quiet) as progress:
            yield progress

    def released(self, release: Release, original: Any) -> None:
        """Say what was done where it may be refused: otherwise it is said when it is written."""
        if self._job.require and not self._quiet:
            summarise(release, self._job.plan, original)

    def audited(self, findings: Sequence[Finding]) -> None:
        """Say what the auditor found."""
        if not self._quiet:
            stderr.print("as an outsider reads the file that was written:", style="bold")
            print_findings(findings, stderr)


_ON_SPARK = {
    *("output", "manifest", "report", "edition", "summary", "attacks", "json_summary", "strict", "require", "quiet"),
    *("format", "delimiter", "encoding"),
}
"""The options that Spark knows, too."""


def _release_on_spark(
    data: str, plan: Plan, options: AnonymizeOptions, reading: Reading, engine: EngineOptions
) -> None:
    for given in (options, reading):
        for name, default in asdict(type(given)()).items():
            if name not in _ON_SPARK and getattr(given, name) != default:
                raise PlanError(f"--{name.replace('_', '-')} is for tables on this machine: leave it out with Spark")
    if options.output == STDOUT:
        raise PlanError("a release of Spark is a folder of files: name it with --output")
    try:
        from shoal.spark._anonymize import FRAGMENT_SIZE
        from shoal.spark._anonymize_files import SparkOptions, check_files, release_on_spark
        from shoal.spark.session import started
    except ModuleNotFoundError as error:
        raise PlanError(f"--engine spark needs {error.name}: pip install 'shoal[spark]'") from None
    beside = f"{options.output.rstrip('/')}.manifest.json" if options.manifest is None else options.manifest
    job = options.job(data, plan, beside)
    check_files(job, Outputs(printed=job.printed))  # before Spark starts
    how = SparkOptions(
        file_format=reading.format,
        fragment_size=FRAGMENT_SIZE if engine.fragment_size is None else engine.fragment_size,
        reading={"sep": reading.delimiter, "encoding": reading.encoding},
    )
    with started(engine.master) as (session, log):
        if not options.quiet:
            if address := session.sparkContext.uiWebUrl:
                stderr.print(f"Spark shows its jobs, and values of records in their plans, at {address}")
            if log is not None:
                stderr.print(f"what Java says goes to {printable(str(log))}", style="dim")
        with log_shown(quiet=options.quiet), progress_bar("tasks of Spark", quiet=options.quiet) as progress:
            outcome = release_on_spark(session, job, how, progress=progress)
    _print(outcome, options)
    if not options.quiet:
        summarise(outcome.release, plan)
        _say_written(job)


def _print(outcome: Outcome, options: AnonymizeOptions) -> None:
    """Print what standard output is asked for."""
    if options.json_summary:
        print_json(dict(outcome.release.manifest))
    if options.summary:
        stdout.print(outcome.reports[0].summary.text, end="")


def _say_written(job: Job, private: Iterable[str] = ()) -> None:
    reports = [path for request in job.reports for path in request.files]
    names = [name for name in (job.output, job.manifest, *private, *reports) if name is not None and name != STDOUT]
    if names:
        stderr.print(f"wrote {listed([printable(shown(name)) for name in names])}")
