"""The command line: one file per command, loaded when it is called; no algorithm."""

from __future__ import annotations

import io
import os
import sys

from shoal.cli.signals import end_in_order, leave_at_once

READER_LEFT = 2
"""The exit code where the reader of what is printed left, as `| head` does: without a word."""


def main() -> None:
    """Run the command line.

    Notes
    -----
    Nothing that takes time to load is imported before Ctrl-C is answered.
    """
    leave_at_once()
    end_in_order()
    # On a terminal of no width nothing would be said, not even what is wrong; without a thread polars ends the process.
    for name in ("COLUMNS", "POLARS_MAX_THREADS"):
        if os.environ.get(name, "").strip() and not os.environ[name].strip(" 0"):
            del os.environ[name]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is: a name must not stop a run
    from shoal.cli.commands import app

    try:
        app()
    except OSError as error:  # of a help or a version, which no command guards
        from shoal.cli.console import say_unprinted

        sys.exit(say_unprinted(error))
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            sys.exit(READER_LEFT)
        raise
