"""A table on a cluster whose executors, tasks, workers and drivers fail: the same release, or none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pyarrow.parquet as pq

from shoal.spark import anonymize
from spark.cluster import Cluster, wait_for
from spark.tables import class_sizes, people, plan, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N, FRAGMENT = 600, 100
PATIENCE = 400.0
"""Seconds for a stage of a cluster whose machine does much else."""
DRIVER = '''
import sys, time, uuid
from pathlib import Path
from pyspark.sql import SparkSession
import shoal.spark._anonymize as stages
import shoal.spark.locate as locate
from shoal import Plan
from shoal.spark._anonymize_files import anonymize_files

master, source, target, plan, marks, failures = sys.argv[1:]

def hold(name):
    """Tell that a stage is at work, and wait until the test lets it go on."""
    (Path(marks) / f"{name}-{uuid.uuid4().hex}").touch()
    end = time.monotonic() + 120
    while not (Path(marks) / f"go-{name}").exists() and time.monotonic() < end:
        time.sleep(0.05)

class HeldAssigner(locate.Assigner):
    def __call__(self, batches):
        hold("shuffle")
        yield from locate.Assigner.__call__(self, batches)

class HeldMask(stages.FragmentMask):
    def __call__(self, fragment):
        hold("fragment")
        if len(list(Path(marks).glob("failed-*"))) < int(failures):
            (Path(marks) / f"failed-{uuid.uuid4().hex}").touch()
            raise RuntimeError("a fault of the test")
        return base(self, fragment)

base = stages.FragmentMask.__call__
locate.Assigner, stages.FragmentMask = HeldAssigner, HeldMask
session = (
    SparkSession.builder.master(master)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.memory", "512m")
    .config("spark.executor.memory", "512m")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()
)
anonymize_files(session, source, Plan.load(plan), target, fragment_size=100)
print("released", flush=True)
session.stop()
'''


def prepare(folder: Path) -> list[str]:
    """Write a table, a plan and the script; return what the script is called with after the master."""
    table = people(N)
    (folder / "in").mkdir()
    (folder / "marks").mkdir()
    for part in range(4):
        pq.write_table(table.slice(part * N // 4, N // 4), folder / "in" / f"{part}.parquet")
    plan().save(folder / "plan.toml")
    (folder / "driver.py").write_text(DRIVER, encoding="utf-8")
    return [str(folder / name) for name in ("in", "out", "plan.toml", "marks")]


def marked(folder: Path, name: str) -> list[Path]:
    return list((folder / "marks").glob(f"{name}-*"))


def test_executors_killed_a_task_that_fails_twice_and_a_worker_that_leaves(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    arguments = prepare(tmp_path)
    driver = cluster.start_driver(tmp_path / "driver.py", *arguments, "2")
    wait_for("the shuffle", lambda: marked(tmp_path, "shuffle"), patience=PATIENCE)
    cluster.executors()[0].kill()
    (tmp_path / "marks" / "go-shuffle").touch()
    wait_for("a fragment", lambda: marked(tmp_path, "fragment"), patience=PATIENCE)
    assert not (tmp_path / "out").exists()
    cluster.executors()[-1].kill()
    (tmp_path / "marks" / "go-fragment").touch()
    wait_for("two failures", lambda: len(marked(tmp_path, "failed")) == 2, patience=PATIENCE)
    leaving = cluster.workers[0]
    for process in [*leaving.children(recursive=True), leaving]:
        process.kill()
    assert driver.wait(timeout=PATIENCE) == 0
    released = pq.read_table(tmp_path / "out")
    undisturbed = anonymize(spark.read.parquet(arguments[0]), plan(), fragment_size=FRAGMENT)
    assert rows(released) == rows(undisturbed.data)
    assert not (tmp_path / "out-in-progress").exists()


def test_a_killed_driver_leaves_nothing_under_the_final_name_and_the_next_run_succeeds(
    spark_environment: dict[str, str], tmp_path: Path
) -> None:
    arguments = prepare(tmp_path)
    command = [sys.executable, str(tmp_path / "driver.py"), "local[2]", *arguments, "0"]
    (tmp_path / "marks" / "go-shuffle").touch()
    with (tmp_path / "driver.log").open("w", encoding="utf-8") as log:
        driver = psutil.Popen(command, env=spark_environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for("a fragment", lambda: marked(tmp_path, "fragment"), patience=PATIENCE)
        family = [*driver.children(recursive=True), driver]
        for process in family:
            process.kill()
        psutil.wait_procs(family, timeout=60)
        assert not (tmp_path / "out").exists()
        assert (tmp_path / "out-in-progress").exists()
        (tmp_path / "marks" / "go-fragment").touch()
        again = subprocess.run(command, env=spark_environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    assert again.returncode == 0, (tmp_path / "driver.log").read_text(encoding="utf-8")[-2000:]
    assert min(class_sizes(pq.read_table(tmp_path / "out"))) >= 5
    assert not (tmp_path / "out-in-progress").exists()
