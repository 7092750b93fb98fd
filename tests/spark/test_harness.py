"""The sessions and clusters of these tests are there, and run Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spark.cluster import Cluster, wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRIVER = """
import sys, time
from pyspark.sql import SparkSession
session = SparkSession.builder.master(sys.argv[1]).config("spark.ui.enabled", "false").getOrCreate()
def same(batches):
    import shoal
    yield from batches
print(session.range(1000).mapInArrow(same, "id long").count(), flush=True)
time.sleep(600)
"""


def test_the_session_runs_the_package_in_its_workers(spark: SparkSession) -> None:
    def versions(batches):
        import shoal

        assert shoal.Plan
        yield from batches

    assert spark.range(1000).mapInArrow(versions, "id long").count() == 1000


def test_the_cluster_has_an_executor_on_each_worker(cluster: Cluster, tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER, encoding="utf-8")
    driver = cluster.start_driver(script)
    assert driver.stdout is not None
    executors = wait_for("two executors", lambda: found if len(found := cluster.executors()) == 2 else None)
    assert driver.stdout.readline().strip() == "1000"
    assert len({executor.pid for executor in executors}) == 2
    cluster.close()
    assert not any(process.is_running() for process in executors)
