"""A session of Spark: started to talk to a log file and not to the terminal, its jobs followed and interrupted."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pyspark import InheritableThread
from pyspark.sql import SparkSession

from shoal.errors import DataError, printable
from shoal.spark.messages import SparkError

_LOGGING = """rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""
_LATE = "-XX:+IgnoreUnrecognizedVMOptions " + " ".join(
    f"-XX:Tier4{name}Threshold={count}"
    for name, count in {"Invocation": 30_000, "MinInvocation": 3_000, "Compile": 60_000, "BackEdge": 200_000}.items()
)
"""Java's own thresholds, some six times as high: of the code of a run that lasts a minute, half is not worth its best
compiler. Two million records took 15 seconds of compiling instead of 29, and tasks about as long, in one run each."""
_NO_PAGES = "-Dspark.ui.enabled=false"
"""Spark's pages have no password, are open to the network, and show plans of queries, with extremes of columns in them.
As a property of Java it is a default: whoever sets it by ``--conf`` or in ``spark-defaults.conf`` has the pages."""
_NO_MASTER = "Master must either be"
"""What Spark says of an address that is none."""


@contextmanager
def started(master: str | None) -> Iterator[tuple[SparkSession, Path | None]]:
    """Start a session, or take the one that is there; give it with the file that Java's messages go to, if it is ours.

    Raises DataError: there is no Java, or the address is none of Spark. Raises SparkError: there is no master at that
    address.
    """
    # Said by pyspark of a pandas newer than itself, of which nothing is used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active, None
        return
    folder = Path(tempfile.mkdtemp(prefix="shoal-spark-"))
    log = folder / "spark.log"
    (folder / "log4j2.properties").write_text(_LOGGING.format(log=log), encoding="utf-8")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("shoal").config("spark.ui.showConsoleProgress", "false")
    logging.getLogger().addFilter(_is_not_of_py4j)
    # Those that Spark puts before the extra ones, which are the user's.
    options = f"{_LATE} {_NO_PAGES} -Dlog4j2.configurationFile=file:{folder / 'log4j2.properties'}"
    builder = builder.config("spark.driver.defaultJavaOptions", options)
    if master is not None:
        builder = builder.master(master)
    try:
        with _stderr_into(log), _same_signals_after():
            session = builder.getOrCreate()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        with log.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
        if _NO_MASTER in log.read_text(encoding="utf-8", errors="replace"):
            raise DataError(
                f"{printable(str(master))} is no master of Spark: name one such as local[2], spark://host:7077, yarn "
                f"or k8s://https://host:443; see {log}"
            ) from None
        if "JAVA_GATEWAY_EXITED" in text:
            raise DataError(
                f"Spark needs Java 17 or 21, and none was found or it did not start: set JAVA_HOME; see {log}"
            ) from None
        raise SparkError(f"no session of Spark at {master or 'its default master'}: see {log}", log=log) from None
    try:
        yield session, log
    finally:
        session.stop()


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether the root logger shows a record: py4j tells it of every call that was interrupted, with a trace."""
    return Path(record.pathname).parent.name != "py4j"


@contextmanager
def _same_signals_after() -> Iterator[None]:
    """Answer Ctrl-C afterwards as before: pyspark answers it, also where it is ignored, by a call that may wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None:  # None is one that was not installed by Python
            signal.signal(signal.SIGINT, before)


@contextmanager
def _stderr_into(log: Path) -> Iterator[None]:
    """Let what a starting Java says on standard error go to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


_SECONDS = 0.5


@contextmanager
def followed(session: SparkSession, report: Callable[[int, int], object] | None) -> Iterator[None]:
    """Call ``report`` with (tasks done, tasks known) while a ``with`` block runs jobs."""
    if report is None:
        yield
        return
    over = threading.Event()
    tracker = session.sparkContext.statusTracker()
    tasks: dict[int, tuple[int, int]] = {}

    def look() -> None:
        while not over.wait(_SECONDS):
            for stage in (*tasks, *tracker.getActiveStageIds()):
                if info := tracker.getStageInfo(stage):
                    tasks[stage] = (info.numCompletedTasks, info.numTasks)
            if tasks:
                report(sum(done for done, _ in tasks.values()), sum(total for _, total in tasks.values()))

    watcher = threading.Thread(target=look, daemon=True, name="shoal-spark-progress")
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


Result = TypeVar("Result")

_LOOK = 0.2  # seconds between looks at whether it has ended


def interruptible(session: SparkSession, work: Callable[[threading.Event], Result]) -> Result:
    """Do some work on a thread of its own; Ctrl-C and SIGTERM end its jobs, and wait until it has cleared up.

    The work is given what is set at an interrupt, after which nothing may get its final name; it fails as its jobs do.

    Each thread talks to Java by a connection of its own. An interrupt in the middle of a call leaves the answer on the
    way, and every later call on that connection, also those that clear up, would take it for its own. So the thread
    that is interrupted is one that only waits. A second interrupt does not wait.
    """
    context = session.sparkContext
    tag = f"shoal-{secrets.token_hex(4)}"
    stopped = threading.Event()
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
        while wait([outcome], timeout=_LOOK).not_done:
            context.cancelJobsWithTag(tag)  # again and again: it may begin another one before it sees that it must end
        failed = outcome.exception()
        if isinstance(failed, SparkError) and failed.log is not None:
            failed.log.unlink(missing_ok=True)  # what it says is that it was interrupted
        raise
