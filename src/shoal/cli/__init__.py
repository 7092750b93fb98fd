"""The command line: one file per command, no algorithm."""

from __future__ import annotations

import io
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from shoal.cli.anonymize import anonymize_command
from shoal.cli.check import check_command
from shoal.cli.compare import compare_command
from shoal.cli.console import guarded
from shoal.cli.init import init_command
from shoal.cli.measure import measure_command
from shoal.cli.report import report_command
from shoal.cli.reproduce import reproduce_command
from shoal.cli.stream import stream_command

app = typer.Typer(
    name="shoal",
    help="Anonymize tables by microaggregation, with guarantees that are checked and losses that are measured.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
COMMANDS = {
    "init": init_command,
    "check": check_command,
    "anonymize": anonymize_command,
    "measure": measure_command,
    "report": report_command,
    "compare": compare_command,
    "reproduce": reproduce_command,
    "stream": stream_command,
}
for name, command in COMMANDS.items():
    app.command(name)(guarded(command))


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"shoal {version('shoal')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def _terminate(signum: int, frame: FrameType | None) -> None:
    # As an exception, so that files half-written beside their place are removed on the way out.
    sys.exit(128 + signum)


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _terminate)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is: a name must not stop a run
    app()
