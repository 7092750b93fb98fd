"""Workers: processes of their own for whatever takes time, so that pages answer and a cancel frees all at once."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Literal

_EVERY = 0.1
"""Seconds between two tellings of progress."""

DIED = "the process that worked on this ended without a word, perhaps for want of memory: try again, or a smaller table"
MISTAKE = "this is a mistake of shoal ({}): nothing was written, and the page goes on"


@dataclass(eq=False)
class Job:
    """Something under way in a worker.

    ``finished`` is called once with it when it has ended, however it did (`outcome` tells), before anybody sees that.
    """

    task: str
    arguments: tuple[Any, ...] = ()
    finished: Callable[[Job], None] | None = None
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    outcome: Literal["", "done", "failed", "cancelled"] = ""
    stage: str = ""
    stage_started: float = 0.0
    done: int = 0
    total: int = 0
    problem: str = ""
    result: Any = None
    events: list[Any] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    ending: threading.Event = field(default_factory=threading.Event)

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self.state == "running"

    @property
    def seconds(self) -> float:
        """How long it took, or takes so far."""
        return (self.ended or time.monotonic()) - self.started

    @property
    def seconds_left(self) -> float | None:
        """What is left of the stage at the pace so far; None where nothing is known yet."""
        share = self.done / self.total if self.total else 0.0
        taken = (self.ended or time.monotonic()) - self.stage_started
        return taken * (1 - share) / share if share > 0.02 and taken > 1 else None

    def tell(self, stage: str, done: int, total: int) -> None:
        """Say how far it is; the time left is that of a stage, and begins with it."""
        if stage != self.stage:
            self.stage_started = time.monotonic()
        self.stage, self.done, self.total = stage, done, total

    def end(self, state: Literal["done", "failed", "cancelled"], *, result: Any = None, problem: str = "") -> None:
        """Say how it ended, once; what comes later does not count."""
        if self.outcome:
            return
        self.result, self.problem, self.ended, self.outcome = result, problem, time.monotonic(), state
        try:
            if self.finished is not None:
                self.finished(self)
        finally:
            self.state = state  # whoever sees that it ended sees all that came of it
            self.ending.set()


class Worker:
    """A process that does one task after the other, and keeps the table that it has read.

    It is started by the first task, and again by the next one after it was killed or died.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._jobs: list[Job] = []

    @property
    def process_id(self) -> int | None:
        """The number of the process, where there is one."""
        return None if self._process is None else self._process.pid

    def submit(self, task: str, *arguments: Any, finished: Callable[[Job], None] | None = None) -> Job:
        """Ask for a task of `shoal.app.tasks`; it begins when those before it have ended."""
        job = Job(task, arguments, finished)
        with self._lock:
            if self._process is None:
                self._start()
            self._jobs.append(job)
            assert self._pipe is not None
            with contextlib.suppress(OSError):  # it died: the listener says so
                self._pipe.send((task, arguments))
        return job

    def kill(self) -> None:
        """End the process at once: its memory and its cores are free, whatever it was doing is cancelled."""
        with self._lock:
            process, jobs = self._process, list(self._jobs)
            self._jobs.clear()  # they are ended here, and not by the listener
            self._process, self._pipe, self._jobs = None, None, []
        if process is not None:
            process.kill()
            process.join(5)
        for job in jobs:  # nothing writes any more into what is removed now
            job.end("cancelled")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True, name="shoal worker")
        self._process.start()
        theirs.close()
        self._jobs = []
        threading.Thread(target=self._listen, args=(self._process, self._pipe, self._jobs), daemon=True).start()

    def _listen(self, process: Any, pipe: Connection, jobs: list[Job]) -> None:
        while True:
            try:
                what, *rest = pipe.recv()
            except (EOFError, OSError):
                break
            with self._lock:
                job = jobs[0] if jobs else None
                if job is not None and what in ("done", "failed"):
                    jobs.remove(job)
            if job is None:  # cancelled meanwhile
                continue
            if what == "progress":
                job.tell(*rest)
            elif what == "event":
                job.events.append(rest[0])
            else:
                job.end("done", result=rest[0]) if what == "done" else job.end("failed", problem=rest[0])
        with self._lock:
            if self._process is process:
                self._process, self._pipe, self._jobs = None, None, []
            unfinished = list(jobs)
        for job in unfinished:
            job.end("failed", problem=DIED)
        pipe.close()


class Reporter:
    """How a task tells what it does: a stage with its progress, now and then, and events at once."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._last, self._stage = pipe, 0.0, ""
        self._lock = threading.Lock()

    def stage(self, name: str) -> Callable[[int, int], None]:
        """Begin a stage, and return the function that is told its progress."""

        def progress(done: int, total: int) -> None:
            with self._lock:
                now = time.monotonic()
                if name == self._stage and now - self._last < _EVERY and done < total:
                    return
                self._last, self._stage = now, name
                self._pipe.send(("progress", name, int(done), int(total)))

        progress(0, 0)
        return progress

    def event(self, value: Any) -> None:
        """Tell something that is known before the end."""
        with self._lock:
            self._pipe.send(("event", value))


def _serve(pipe: Connection) -> None:
    """Do tasks until nobody asks any more."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()  # Ctrl-C is for the app, which then ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from shoal.app.tasks import TASKS, Bench
    from shoal.errors import ShoalError

    bench = Bench()
    while True:
        try:
            task, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = ("done", TASKS[task](bench, Reporter(pipe), *arguments))
        except ShoalError as error:
            answer = ("failed", str(error))
        except MemoryError:
            answer = ("failed", "the table does not fit in memory: use a smaller one, or a machine with more")
        except BaseException as error:  # a panic of Rust is no Exception; libraries quote values in their messages
            answer = ("failed", MISTAKE.format(type(error).__name__))
        try:
            pipe.send(answer)
        except OSError:  # the app is gone, and nobody shall read a traceback
            return


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
