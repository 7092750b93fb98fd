"""The example for spark-submit does what it says."""

from __future__ import annotations

import runpy
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from shoal import Plan
from spark.queries import finish

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_hospital_stays_leave_in_classes_of_k_patients_of_a_ward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    stays = pl.read_csv(EXAMPLES / "discharges.csv", infer_schema=False).head(1200)
    stays = stays.with_columns(charge=pl.int_range(pl.len()).cast(pl.Float64))  # which says who is who, for the judge
    (tmp_path / "stays").mkdir()
    for part in range(2):
        stays[600 * part : 600 * (part + 1)].write_csv(tmp_path / "stays" / f"{part}.csv")
    plan = EXAMPLES / "discharges.toml"
    (tmp_path / "waiting").mkdir(mode=0o755)
    words = ["stream.py", "--plan", plan, "--source", tmp_path / "stays", "--out", tmp_path / "out"]
    words += ["--checkpoint", tmp_path / "waiting"]
    monkeypatch.setattr("sys.argv", [*map(str, words), "--max-delay", "60", "--once"])
    finish(lambda: runpy.run_path(str(EXAMPLES / "spark" / "stream.py"), run_name="__main__") and None)

    rows = spark.read.parquet(str(tmp_path / "out")).where("why is null").collect()
    assert len(rows) > 600
    patients = stays["patient_id"].to_list()
    quasi = ("ward", "age", "sex", "postcode", "admitted", "stay", "severity")
    classes: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in rows:
        classes[tuple(row[name] for name in quasi)].add(patients[int(row.charge)])
    assert min(map(len, classes.values())) >= Plan.load(plan).k
    assert len({row.id for row in rows}) == len({row.charge for row in rows}) == len(rows)
    # What waits is beside what is published, for its owner alone.
    assert (tmp_path / "waiting" / "state").exists()
    assert (tmp_path / "waiting").stat().st_mode & 0o777 == 0o700
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} == {"_spark_metadata"}


@pytest.mark.parametrize("checkpoint", [None, "out", "out/_checkpoint"])
def test_what_waits_does_not_stand_in_the_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], checkpoint: str | None
) -> None:
    words = ["stream.py", "--plan", "plan.toml", "--source", "stays", "--out", "out/"]
    monkeypatch.setattr("sys.argv", [*words, *(["--checkpoint", checkpoint] if checkpoint else [])])
    with pytest.raises(SystemExit):
        runpy.run_path(str(EXAMPLES / "spark" / "stream.py"), run_name="__main__")
    said = capsys.readouterr().err
    assert ("--checkpoint must not stand in --out" if checkpoint else "required: --checkpoint") in said
