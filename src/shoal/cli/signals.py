"""Ctrl-C, SIGTERM and SIGHUP (a terminal is closed): what they do while modules load, and while a command works."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # typing takes longer to load than all of this
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
NOTHING_WRITTEN = "interrupted: nothing was written"

ENDING = (signal.SIGTERM,) if sys.platform == "win32" else (signal.SIGTERM, signal.SIGHUP)
"""What asks a process to end: by its number, or with the terminal in which it runs."""

_loading = False


def leave_at_once() -> None:
    """Let Ctrl-C end the process in one line while modules load, when there is nothing to clean up yet.

    An exception would not do: import machinery and libraries swallow some of them, or show a traceback. A signal that
    is ignored stays ignored, as for jobs in the background and under nohup.
    """
    global _loading
    _loading = True
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _answer)


def raise_again() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, so that a command removes what it has half written."""
    global _loading
    _loading = False
    # When it is loaded, Polars puts a handler before Python's that stops its queries. It stays; but it would answer
    # what was ignored, and let a command that waits for standard input wait on.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    elif sys.platform != "win32":
        signal.siginterrupt(signal.SIGINT, True)


def _answer(signum: int, frame: FrameType | None) -> None:
    if not _loading:
        raise KeyboardInterrupt
    try:
        os.write(2, f"{NOTHING_WRITTEN}\n".encode())
    finally:
        os._exit(INTERRUPTED)


def end_in_order() -> None:
    """Let SIGTERM and SIGHUP end the process in good order; what is ignored stays ignored, as under nohup."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _terminate)


def _terminate(signum: int, frame: FrameType | None) -> None:
    """End by an exception, so that files half-written beside their place are removed on the way out."""
    sys.exit(128 + signum)
