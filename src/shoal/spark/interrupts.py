"""Work of Spark that can be interrupted: it clears up after itself before the interrupt goes on its way."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from concurrent.futures import Future
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from pyspark import InheritableThread

from shoal.spark.messages import SparkError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Result = TypeVar("Result")

_LOOK = 0.2  # seconds between looks at whether it has ended


def interruptible(session: SparkSession, work: Callable[[Event], Result]) -> Result:
    """Do some work on a thread of its own; Ctrl-C and SIGTERM end its jobs, and wait until it has cleared up.

    Parameters
    ----------
    session
        Of the jobs.
    work
        What to do; it is given what is set at an interrupt, after which nothing may get its final name. It fails then,
        as its jobs do.

    Notes
    -----
    Each thread talks to Java by a connection of its own. An interrupt in the middle of a call leaves the answer on the
    way, and every later call on that connection, also those that clear up, would take it for its own. So the thread
    that is interrupted is one that only waits. A second interrupt does not wait.
    """
    context = session.sparkContext
    tag = f"shoal-{secrets.token_hex(4)}"
    stopped = Event()
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            context.addJobTag(tag)
            outcome.set_result(work(stopped))
        except BaseException as error:  # handed to whoever waits
            outcome.set_exception(error)

    InheritableThread(target=run, daemon=True, name="shoal-spark").start()
    try:
        return outcome.result()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        stopped.set()
        ended = Event()
        outcome.add_done_callback(lambda _: ended.set())
        while not ended.wait(_LOOK):
            context.cancelJobsWithTag(tag)  # again and again: it may begin another one before it sees that it must end
        failed = outcome.exception()
        if isinstance(failed, SparkError) and failed.log is not None:
            failed.log.unlink(missing_ok=True)  # what it says is that it was interrupted
        raise
