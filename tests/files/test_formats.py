"""The registry of formats: what is made from it, and a format that is added to it."""

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from ndjson_format import NDJSON
from shoal import files
from shoal.cli.anonymize import anonymize_command
from shoal.cli.options import expanded
from shoal.errors import DataError, PlanError
from shoal.files import FORMATS, Format

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
FRAME = pl.DataFrame({"age": [31, 34, 52, 58, 33, 55], "ward": ["a", "b", "a", None, "b", "a"], "pay": [1.5] * 6})
PLAN = """
k = 3
[attributes]
age  = { role = "quasi_identifier", kind = "numeric" }
ward = { role = "other" }
pay  = { role = "confidential", kind = "numeric" }
"""


@pytest.fixture
def ndjson() -> Iterator[Format]:
    files.FORMATS.register(NDJSON)
    yield NDJSON
    files.FORMATS.unregister(NDJSON.name)


def row(known: Format) -> str:
    packed = " and ".join(f"`{end}`" for end, able in ((".gz", known.gzip), (".zst", known.zstd)) if able)
    endings = f"`{' '.join(known.endings)}`" + (f", also with {packed}" if packed else "")
    extra = "" if known.extra is None else f"`shoal[{known.extra}]`"
    return f"| {known.title} | `{known.name}` | {endings} | {known.keeps} | {extra} |".replace("|  |", "| |")


def test_the_page_lists_the_formats_as_they_are_registered() -> None:
    lines = PAGE.splitlines()
    start = lines.index("| format | `--format` | endings | kept | extra |")
    assert lines[start + 2 : start + 2 + len(FORMATS)] == [row(known) for known in FORMATS.values()]
    assert lines[start + 2 + len(FORMATS)] == ""


def test_the_command_line_lists_the_formats() -> None:
    page = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(command_line(), ["--help"]).output
    assert f"{files.format_names()}; the ending of the name decides" in page
    assert f"The table: {files.format_titles()}; - is CSV" in page


def command_line() -> typer.Typer:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(expanded(anonymize_command))
    return app


def test_a_registered_format_goes_through_the_command_line(tmp_path: Path, ndjson: Format) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    FRAME.write_ndjson(tmp_path / "in.ndjson")
    arguments = [tmp_path / "in.ndjson", "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out.ndjson", "-q"]
    done = CliRunner().invoke(command_line(), list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    released = pl.read_ndjson(tmp_path / "out.ndjson")
    assert released.columns == FRAME.columns
    assert sorted(released["age"].to_list()) == pytest.approx([98 / 3] * 3 + [55.0] * 3)
    assert released["ward"].to_list() == FRAME["ward"].to_list()
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["input"]["file"] == "in.ndjson"
    assert manifest["output"]["file_sha256"] == files.read(tmp_path / "out.ndjson").sha256


def test_a_registered_format_reads_standard_input(ndjson: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"a": 1}\n')))
    source = files.read("-", format="ndjson")
    assert source.frame.rows() == [(1,)]
    assert source.name == "standard input"
    with pytest.raises(DataError, match="standard input is read as csv or ndjson, not as parquet: give a file"):
        files.read("-", format="parquet")


def test_a_registered_format_is_named_in_messages_and_gone_when_removed(tmp_path: Path) -> None:
    files.FORMATS.register(NDJSON)
    with pytest.raises(PlanError, match=r"format must be one of csv, .*, ndjson, not 'xlsx'"):
        files.read(tmp_path / "in.csv", format="xlsx")
    assert files.format_names().endswith("excel or ndjson")
    assert files.target_format("out.jsonl") is NDJSON
    files.FORMATS.unregister("ndjson")
    with pytest.raises(DataError, match=r"out.jsonl has the unknown extension '\.jsonl'"):
        files.target_format("out.jsonl")


def test_what_is_only_read_is_no_hint_for_an_output() -> None:
    with pytest.raises(DataError, match=r"name it \.csv, \.parquet, \.arrow, \.dta, \.sav, \.xlsx$"):
        files.target_format("out.xyz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "csv"}, "there is a format 'csv' already"),
        ({"name": "NDJSON"}, "small letters"),
        ({"endings": (".ndjson", ".pq")}, r"the ending \.pq of format 'ndjson' is taken by parquet"),
        ({"endings": ("ndjson",)}, "an ending is a point and small letters"),
        ({"endings": (".Ndjson",)}, "an ending is a point and small letters"),
        ({"endings": (".gz",)}, "an ending is a point and small letters"),
        ({"endings": (".json.lines",)}, "an ending is a point and small letters"),
    ],
)
def test_what_is_taken_or_is_no_ending_is_refused(change: dict[str, object], message: str) -> None:
    before = dict(FORMATS)
    with pytest.raises(ValueError, match=message):
        files.FORMATS.register(replace(NDJSON, **change))
    assert before == FORMATS


def test_a_format_without_an_extra_names_its_library(tmp_path: Path) -> None:
    files.FORMATS.register(replace(NDJSON, library="no_such_library"))
    try:
        with pytest.raises(
            DataError, match="NDJSON files need no_such_library: install it, pip install no_such_library"
        ):
            files.write(FRAME, tmp_path / "out.ndjson")
    finally:
        files.FORMATS.unregister("ndjson")
