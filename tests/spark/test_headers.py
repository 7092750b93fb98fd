"""Folders of CSV files: every file names the same columns in the same order, or nothing leaves."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import shoal
from shoal.errors import DataError
from shoal.spark import anonymize_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLAN = shoal.Plan(
    k=5,
    subject="record",
    attributes={
        "name": {"role": "identifier"},
        "sex": {"role": "quasi_identifier", "kind": "nominal"},
        "ward": {"role": "other"},
    },
)
HEADER = ("name", "sex", "ward")


def lines(header: tuple[str, ...] = HEADER, count: int = 30, sep: str = ",") -> str:
    """Make a file whose cells say what they are."""
    cells = {"name": "Secret{}", "sex": "f", "ward": "w", "ssn": "9000{}", "WARD": "w"}
    records = [sep.join(cells[name].format(i) for name in header) for i in range(count)]
    return "\n".join([sep.join(header), *records, ""])


def write(folder: Path, **files: str | bytes) -> Path:
    """Write a folder that a path cannot be taken from without care, and files beside the one of the plan."""
    table = folder / "in %41 x"
    table.mkdir()
    for name, content in {"a": lines(), **files}.items():
        file = table / f"{name} %20.csv"
        file.with_name(file.name + ".gz" if isinstance(content, bytes) else file.name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
    return table


def run(spark: SparkSession, table: Path, **how: Any) -> list[str]:
    release = anonymize_files(spark, str(table), PLAN, str(table.parent / "out.csv"), file_format="csv", **how)
    return [cell for row in release.data.collect() for cell in row]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lines(("ward", "sex", "name")), id="another order"),
        pytest.param(lines(("name", "sex", "ssn")), id="another column"),
        pytest.param(lines(("name", "sex", "WARD")), id="another case"),
        pytest.param(lines(("name", "sex", "ward", "ssn")), id="one more"),
        pytest.param(lines(("name", "sex")), id="one fewer"),
        pytest.param(lines().partition("\n")[2], id="no header"),
        pytest.param("\n\n" + lines(("ward", "sex", "name")), id="below blank lines"),
        pytest.param(gzip.compress(lines(("ward", "sex", "name")).encode()), id="packed"),
        pytest.param("x" * 100_000, id="a long line"),
    ],
)
def test_a_file_with_another_header_is_refused_by_its_name(spark: SparkSession, tmp_path: Path, other: Any) -> None:
    table = write(tmp_path, b=other)
    with pytest.raises(DataError, match=r"/in %41 x/b %20\.csv(\.gz)? does not begin with the header of .*/a %20\.csv"):
        run(spark, table)
    with pytest.raises(DataError) as caught:
        run(spark, table)
    assert not any(word in str(caught.value) for word in ("Secret", "ssn", "WARD", "9000"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [table.name]


def test_the_same_names_written_otherwise_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    quoted = lines().replace("name,sex,ward", '"name","sex","ward"').replace("\n", "\r\n")
    table = write(tmp_path, b=quoted, c="\ufeff" + lines(), d="", e=lines(count=0), f=gzip.compress(lines().encode()))
    cells = run(spark, table)
    assert len(cells) == 2 * 4 * 30
    assert set(cells) == {"f", "w"}


def test_headers_are_read_as_the_options_say(spark: SparkSession, tmp_path: Path) -> None:
    def encoded(*header: str) -> bytes:
        return gzip.compress(("#" + "x" * 70_000 + "\n" + lines(header, sep="|")).encode("utf-16-le"))

    how = {"sep": "|", "encoding": "UTF-16LE", "comment": "#", "multiLine": True}
    table = write(tmp_path, a=encoded(*HEADER), b=encoded("ward", "sex", "name"))
    (table / "a %20.csv").unlink(missing_ok=True)
    with pytest.raises(DataError, match="does not begin with the header of"):
        run(spark, table, **how)
    (table / "b %20.csv.gz").write_bytes(encoded(*HEADER))
    assert set(run(spark, table, **how)) == {"f", "w"}


def test_a_header_of_several_lines_is_compared_as_a_whole(spark: SparkSession, tmp_path: Path) -> None:
    table = write(tmp_path, a='"na\nme",sex,ward\nx,f,w\n', b='"na\nward",sex,me\nx,f,w\n')
    with pytest.raises(DataError, match="does not begin with the header of"):
        run(spark, table, multiLine=True)


def test_without_headers_places_count(spark: SparkSession, tmp_path: Path) -> None:
    table = write(tmp_path, a="x,f\n" * 9, b="y,f\n" * 9)
    asked = shoal.Plan(k=5, attributes={"_c0": PLAN.attributes["sex"], "_c1": PLAN.attributes["ward"]})
    release = anonymize_files(spark, str(table), asked, str(tmp_path / "out.csv"), file_format="csv", header=False)
    assert release.data.count() == 18
