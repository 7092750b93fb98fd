"""Tables on a cluster in which executors, tasks, workers and drivers fail: the same release, or none."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import psutil
import pytest

from spark.cluster import Cluster, wait_for
from spark.faulty import PLAN

RECORDS = 600


class Runs:
    """A cluster with a driver that runs what it is told."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.cluster = Cluster(folder / "cluster", environment)
        self._script = folder / "driver.py"
        self._script.write_text("from spark.faulty import main\n\nmain()\n", encoding="utf-8")
        _people().write_parquet(folder / "in.parquet")

    def start(self) -> None:
        """Start a driver, where none runs."""
        self.driver = self.cluster.start_driver(self._script, str(self.folder))

    def begin(self, name: str, fault: str = "none") -> None:
        """Begin a run."""
        self.driver.stdin.write(f"{name} {fault}\n")
        self.driver.stdin.flush()

    def held(self, name: str) -> psutil.Process:
        """Return the process of the task that waits."""
        file = self.folder / f"{name}-fault" / "held"
        wait_for("a task that waits", lambda: file.exists() and file.read_text())
        return psutil.Process(int(file.read_text()))

    def go(self, name: str) -> None:
        """Let tasks go on."""
        (self.folder / f"{name}-fault" / "go").touch()

    def end(self, name: str) -> Counter[tuple[object, ...]]:
        """Return what a run released when it has ended well."""
        said = json.loads(self.driver.stdout.readline() or '{"error": "the driver has died"}')
        assert "error" not in said, said["error"]
        assert said["rows"] == RECORDS
        assert said["fragments"] > 1
        return self.written(name)

    def written(self, name: str) -> Counter[tuple[object, ...]]:
        """Return the rows under the final name of an output, in no order."""
        return Counter(pl.read_parquet(self.folder / f"{name}.parquet" / "*.parquet").rows())


def _people() -> pl.DataFrame:
    dice = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "who": [f"p{number}" for number in range(RECORDS)],
            "age": dice.integers(0, 90, RECORDS),
            "city": dice.choice(["Vic", "Reus", "Olot"], RECORDS),
            "cost": dice.integers(0, 1000, RECORDS),
        }
    )


def executor_of(task: psutil.Process) -> psutil.Process:
    """Return the executor that a worker of Python belongs to."""
    return next(parent for parent in task.parents() if any("ExecutorBackend" in word for word in parent.cmdline()))


@pytest.fixture(scope="module")
def runs(spark_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    found = Runs(tmp_path_factory.mktemp("runs"), spark_environment)
    with found.cluster:
        found.start()
        yield found
    shutil.rmtree(found.folder)


@pytest.fixture(scope="module")
def calm(runs: Runs) -> Counter[tuple[object, ...]]:
    """What is released when nothing goes wrong."""
    runs.begin("calm")
    return runs.end("calm")


def test_the_release_is_k_anonymous_by_a_count(calm: Counter[tuple[object, ...]]) -> None:
    classes = Counter((age, city) for age, city, _ in calm.elements())
    assert sum(classes.values()) == RECORDS
    assert min(classes.values()) >= PLAN.k
    assert sorted(cost for *_, cost in calm.elements()) == sorted(_people()["cost"])


@pytest.mark.parametrize("where", ["fragment", pytest.param("shuffle", marks=pytest.mark.nightly)])
def test_an_executor_that_is_killed_changes_nothing(runs: Runs, calm: Counter[tuple[object, ...]], where: str) -> None:
    runs.begin(where, f"hold-{where}")
    executor = executor_of(runs.held(where))
    assert executor.pid in {found.pid for found in runs.cluster.executors()}
    executor.kill()
    runs.go(where)
    assert runs.end(where) == calm


def test_a_task_that_fails_twice_changes_nothing(runs: Runs, calm: Counter[tuple[object, ...]]) -> None:
    runs.begin("twice", "fail")
    assert runs.end("twice") == calm
    assert (runs.folder / "twice-fault" / "failed1").exists()


def test_a_worker_that_leaves_changes_nothing(runs: Runs, calm: Counter[tuple[object, ...]]) -> None:
    runs.begin("left", "hold-fragment")
    executor = executor_of(runs.held("left"))
    worker = next(one for one in runs.cluster.workers if one.pid in {parent.pid for parent in executor.parents()})
    worker.kill()
    executor.kill()  # it would notice by itself, in its time
    runs.go("left")
    assert runs.end("left") == calm
    runs.cluster.workers.remove(worker)
    runs.cluster.add_worker("another")


def test_a_driver_that_is_killed_leaves_nothing_under_the_final_name(
    runs: Runs, calm: Counter[tuple[object, ...]]
) -> None:
    runs.begin("killed", "hold-fragment")
    runs.held("killed")
    for process in [runs.driver, *runs.driver.children(recursive=True)]:
        process.kill()
    runs.go("killed")
    assert runs.driver.wait(60) != 0
    assert not (runs.folder / "killed.parquet").exists()
    runs.start()
    runs.begin("killed")
    assert runs.end("killed") == calm
    assert sorted(path.name for path in runs.folder.glob("killed*")) == ["killed-fault", "killed.parquet"]
