"""Work that Ctrl-C, SIGTERM and SIGHUP wait for: begun, it is done to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable


class _Job:
    """Work on a thread of its own: Python raises what signals ask for on the main thread alone."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._turn = threading.Lock()
        self._done = threading.Event()
        self._begun = self._cancelled = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do the work, unless it was cancelled before it began."""
        with self._turn:
            if self._cancelled:
                return
            self._begun = True
        try:
            self._work()
        except BaseException as error:  # handed to whoever waits
            self._error = error
        finally:
            self._done.set()

    def cancel(self) -> bool:
        """Keep work that has not begun from beginning; say whether that was possible."""
        with self._turn:
            self._cancelled = not self._begun
            return self._cancelled

    def wait(self) -> None:
        """Wait for the end, and raise what the work raised."""
        self._done.wait()
        if self._error is not None:
            raise self._error


def uninterrupted(work: Callable[[], None]) -> None:
    """Do some work to its end: an interrupt that comes meanwhile is raised afterwards.

    Examples
    --------
    >>> done = []
    >>> uninterrupted(lambda: done.append("renamed"))
    >>> done
    ['renamed']
    """
    job = _Job(work)
    interrupt: BaseException | None = None
    try:
        threading.Thread(target=job.run, name="shoal-uninterrupted").start()
        job.wait()
    except (KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        if job.cancel():
            raise
        interrupt = error
    if interrupt is not None:
        job.wait()
        raise interrupt
