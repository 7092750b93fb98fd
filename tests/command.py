"""The command line as the tests run it: inside this process, or in one of its own where the process is the matter.

Starting Python and loading the libraries takes ten times longer than most commands. A process of its own is for
signals, pipes that break or wait, closed streams, limits of the system and what an import loads.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from unittest import mock

from shoal.cli.signals import ENDING

SCREEN = {"COLUMNS": "200", "NO_COLOR": "1"}
Done = subprocess.CompletedProcess[bytes]


def shoal(*arguments: object, cwd: Path, stdin: bytes | Path = b"") -> Done:
    """Run the command line in this process; what it left behind is told as for a process of its own.

    Standard input holds some bytes, or is a file, as after ``<`` in a shell.
    """
    from shoal.cli import console, main

    words = [str(argument) for argument in arguments]
    with (
        contextlib.ExitStack() as after,
        stdin.open("rb") if isinstance(stdin, Path) else tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        if isinstance(stdin, bytes):
            source.write(stdin)
            source.seek(0)
        after.enter_context(mock.patch.object(sys, "argv", ["shoal", *words]))
        after.enter_context(mock.patch.object(sys, "excepthook", sys.excepthook))
        after.enter_context(mock.patch.dict(os.environ, SCREEN))
        after.enter_context(contextlib.chdir(cwd))
        after.enter_context(same_signals_after())
        after.enter_context(same_log_after())
        after.enter_context(_standard_streams(source, out, err))
        # As consoles of a new process would be: they look at the environment when they are made.
        vars(console.stdout).update(vars(console._plain()))
        vars(console.stderr).update(vars(console._plain(stderr=True)))
        code = _exit_code(main)
        after.close()
        return Done(words, code, _content(out), _content(err))


def _exit_code(main: Callable[[], None]) -> int:
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _content(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


@contextlib.contextmanager
def _standard_streams(*files: BinaryIO) -> Iterator[None]:
    """Put files in the place of the standard streams, for Python and for whoever uses their numbers."""
    kept = [os.dup(number) for number in range(3)]
    before = sys.stdin, sys.stdout, sys.stderr
    for stream in before[1:]:
        stream.flush()
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    options: dict[str, Any] = {"encoding": "utf-8", "closefd": False}
    sys.stdin = open(0, **options)  # noqa: SIM115  # numbers, closed below
    sys.stdout = open(1, "w", **options)  # noqa: SIM115
    sys.stderr = open(2, "w", errors="backslashreplace", **options)  # noqa: SIM115
    ours: list[io.TextIOBase] = [sys.stdin, sys.stdout, sys.stderr]
    try:
        yield
    finally:
        for stream in ours:
            stream.close()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)


@contextlib.contextmanager
def same_signals_after() -> Iterator[None]:
    """Answer signals afterwards as before: the command line answers some in its own way."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def same_log_after() -> Iterator[None]:
    logger = logging.getLogger("shoal.stream")
    before = [*logger.handlers], logger.level, logger.propagate
    try:
        yield
    finally:
        logger.handlers, logger.propagate = before[0], before[2]
        logger.setLevel(before[1])


def shoal_process(*arguments: object, **options: Any) -> Done:
    """Run the command line in a process of its own."""
    options = {"capture_output": True, "timeout": 120, "check": False, **options}
    options["env"] = {**options.get("env", os.environ), **SCREEN}
    with interruptible():
        return subprocess.run([*COMMAND, *map(str, arguments)], **options)


def start_shoal(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command line in a process of its own, and leave it running."""
    with interruptible():
        return subprocess.Popen([*COMMAND, *map(str, arguments)], **options)


COMMAND = (sys.executable, "-m", "shoal")


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Heed Ctrl-C and the end of a terminal, here and in processes started here, also where pytest ignores them.

    Jobs in the background of a script are, and a process inherits what its parent ignores, but not what it answers.
    """
    with same_signals_after():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        yield
