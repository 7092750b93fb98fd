"""Work that Ctrl-C, SIGTERM and SIGHUP wait for: begun, it is done to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future


def uninterrupted(work: Callable[[], None]) -> None:
    """Do some work to its end: an interrupt that comes meanwhile is raised afterwards.

    Examples
    --------
    >>> done = []
    >>> uninterrupted(lambda: done.append("renamed"))
    >>> done
    ['renamed']
    """
    job: Future[None] = Future()

    def run() -> None:
        if job.set_running_or_notify_cancel():
            try:
                work()
                job.set_result(None)
            except BaseException as error:  # handed to whoever waits
                job.set_exception(error)

    interrupt: BaseException | None = None
    try:
        # On a thread of its own: Python raises what signals ask for on the main thread alone.
        threading.Thread(target=run, name="shoal-uninterrupted").start()
        job.result()
    except (KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        if job.cancel():  # which is possible before it has begun
            raise
        interrupt = error
    if interrupt is not None:
        job.result()
        raise interrupt
