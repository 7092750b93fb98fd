"""shoal anonymize --engine spark: the same command on a cluster, for tables that Spark reads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shoal.cli.console import log_shown, print_json, progress_bar, refuse_strictly, require_all, stderr
from shoal.cli.outcome import summarise
from shoal.cli.report import print_summary, printed_options, report_choices
from shoal.cli.signature import declare, own_parameters, parameter
from shoal.errors import PlanError, printable
from shoal.files import Outputs
from shoal.plan import Plan
from shoal.report import Edition, collect
from shoal.report.data import ReportData
from shoal.report.written import report_paths, stage_report

if TYPE_CHECKING:
    from shoal.spark import SparkRelease

_PANEL = "Apache Spark"
_OPTIONS: dict[str, Any] = {
    "engine": Annotated[
        Literal["machine", "spark"],
        typer.Option(help="Where the work is done: on this machine, or by Spark.", rich_help_panel=_PANEL),
    ],
    "master": Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The master of Spark, such as local[2] or spark://host:7077; Spark's own setting if left out.",
            rich_help_panel=_PANEL,
        ),
    ],
    "fragment_size": Annotated[
        int | None,
        typer.Option(help="Records that a worker groups at a time, about; a million.", rich_help_panel=_PANEL),
    ],
}
_TAKEN = {
    "data",
    "plan",
    "output",
    "manifest",
    "report",
    "edition",
    "summary",
    "attacks",
    "json_summary",
    "strict",
    "require",
    "quiet",
}
_READING = {"format": "file_format", "delimiter": "sep", "encoding": "encoding"}
STDOUT = "-"


def on_spark(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--engine``, and let Spark do its work where it is asked for."""
    defaults = {name: each.default for name, each in inspect.signature(command).parameters.items()}

    @functools.wraps(command)
    def run(*, engine: str, master: str | None, fragment_size: int | None, **arguments: Any) -> None:
        if engine == "machine":
            for option, value in (("--master", master), ("--fragment-size", fragment_size)):
                if value is not None:
                    raise PlanError(f"{option} is for Spark: add --engine spark, or leave it out")
            command(**arguments)
            return
        for name, value in arguments.items():
            if name not in _TAKEN and name not in _READING and value != defaults[name]:
                raise PlanError(f"--{name.replace('_', '-')} is for tables on this machine: leave it out with Spark")
        reading = {_READING[name]: arguments[name] for name in _READING}
        taken = {name: value for name, value in arguments.items() if name in _TAKEN}
        _anonymize(**taken, master=master, fragment_size=fragment_size, **reading)

    own = own_parameters(command, without=[])
    added = [parameter(name, option, "machine" if name == "engine" else None) for name, option in _OPTIONS.items()]
    return declare(run, [*own, *added])


def _anonymize(
    *,
    data: str,
    plan: Plan,
    output: str,
    manifest: str | None,
    report: str | None,
    edition: Edition | None,
    summary: bool,
    attacks: list[str],
    json_summary: bool,
    strict: bool,
    require: bool,
    quiet: bool,
    master: str | None,
    fragment_size: int | None,
    **reading: Any,
) -> None:
    if output == STDOUT:
        raise PlanError("a release of Spark is a folder of files: name it with --output")
    try:
        from shoal.spark._anonymize import FRAGMENT_SIZE
        from shoal.spark._anonymize_files import anonymize_files
        from shoal.spark.files import local_path
        from shoal.spark.session import started
    except ModuleNotFoundError as error:
        raise PlanError(f"--engine spark needs {error.name}: pip install 'shoal[spark]'") from None
    choices = report_choices(report, edition, attacks, json_summary=json_summary, summary=summary)
    report_files = None if report is None else report_paths(report)
    outputs = Outputs(printed=printed_options(json_summary=json_summary, summary=summary))
    beside = f"{output.rstrip('/')}.manifest.json" if manifest is None else manifest
    if (here := local_path(beside)) is not None:
        outputs.check(str(here), option="--manifest")
    for path in report_files or ():
        outputs.check(path, option="--report")
    reported: list[ReportData] = []

    def check(found: SparkRelease) -> None:
        """See that everything holds, and make the report, before the release gets its name."""
        if strict and found.giveaways:
            refuse_strictly(found.giveaways)
        if require:
            require_all(found.guarantees, what="asks for it: nothing was written")
        if report is not None or summary:
            name = PurePosixPath(data).name
            reported.append(collect(None, found, plan, edition=choices.edition, name=name, attacks=choices.attacks))
        if report_files is not None:
            stage_report(outputs, report_files, reported[0])

    with started(master) as (session, log):
        if not quiet:
            if address := session.sparkContext.uiWebUrl:
                stderr.print(f"Spark shows its jobs, and values of records in their plans, at {address}")
            if log is not None:
                stderr.print(f"what Java says goes to {printable(str(log))}", style="dim")
        with log_shown(quiet=quiet), progress_bar("tasks of Spark", quiet=quiet) as progress:
            release = anonymize_files(
                session,
                data,
                plan,
                output,
                fragment_size=FRAGMENT_SIZE if fragment_size is None else fragment_size,
                manifest=beside,
                measure=report is not None or summary,
                progress=progress,
                check=check,
                outputs=outputs,
                **reading,
            )
    if json_summary:
        print_json(dict(release.manifest))
    if summary:
        print_summary(reported[0])
    if not quiet:
        summarise(release, plan)
        *others, last = (printable(name) for name in (output, beside, *(report_files or ())))
        stderr.print(f"wrote {', '.join(others)} and {last}")
