"""Jobs of Spark as a person waits for them: progress by tasks, and interrupts that clear up after themselves."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeVar

from pyspark import InheritableThread

from shoal.spark.messages import SparkError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_SECONDS = 0.5


@contextmanager
def followed(session: SparkSession, report: Callable[[int, int], object] | None) -> Iterator[None]:
    """Call ``report`` with (tasks done, tasks known) while a ``with`` block runs jobs."""
    if report is None:
        yield
        return
    over = Event()
    tracker = session.sparkContext.statusTracker()
    tasks: dict[int, tuple[int, int]] = {}

    def look() -> None:
        while not over.wait(_SECONDS):
            for stage in (*tasks, *tracker.getActiveStageIds()):
                known = tracker.getStageInfo(stage)
                if known is not None:
                    tasks[stage] = (known.numCompletedTasks, known.numTasks)
            if tasks:
                report(sum(done for done, _ in tasks.values()), sum(total for _, total in tasks.values()))

    watcher = Thread(target=look, daemon=True, name="shoal-spark-progress")
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


Result = TypeVar("Result")

_LOOK = 0.2  # seconds between looks at whether it has ended


def interruptible(session: SparkSession, work: Callable[[Event], Result]) -> Result:
    """Do some work on a thread of its own; Ctrl-C and SIGTERM end its jobs, and wait until it has cleared up.

    The work is given what is set at an interrupt, after which nothing may get its final name; it fails as its jobs do.

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
