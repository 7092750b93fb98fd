"""The command line: one file per command, loaded when it is called; no algorithm."""

from __future__ import annotations

import io
import os
import sys

from shoal.cli.signals import end_in_order, leave_at_once


def main() -> None:
    """Run the command line.

    Notes
    -----
    Nothing that takes time to load is imported before Ctrl-C is answered.
    """
    leave_at_once()
    end_in_order()
    if os.environ.get("COLUMNS", "").strip() and not os.environ["COLUMNS"].strip(" 0"):
        del os.environ["COLUMNS"]  # on a terminal of no width nothing would be said, not even what is wrong
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is: a name must not stop a run
    from shoal.cli.app import app

    app()
