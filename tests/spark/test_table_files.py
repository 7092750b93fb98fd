"""shoal anonymize --engine spark: folders in, folders out, nothing under its name before everything holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

import command
import shoal
from shoal.errors import PlanError
from shoal.spark import anonymize_files
from shoal.spark.files import format_of
from spark.tables import canonical, class_sizes, people, plan, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N = 400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plan().save(tmp_path / "plan.toml")
    (tmp_path / "in").mkdir()
    table = people(N)
    for part in range(2):
        pq.write_table(table.slice(part * N // 2, N // 2), tmp_path / "in" / f"{part}.parquet")
    return tmp_path


def run(folder: Path, *arguments: str) -> command.Done:
    return command.shoal("anonymize", *arguments, "--plan", "plan.toml", "--engine", "spark", cwd=folder)


def sorted_cells(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return a row in the order of its names, without gaps: JSON leaves them out."""
    return sorted((name, cell) for name, cell in row.items() if cell is not None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_parquet_to_parquet(spark: SparkSession, folder: Path) -> None:
    done = run(folder, "in", "-o", "out", "--fragment-size", "100")
    assert done.returncode == 0, done.stderr
    assert b"k_anonymity = 5 (asked 5)" in done.stderr
    assert b"Spark shows its jobs" not in done.stderr
    assert b"Spark masks 400 records in 4 fragments\nSpark judges what it wrote\n" in done.stderr
    assert names(folder) == ["in", "out", "out.manifest.json", "plan.toml"]
    released = pq.read_table(folder / "out")
    assert released.num_rows == N
    assert min(class_sizes(released)) >= 5
    manifest = json.loads((folder / "out.manifest.json").read_text())
    assert manifest["spark"]["fragments"] == 4
    assert manifest["guarantees"][0]["holds"] is True
    again = run(folder, "in", "-o", "out")
    assert again.returncode == 2
    assert b"there is something at out already" in again.stderr
    assert rows(pq.read_table(folder / "out")) == rows(released)


def test_the_release_of_files_is_read_from_its_final_place(spark: SparkSession, folder: Path) -> None:
    asked = plan(subject="id")
    source, target = str(folder / "in"), str(folder / "out[1]")  # a pattern to Spark, which must not match another
    release = anonymize_files(spark, source, asked, target, fragment_size=150, measure=True)
    assert rows(release.data) == rows(pq.read_table(target))
    assert release.manifest["measures"]["k_min"] >= 5
    assert release.manifest["output"]["columns"] == release.data.columns
    assert names(folder) == ["in", "out[1]", "plan.toml"], "no manifest where none was asked for"


def test_a_report_beside_the_release(spark: SparkSession, folder: Path) -> None:
    done = run(folder, "in", "-o", "out", "--report", "report.html", "--attacks", "none", "--summary", "--quiet")
    assert done.returncode == 0, done.stderr
    assert b"What is promised holds on the released table" in done.stdout
    assert names(folder) == ["in", "out", "out.manifest.json", "plan.toml", "report.html", "report.json"]
    told = json.loads((folder / "report.json").read_text())
    manifest = json.loads((folder / "out.manifest.json").read_text())
    facts = {each["name"]: each["value"] for each in told["facts"]}
    assert facts["records"] == N
    assert facts["information lost"] == manifest["measures"]["il_percent"]
    assert "<html" in (folder / "report.html").read_text()


def test_csv_to_orc(spark: SparkSession, folder: Path) -> None:
    table = people(N).set_column(7, "note", pa.array([f"0{i % 7}" for i in range(N)]))
    (folder / "visits.csv").mkdir()
    pa.csv.write_csv(table, folder / "visits.csv" / "part.csv")
    done = run(folder, "visits.csv", "-o", "out.orc", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    parts = [pa.orc.read_table(file) for file in sorted((folder / "out.orc").glob("*.orc"))]
    released = pa.concat_tables(parts)
    assert min(class_sizes(released)) >= 5
    assert sorted(released["note"].to_pylist()) == sorted(table["note"].to_pylist()), "leading zeros survive"
    assert str(released.schema.field("seen").type) == "date32[day]"


def test_json_to_json(spark: SparkSession, folder: Path) -> None:
    table = people(N).drop_columns(["seen"])  # JSON has no dates
    (folder / "visits.json").mkdir()
    for part in range(2):
        lines = (json.dumps(row) for row in table.slice(part * N // 2, N // 2).to_pylist())
        (folder / "visits.json" / f"{part}.json").write_text("\n".join(lines), encoding="utf-8")
    attributes = {name: keys for name, keys in plan().to_dict()["attributes"].items() if name != "seen"}
    asked = plan().replace(attributes=attributes)
    asked.save(folder / "plan.toml")
    done = run(folder, "visits.json", "-o", "out.json", "--quiet")
    assert done.returncode == 0, done.stderr
    files = sorted((folder / "out.json").glob("*.json"))
    released = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    alone = shoal.anonymize(canonical(table.select(sorted(table.column_names))), asked)
    assert sorted(map(str, map(sorted_cells, released))) == sorted(map(str, map(sorted_cells, alone.data.to_pylist())))
    assert json.loads((folder / "out.json.manifest.json").read_text())["guarantees"][0]["achieved"] >= 5


def test_nothing_is_left_of_a_release_that_is_refused(spark: SparkSession, folder: Path) -> None:
    done = run(folder, "in", "-o", "out", "--by", "note", "--k", "60")
    assert done.returncode == 3
    assert b"by = 'note' has 7 of 7 values with fewer than k = 60 records" in done.stderr
    assert names(folder) == ["in", "plan.toml"]


def test_strict_refuses_what_one_machine_would_warn_of(spark: SparkSession, folder: Path) -> None:
    assert run(folder, "in", "-o", "clean", "--strict", "--quiet").returncode == 0
    codes = pa.array([f"c{i}" for i in range(N)])
    for part in range(2):
        table = people(N).set_column(7, "note", codes).slice(part * N // 2, N // 2)
        pq.write_table(table, folder / "in" / f"{part}.parquet")
    done = run(folder, "in", "-o", "out", "--strict")
    assert done.returncode == 3
    assert b"'note' is released as it is, and 400 of its values belong to a single record" in done.stderr
    assert names(folder) == ["clean", "clean.manifest.json", "in", "plan.toml"]


def test_files_that_differ_in_their_columns_are_refused(spark: SparkSession, folder: Path) -> None:
    table = people(N)
    pq.write_table(table.set_column(1, "age", table["age"].cast("string")), folder / "in" / "2.parquet")
    done = run(folder, "in", "-o", "out")
    assert done.returncode == 2
    assert b"do not have the same types in the same columns" in done.stderr
    pq.write_table(table.append_column("ward", table["age"]), folder / "in" / "2.parquet")
    done = run(folder, "in", "-o", "out")
    assert done.returncode == 2
    assert b"the plan does not declare column 'ward'" in done.stderr
    assert names(folder) == ["in", "plan.toml"]


@pytest.mark.parametrize("ending", ["orc", "json"])
def test_a_column_of_a_later_file_alone_does_not_get_lost(spark: SparkSession, folder: Path, ending: str) -> None:
    source = folder / f"visits.{ending}"
    source.mkdir()
    for part, table in enumerate((people(N).drop_columns(["seen"]), people(3).drop_columns(["seen"]))):
        later = table.append_column("ward", table["age"]) if part else table
        if ending == "orc":
            pa.orc.write_table(later, source / f"{part}.orc")
        else:
            (source / f"{part}.json").write_text("\n".join(map(json.dumps, later.to_pylist())), encoding="utf-8")
    done = run(folder, source.name, "-o", "out")
    assert done.returncode == 2
    assert b"the plan does not declare column 'ward'" in done.stderr


def trace_named_in(said: str) -> str:
    """Return the trace that a message names, and remove it."""
    assert "Traceback" not in said
    assert "\tat " not in said
    found = re.search(r"the trace(?:, which names it,)? is in (\S+)", said)
    assert found, said
    log = Path(found[1])
    text = log.read_text()
    assert log.stat().st_mode & 0o077 == 0, "a trace may hold values of records"
    log.unlink()
    return text


def test_a_failing_job_is_one_sentence_and_its_trace_is_in_a_file(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(frame: Any, *_: Any, **__: Any) -> None:
        frame.selectExpr("raise_error('a value')").collect()

    monkeypatch.setattr("shoal.spark._anonymize_files.write", fail)
    done = run(folder, "in", "-o", "out")
    said = done.stderr.decode()
    assert done.returncode == 1, said
    assert "the job of Spark failed (USER_RAISED_EXCEPTION), and nothing was released" in said
    assert "a value" not in said
    assert "Exception" in trace_named_in(said)
    assert names(folder) == ["in", "plan.toml"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param("in/2.parquet", b"PAR1SECRETBYTES" * 20, id="no Parquet"),
        pytest.param("in/1.parquet", None, id="half a Parquet"),
        pytest.param("in.csv", b"id,age,ward\nSECRET1,40,w\nSECRET2,41,w\nSECRET3,42\n", id="a short line"),
        pytest.param("in.orc", b"SECRET" * 50, id="no ORC"),
    ],
)
def test_a_damaged_file_is_wrong_data(spark: SparkSession, folder: Path, file: str, content: bytes | None) -> None:
    path = folder / file
    path.write_bytes(path.read_bytes()[:-600] + b"PAR1" if content is None else content)
    if file == "in.csv":
        declared = plan().to_dict()["attributes"]
        attributes = {"id": declared["id"], "age": declared["age"], "ward": declared["note"]}
        shoal.Plan(k=2, attributes=attributes).save(folder / "plan.toml")
    done = run(folder, file.partition("/")[0], "-o", "out")
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert "the table cannot be read (" in said
    assert "a file is damaged, is not of its format, or has records that do not have the columns of its header" in said
    assert "SECRET" not in said
    assert "Exception" in trace_named_in(said)
    assert not [name for name in names(folder) if name.startswith("out")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("in",), b"a release of Spark is a folder of files: name it with --output"),
        (("in", "-o", "out", "--attacks", "none"), b"--attacks is for the report, and neither --report nor --summary"),
        (("in", "-o", "out", "--row-map", "map.csv"), b"--row-map is for tables on this machine"),
        (("in", "-o", "out", "--format", "sas7bdat"), b"format must be one of parquet, csv, orc, json, delta"),
        (("nowhere", "-o", "out"), b"there is no table at nowhere"),
    ],
)
def test_options_that_do_not_go_together_are_refused(spark: SparkSession, folder: Path, arguments, said) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert names(folder) == ["in", "plan.toml"]


def test_options_of_spark_need_spark(folder: Path) -> None:
    done = command.shoal("anonymize", "x.csv", "--plan", "plan.toml", "--master", "local[2]", cwd=folder)
    assert done.returncode == 2
    assert b"--master is for Spark: add --engine spark, or leave it out" in done.stderr


def test_formats_are_told_by_names(tmp_path: Path) -> None:
    assert format_of("lake/visits.csv") == "csv"
    assert format_of("s3a://lake/visits.json.gz") == "json"
    (tmp_path / "_delta_log").mkdir()
    assert format_of(str(tmp_path)) == "delta"
    with pytest.raises(PlanError, match="format must be one of"):
        format_of("x", "excel")
