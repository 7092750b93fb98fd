"""The place of a release: folder and small files get their names together, or none does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import command
from shoal.errors import OutputError
from shoal.jobs import Job, Watcher
from shoal.spark import anonymize_files
from shoal.spark._anonymize_files import SparkOptions, release_on_spark
from shoal.spark.destination import Destination
from spark.tables import people, plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plan(subject="record").save(tmp_path / "plan.toml")
    pq.write_table(people(60), tmp_path / "in.parquet")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run(spark: SparkSession, folder: Path, root: str, **more: Any) -> None:
    manifest = f"{root}/out.manifest.json"
    source = str(folder / "in.parquet")
    anonymize_files(spark, source, plan(subject="record"), f"{root}/out", manifest=manifest, **more)


@pytest.fixture
def elsewhere(spark: SparkSession, folder: Path) -> str:
    """An address of the folder on a file system that is not local to us."""
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    configuration.set(f"fs.viewfs.mounttable.{folder.name}.link./data", f"file://{folder}")
    return f"viewfs://{folder.name}/data"


def test_a_folder_at_the_name_of_the_manifest_is_refused_before_the_work(spark: SparkSession, folder: Path) -> None:
    (folder / "out.manifest.json").mkdir()
    options = ("--plan", "plan.toml", "--engine", "spark")
    done = command.shoal("anonymize", "in.parquet", "-o", "out", *options, cwd=folder)
    assert done.returncode == 2
    assert b"out.manifest.json is a folder: give the name of a file in it" in done.stderr
    assert b"Spark masks" not in done.stderr
    assert names(folder) == ["in.parquet", "out.manifest.json", "plan.toml"]


def test_a_folder_at_the_name_of_the_manifest_elsewhere_is_refused(
    spark: SparkSession, folder: Path, elsewhere: str
) -> None:
    (folder / "out.manifest.json").mkdir()
    with pytest.raises(OutputError, match=r"out\.manifest\.json is a folder: give the name of a file in it"):
        run(spark, folder, elsewhere)
    assert names(folder) == ["in.parquet", "out.manifest.json", "plan.toml"]


def test_a_release_loses_its_name_where_the_manifest_does_not_get_its_own(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(destination: Destination, real: Any = Destination.finish) -> None:
        real(destination)
        assert (folder / "out" / "_SUCCESS").exists()
        (folder / "out.manifest.json").mkdir()

    monkeypatch.setattr(Destination, "finish", finish)
    with pytest.raises(OutputError, match=r"out\.manifest\.json cannot be written"):
        run(spark, folder, str(folder))
    (folder / "out.manifest.json").rmdir()
    assert names(folder) == ["in.parquet", "plan.toml"]


def test_a_manifest_elsewhere_is_for_its_owner_alone_and_replaces_an_older_one(
    spark: SparkSession, folder: Path, elsewhere: str
) -> None:
    (folder / "out.manifest.json").write_text("older")
    run(spark, folder, elsewhere)
    manifest = folder / "out.manifest.json"
    assert manifest.read_text().startswith("{")
    assert manifest.stat().st_mode & 0o777 == 0o600
    assert (folder / "out").stat().st_mode & 0o777 == folder_mode(folder)
    assert [name for name in names(folder) if not name.endswith(".crc")] == [
        "in.parquet",
        "out",
        "out.manifest.json",
        "plan.toml",
    ]


def folder_mode(folder: Path) -> int:
    """Return the permissions of any new folder."""
    (folder / "new").mkdir()
    mode = (folder / "new").stat().st_mode & 0o777
    (folder / "new").rmdir()
    return mode


def test_nothing_is_left_elsewhere_of_what_cannot_be_finished(
    spark: SparkSession, folder: Path, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(destination: Destination, before: str, after: str, real: Any = Destination._rename) -> None:
        if after.endswith(".json"):
            assert (folder / "out.manifest.json-in-progress").stat().st_mode & 0o777 == 0o600
            raise OutputError("no room")
        real(destination, before, after)

    monkeypatch.setattr(Destination, "_rename", rename)
    with pytest.raises(OutputError, match="no room"):
        run(spark, folder, elsewhere)
    assert names(folder) == ["in.parquet", "plan.toml"]


def test_what_cannot_be_removed_does_not_hide_why_it_is(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Refusing(Watcher):
        def released(self, release: object, original: object) -> None:
            monkeypatch.setattr(Destination, "_delete", None)
            raise OutputError("what is wrong")

    job = Job(source=str(folder / "in.parquet"), plan=plan(subject="record"), output=str(folder / "out"))
    with pytest.raises(OutputError, match="what is wrong"):
        release_on_spark(spark, job, SparkOptions(), watcher=Refusing())
    assert "out-in-progress could not be removed: remove it yourself, it was not judged" in caplog.text
