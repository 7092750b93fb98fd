"""A standalone cluster of Spark on loopback: a master, workers and the drivers of tests, each a process."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

import psutil

from isolation import outlives_the_test

Found = TypeVar("Found")

PATIENCE = 300.0
"""Seconds that something may take on a busy machine before a test gives up."""


def wait_for(what: str, find: Callable[[], Found | None], *, patience: float = PATIENCE) -> Found:
    """Return what is found as soon as it is, and give up with its name when it is not."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {patience:g} seconds for {what}")


class Cluster:
    """A master with two workers.

    Parameters
    ----------
    folder
        Where the processes write their logs and work.
    environment
        What they are started with.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        folder.mkdir()
        self._folder = folder
        self._environment = environment | {"SPARK_CONF_DIR": str(folder)}
        (folder / "log4j2.properties").write_text(
            "rootLogger.level = info\nrootLogger.appenderRef.stderr.ref = stderr\nappender.stderr.type = Console\n"
            "appender.stderr.name = stderr\nappender.stderr.target = SYSTEM_ERR\n"
            "appender.stderr.layout.type = PatternLayout\nappender.stderr.layout.pattern = %p %c{1}: %m%n\n",
            encoding="utf-8",
        )
        self._processes: list[psutil.Popen] = []
        self.master = ""
        self.workers: list[psutil.Popen] = []

    def __enter__(self) -> Self:
        try:
            self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
            self.master = wait_for("the master", lambda: self._said("master", r"Starting Spark master at (\S+)"))
            for number in range(2):
                self.add_worker(f"worker{number}")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add_worker(self, name: str) -> psutil.Popen:
        """Start a worker of one core and wait until the master has it."""
        worker = self._start(
            name,
            "org.apache.spark.deploy.worker.Worker",
            *(
                "--host",
                "127.0.0.1",
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                str(self._folder / f"{name}-work"),
            ),
            self.master,
        )
        wait_for(name, lambda: self._said(name, r"Successfully registered with master (\S+)"))
        self.workers.append(worker)
        return worker

    def start_driver(self, script: Path | str, *arguments: str) -> psutil.Popen:
        """Start a Python script whose first argument is the address of the master."""
        with (self._folder / f"driver{len(self._processes)}.log").open("w", encoding="utf-8") as log:
            driver = psutil.Popen(
                [sys.executable, str(script), self.master, *arguments],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        return self._ended_here(driver)

    def executors(self) -> list[psutil.Process]:
        """Return the processes that run tasks, one for each worker that has one."""
        return [child for worker in self.workers for child in _children(worker) if _is_executor(child)]

    def close(self) -> None:
        """End every process that was started here, and those that they started."""
        family = [*self._processes, *(child for process in self._processes for child in _children(process))]
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(family, timeout=PATIENCE)
        for started in self._processes:
            for pipe in (started.stdin, started.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()

    def _start(self, name: str, main: str, *arguments: str) -> psutil.Popen:
        spec = importlib.util.find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        with (self._folder / f"{name}.log").open("w", encoding="utf-8") as log:
            process = psutil.Popen(
                [str(Path(spec.origin).parent / "bin" / "spark-class"), main, "--webui-port", "0", *arguments],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self._ended_here(process)

    def _ended_here(self, process: psutil.Popen) -> psutil.Popen:
        outlives_the_test(process.pid)
        self._processes.append(process)
        return process

    def _said(self, name: str, pattern: str) -> str | None:
        found = re.search(pattern, (self._folder / f"{name}.log").read_text(encoding="utf-8"))
        return found[1] if found else None


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _is_executor(process: psutil.Process) -> bool:
    try:
        return any("CoarseGrainedExecutorBackend" in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False
