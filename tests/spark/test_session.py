"""A session that the command line starts by itself, in a process of its own: what it says where it cannot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import command
from spark.tables import plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plan().save(tmp_path / "plan.toml")
    return tmp_path


def run(folder: Path, master: str, environment: dict[str, str]) -> command.Done:
    options = ("--plan", "plan.toml", "--engine", "spark", "--master", master)
    done = command.shoal_process("anonymize", "in", "-o", "out", *options, cwd=folder, env=environment, timeout=300)
    assert b"Traceback" not in done.stderr
    assert b"\tat " not in done.stderr
    return done


def named_log(done: command.Done) -> Path:
    found = re.search(r"see (\S+)", done.stderr.decode())
    assert found, done.stderr
    return Path(found[1])


def test_an_address_that_is_none_is_told_from_a_missing_java(spark_environment: dict[str, str], folder: Path) -> None:
    conf = folder / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(f"spark.driver.extraJavaOptions -Xlog:gc:file={folder / 'gc.log'}\n")
    done = run(folder, "loco[2]", spark_environment | {"SPARK_CONF_DIR": str(conf)})
    assert done.returncode == 2
    assert b"loco[2] is no master of Spark: name one such as local[2], spark://host:7077" in done.stderr
    assert "SparkException" in named_log(done).read_text()
    assert (folder / "gc.log").exists(), "the user's own options of Java count besides ours"


def test_a_missing_java_is_named(spark_environment: dict[str, str], folder: Path) -> None:
    done = run(folder, "local[2]", spark_environment | {"JAVA_HOME": str(folder / "nowhere")})
    assert done.returncode == 2
    assert b"Spark needs Java 17 or 21, and none was found or it did not start: set JAVA_HOME" in done.stderr
    assert named_log(done).exists()
    assert not (folder / "out").exists()


def test_pages_of_spark_are_there_where_they_are_asked_for(spark_environment: dict[str, str], folder: Path) -> None:
    asked = {"PYSPARK_SUBMIT_ARGS": "--conf spark.ui.enabled=true pyspark-shell"}
    done = run(folder, "local[1]", spark_environment | asked)
    assert b"Spark shows its jobs, and values of records in their plans, at http://" in done.stderr
    assert b"there is no table at in" in done.stderr
    assert done.returncode == 2
