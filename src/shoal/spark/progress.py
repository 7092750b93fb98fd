"""Progress of jobs: tasks done of tasks known, asked of Spark now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

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
