"""One Spark for all tests of this folder but those of faults, which have a cluster of processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.java import environment, make_java_home, why_not

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
QUIET = """rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of Spark where there can be none."""
    reason = why_not()
    for item in items:
        if HERE in item.path.parents:
            # Said by pyspark of a pandas newer than itself; none of it is used here but to hand columns over.
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))  # sockets of py4j, closed late
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def spark_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of processes of Spark, for those that tests start themselves."""
    folder = tmp_path_factory.mktemp("spark")
    (folder / "log4j2.properties").write_text(QUIET, encoding="utf-8")
    return environment(make_java_home(folder / "java")) | {"SPARK_CONF_DIR": str(folder)}


@pytest.fixture(scope="session")
def spark(spark_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on two threads, with two partitions after a shuffle and nothing left behind."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("session")
    with pytest.MonkeyPatch.context() as patched:
        for name in [name for name in os.environ if name.startswith(("SPARK_", "PYSPARK_"))]:
            patched.delenv(name)
        for name, value in spark_environment.items():
            patched.setenv(name, value)
        session = (
            SparkSession.builder.master("local[2]")
            .appName("shoal tests")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .config("spark.python.authenticate.socketTimeout", "300s")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.codegen.wholeStage", "false")  # to compile a plan takes longer than to run it here
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .config("spark.local.dir", str(folder / "local"))
            .config(
                "spark.sql.streaming.stateStore.providerClass",
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
            )
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")  # tests provoke errors, and read them where users do
        yield session
        session.stop()
        gateway = session.sparkContext._gateway
        if gateway is not None:  # the JVM ends with its standard input
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=30)
        from pyspark import SparkContext

        SparkContext._gateway = SparkContext._jvm = None
