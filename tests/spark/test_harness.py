"""The session of these tests is there, and runs Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_session_runs_the_package_in_its_workers(spark: SparkSession) -> None:
    def versions(batches):
        import shoal

        assert shoal.Plan
        yield from batches

    assert spark.range(1000).mapInArrow(versions, "id long").count() == 1000
