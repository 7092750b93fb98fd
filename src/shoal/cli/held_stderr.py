"""What native libraries write to standard error by themselves, kept from a screen that gets one sentence."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast


@contextlib.contextmanager
def held_stderr() -> Iterator[None]:
    """Hold back what is written to standard error inside the block; it is shown unless the block raises.

    A panic of a library in Rust prints where it happened, over pages and maybe with values, before it becomes an
    exception. What is wrong is said in a sentence instead.
    """
    if sys.stderr is None:
        yield
        return
    _flush()
    with _file() as held:
        screen = os.dup(2)
        os.dup2(held.fileno(), 2)
        failed = True
        try:
            yield
            failed = False
        finally:
            _flush()
            os.dup2(screen, 2)
            os.close(screen)
            held.seek(0)
            if not failed and (said := held.read()):
                with contextlib.suppress(OSError):
                    os.write(2, said)


def _file() -> BinaryIO:
    """Return a file in memory, where the system has such: what a library says may hold values; else a temporary one.

    Where there is none, what is said inside the block is lost, and nothing else.
    """
    with contextlib.suppress(OSError, AttributeError):
        return os.fdopen(os.memfd_create("stderr"), "w+b", buffering=0)
    with contextlib.suppress(OSError):
        return cast("BinaryIO", tempfile.TemporaryFile())
    return Path(os.devnull).open("w+b", buffering=0)


def _flush() -> None:
    with contextlib.suppress(OSError):
        sys.stderr.flush()
