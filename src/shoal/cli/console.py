"""What people see: messages and progress on stderr, errors as one sentence with the right exit code."""

import contextlib
import functools
import json
import logging
import os
import re
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal.auditor import Finding
from shoal.cli.signals import INTERRUPTED, NOTHING_WRITTEN, raise_again
from shoal.errors import DataError, GuaranteeError, OutputError, ShoalError, counted, printable
from shoal.files.outputs import files_written
from shoal.files.write_errors import write_reason
from shoal.files_in_use import files_read
from shoal.giveaways import Giveaway
from shoal.progress import Progress, terminal_bar
from shoal.run.release import Guarantees

NOT_SHOWN = 4
"""The exit code where the files were written, and what was to be printed could not be."""
SHOW_TRACEBACK = "SHOAL_TRACEBACK"
"""Set in the environment, it shows where an unforeseen error comes from."""


class StandardOutputError(OutputError):
    """What was to be printed on standard output could not be."""


class _Screen(Console):
    """A console that obeys no name: whatever is printed, also in a table, cannot move the cursor or turn the line.

    What standard output does not take is said; what standard error does not take cannot be said to anybody.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Leave it to `guarded`, which knows what was written, instead of ending the process."""
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; see above."""
        with contextlib.suppress(OSError) if self.stderr else _stdout_errors():
            super().print(*objects, **options)


class Grid(Table):
    """A bare table whose cells are one line each: a name that holds the end of a line adds none that nobody wrote."""

    def __init__(self, *headers: str) -> None:
        super().__init__(*headers, box=None, pad_edge=False, header_style="bold")

    def add_row(self, *cells: Any, **options: Any) -> None:
        """Add a row; see above."""
        super().add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in cells), **options)


@contextmanager
def _stdout_errors() -> Iterator[None]:
    """Turn what goes wrong with standard output inside the block into one sentence."""
    if sys.stdout is None:
        raise StandardOutputError("standard output is closed, and there is something to print")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unprinted(error) from None


def _unprinted(error: OSError) -> StandardOutputError:
    return StandardOutputError(f"standard output cannot be written: {write_reason(error)}")


# Names of columns are printed as they are: "pay [EUR]" holds no style, and ":key:" no picture.
_plain = functools.partial(_Screen, highlight=False, soft_wrap=True, markup=False, emoji=False)
stdout, stderr = _plain(), _plain(stderr=True)


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what goes wrong in a command into one sentence on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        with files_read(), files_written() as written:
            try:
                raise_again()
                command(*args, **kwargs)
                if sys.stdout is not None:
                    with _stdout_errors():
                        sys.stdout.flush()
            except (typer.Exit, SystemExit):
                raise
            except BaseException as error:  # a panic of Rust is no Exception
                raise typer.Exit(_answer(error, written)) from None

    return run


def say_unprinted(error: OSError) -> int:
    """Say that standard output did not take what was to be printed, and return the exit code."""
    return _answer(_unprinted(error), ())


def _answer(error: BaseException, written: Sequence[Path]) -> int:
    """Say what happened in one sentence, and return the exit code."""
    match error:
        case StandardOutputError():
            _quieten_stdout()
            if written:
                _say_error(f"{error}; {_files(written)} written before")
                return NOT_SHOWN
            _say_error(f"{error}; nothing was written")
            return error.exit_code
        case ShoalError():
            _say_error(str(error))
            return error.exit_code
        case KeyboardInterrupt():
            last = f", the last {printable(written[-1].name)}" if written else ""
            sentence = f"interrupted after {_files(written)} written{last}" if written else NOTHING_WRITTEN
            stderr.print(sentence, style="bold")
            return INTERRUPTED
        case BrokenPipeError():
            # The reader of our output left (`| head`): leave quietly too, unless there are files to tell of.
            _quieten_stdout()
            if written:
                _say_error(f"standard output was closed by its reader; {_files(written)} written before")
                return NOT_SHOWN
            return OutputError.exit_code
        case MemoryError():
            _say_error("the table does not fit in memory: split it by a column, or use a machine with more")
            return DataError.exit_code
    # Libraries quote values in their errors: a mistake of ours must not carry records into a log.
    if os.environ.get(SHOW_TRACEBACK):
        raise error
    place = traceback.extract_tb(error.__traceback__)[-1]
    _say_error(
        f"this is a mistake of shoal ({type(error).__name__} in {Path(place.filename).name}, line "
        f"{place.lineno}); with {SHOW_TRACEBACK}=1 you see all of it, which may show values of records"
    )
    return 1


def _say_error(sentence: str) -> None:
    stderr.print("error: ", style="bold red", end="")
    stderr.print(printable(sentence))


def _files(written: Sequence[Path]) -> str:
    return f"{counted(len(written), 'file')} {'was' if len(written) == 1 else 'were'}"


def _quieten_stdout() -> None:
    """Keep the interpreter from complaining once more at its end of what standard output did not take."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def stderr_held_back() -> Iterator[None]:
    """Hold back what is written to standard error inside the block; it is shown unless the block raises.

    A panic of a library in Rust prints where it happened, over pages and maybe with values, before it becomes an
    exception. What is wrong is said in a sentence instead.
    """
    if sys.stderr is None:
        yield
        return
    _flush_stderr()
    with _unseen_file() as unseen:
        screen = os.dup(2)
        os.dup2(unseen.fileno(), 2)
        failed = True
        try:
            yield
            failed = False
        finally:
            _flush_stderr()
            os.dup2(screen, 2)
            os.close(screen)
            unseen.seek(0)
            if not failed and (text := unseen.read()):
                with contextlib.suppress(OSError):
                    os.write(2, text)


def _unseen_file() -> BinaryIO:
    """Return a file in memory, where the system has such: what a library says may hold values; else a temporary one.

    Where there is none, what is said inside the block is lost, and nothing else.
    """
    with contextlib.suppress(OSError, AttributeError):
        return os.fdopen(os.memfd_create("stderr"), "w+b", buffering=0)
    with contextlib.suppress(OSError):
        return cast("BinaryIO", tempfile.TemporaryFile())
    return Path(os.devnull).open("w+b", buffering=0)


def _flush_stderr() -> None:
    with contextlib.suppress(OSError):
        sys.stderr.flush()


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


def progress_bar(title: str, *, quiet: bool = False) -> AbstractContextManager[Progress | None]:
    """Return a progress bar with the time left on a terminal; what gives None, and shows nothing, in a pipe."""
    return nullcontext() if quiet or not stderr.is_terminal else terminal_bar(title, stderr)


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


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Say what the auditor judged, and what it could not."""
    for name, holds, words in findings:
        mark, style = ("?", "bold yellow") if holds is None else ("✓", "bold green") if holds else ("✗", "bold red")
        console.print(mark, style=style, end=" ")
        console.print(f"{name}: {words}")


def print_json(content: Any) -> None:
    """Print a value as JSON on standard output; of control characters nothing but escapes."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    with _stdout_errors():
        typer.echo(_CONTROLS.sub(lambda control: f"\\u{ord(control.group()):04x}", text))


_CONTROLS = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Those that JSON leaves as they are."""


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
    raise GuaranteeError(f"--strict, and {counted(len(giveaways), 'warning')}: nothing was written")
