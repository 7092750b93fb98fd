"""What native libraries write to standard error by themselves, kept from a screen that gets one sentence."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator


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
    with tempfile.TemporaryFile() as held:
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


def _flush() -> None:
    with contextlib.suppress(OSError):
        sys.stderr.flush()
