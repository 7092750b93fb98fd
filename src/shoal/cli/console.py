"""What people see: messages and progress on stderr, errors as one sentence with the right exit code."""

from __future__ import annotations

import functools
import logging
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from shoal.cli.signals import INTERRUPTED, NOTHING_WRITTEN, raise_again
from shoal.errors import GuaranteeError, ShoalError
from shoal.run.giveaways import Giveaway
from shoal.run.release import Guarantees

SHOW_TRACEBACK = "SHOAL_TRACEBACK"
"""Set in the environment, it shows where an unforeseen error comes from."""

# Names of columns are printed as they are: "pay [EUR]" holds no style, and ":key:" no picture.
_plain = functools.partial(Console, highlight=False, soft_wrap=True, markup=False, emoji=False)
stdout, stderr = _plain(), _plain(stderr=True)


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what goes wrong in a command into one sentence on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            raise_again()
            command(*args, **kwargs)
            sys.stdout.flush()
        except ShoalError as error:
            stderr.print("error: ", style="bold red", end="")
            stderr.print(str(error))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            stderr.print(NOTHING_WRITTEN, style="bold")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of our output left (`| head`): leave quietly too, and keep the interpreter from complaining.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except MemoryError:
            stderr.print("error: ", style="bold red", end="")
            stderr.print("the table does not fit in memory: split it by a column, or use a machine with more")
            raise typer.Exit(1) from None
        except Exception as error:
            # Libraries quote values in their errors: a mistake of ours must not carry records into a log.
            if isinstance(error, typer.Exit) or os.environ.get(SHOW_TRACEBACK):
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            stderr.print("error: ", style="bold red", end="")
            stderr.print(
                f"this is a mistake of shoal ({type(error).__name__} in {Path(place.filename).name}, line "
                f"{place.lineno}); with {SHOW_TRACEBACK}=1 you see all of it, which may show values of records"
            )
            raise typer.Exit(1) from None

    return run


class _Printer(logging.Handler):
    """Prints what the library has to say in advance."""

    def emit(self, record: logging.LogRecord) -> None:
        stderr.print(record.getMessage())


@contextmanager
def log_shown(*, quiet: bool = False) -> Iterator[None]:
    """Show on stderr what the library logs for people."""
    logger, handler = logging.getLogger("shoal"), _Printer(logging.INFO)
    level = logger.level
    if not quiet:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar with the time left on a terminal; give None, and show nothing, in a pipe."""
    if quiet or not stderr.is_terminal:
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def print_guarantees(guarantees: Guarantees) -> None:
    """Say on stderr what was asked and what holds."""
    for guarantee in guarantees.values():
        mark, style = ("✓", "bold green") if guarantee.holds else ("✗", "bold red")
        asked = "" if guarantee.asked is None else f" (asked {guarantee.asked})"
        stderr.print(mark, style=style, end=" ")
        reached = guarantee.achieved if isinstance(guarantee.achieved, int) else f"{guarantee.achieved:.4g}"
        # What does not hold is said as loudly as the mark: nobody should read past it.
        loud = None if guarantee.holds else style
        stderr.print(f"{guarantee.name} = {reached}{asked}: {guarantee.definition}", style=loud)
        if guarantee.note:
            stderr.print(f"  {guarantee.note}", style="dim")


def print_giveaways(giveaways: Iterable[Giveaway]) -> None:
    """Say on stderr what a person should know beside the guarantees, and which lines of the plan would end it."""
    for giveaway in giveaways:
        stderr.print("warning: ", style="bold yellow", end="")
        stderr.print(giveaway.sentence)
        if giveaway.remedy:
            stderr.print("  these lines of the plan would end it:", style="dim")
            stderr.print(textwrap.indent(giveaway.remedy, "    "))


def refuse_strictly(giveaways: Sequence[Giveaway]) -> NoReturn:
    """Say what ``--strict`` does not let pass, and that nothing was written."""
    print_giveaways(giveaways)
    count = len(giveaways)
    raise GuaranteeError(f"--strict, and {count} warning{'s' if count > 1 else ''}: nothing was written")
