"""Parquet and Arrow files that polars does not read, or that are damaged: one sentence, whatever polars does."""

import datetime as dt
import decimal
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from command import shoal_process as run
from shoal import files
from shoal.errors import DataError

ROWS = 8
FRAME = pl.DataFrame(
    {
        "age": range(ROWS),
        "day": [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * ROWS,
        "kept": [{"a": [1, 2], "b": {"c": "x"}}] * ROWS,
        "pay": [decimal.Decimal("1.5")] * ROWS,
    }
)


def write_ending(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".arrow":
        frame.write_ipc(path)
    else:
        frame.write_ipc_stream(path)


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (pa.decimal256(50, 2), None),
        (pa.month_day_nano_interval(), None),
        (pa.dense_union([pa.field("a", pa.int8())]), None),
        (pa.list_view(pa.int8()), [[1]] * ROWS),
        (pa.large_list_view(pa.int8()), [[1]] * ROWS),
        (pa.run_end_encoded(pa.int32(), pa.int8()), None),
        (pa.timestamp("us", "Atlantis/Centre"), None),
        (pa.struct([("a", pa.int8()), ("a", pa.int8())]), None),
        (pa.struct([("in", pa.month_day_nano_interval())]), None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_column_of_a_type_that_is_not_read_is_a_sentence(tmp_path, type_, values):
    if pa.types.is_union(type_):
        column = pa.UnionArray.from_dense(
            pa.array([0] * ROWS, pa.int8()), pa.array(range(ROWS), pa.int32()), [pa.array(range(ROWS))]
        )
    elif pa.types.is_run_end_encoded(type_):
        column = pa.RunEndEncodedArray.from_arrays([ROWS], [1])
    else:
        column = pa.array(values or [None] * ROWS, type_)
    table = pa.Table.from_arrays([pa.array(range(ROWS)), column], ["age", "odd"])
    with pa.OSFile(str(tmp_path / "data.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataError, match=r"data\.arrow has a column of a type that is not read(, or is damaged)?:"):
        files.read(tmp_path / "data.arrow")


@pytest.mark.parametrize(
    ("message", "doubt"), [("not yet implemented", ""), ("index out of bounds", ", or is damaged")]
)
def test_a_panic_of_polars_is_a_sentence(tmp_path, monkeypatch, message, doubt):
    """It is no Exception, so that a handler of all of them would miss it."""
    assert not issubclass(pl.exceptions.PanicException, Exception)
    write_ending(FRAME, tmp_path / "data.parquet")

    def panic(path: Path) -> pl.DataFrame:
        raise pl.exceptions.PanicException(message)

    monkeypatch.setattr("shoal.files.columnar.pl.read_parquet", panic)
    with pytest.raises(DataError, match=rf"data\.parquet has a column of a type that is not read{doubt}:"):
        files.read(tmp_path / "data.parquet")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Madrid", "+02:00", ""])
def test_zones_that_are_known_are_read(tmp_path, zone):
    table = pa.table({"day": pa.array([0] * ROWS, pa.timestamp("us", zone or None))})
    parquet.write_table(table, tmp_path / "data.parquet")
    assert files.read(tmp_path / "data.parquet").frame.height == ROWS


@pytest.mark.parametrize("name", ["data.parquet", "data.arrow", "data.ipc"])
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path, name):
    path = tmp_path / name
    write_ending(FRAME, path)
    whole = path.read_bytes()
    random = np.random.default_rng(8)
    refusals = []
    for trial in range(300):
        content = bytearray(whole)
        for _ in range(random.integers(1, 6)):
            at = int(random.integers(len(content)))
            if trial % 3 == 0:
                del content[at : at + int(random.integers(1, 9))]
            elif trial % 3 == 1:
                content[at] = random.integers(256)
            else:
                content[at : at + 4] = random.choice(
                    [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x80\x80\x80\x80", b"\1\0\0\0"]
                )
        path.write_bytes(content)
        try:
            files.read(path)
        except DataError as error:
            refusals.append(str(error))
    assert len(refusals) > 150
    assert all(refusal.startswith(name) for refusal in refusals)


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\xff" * 40 + b"PAR1", b"x" * 100])
def test_what_is_laid_out_in_another_way_is_a_sentence(tmp_path, content):
    (tmp_path / "data.parquet").write_bytes(content)
    done = run("init", "data.parquet", cwd=tmp_path)
    assert done.returncode == 2
    assert b"data.parquet is not a whole Parquet file" in done.stderr
    assert len(done.stderr.split(b"\n")) < 6  # the sentence and its hint, and no backtrace


@pytest.mark.parametrize(
    "content",
    [
        bytes([0x19, 0xF7]) + b"\xff" * 8 + b"\x0f",  # a list of doubles, and none there
        bytes([0x19, 0xFD]) + b"\xff" * 8 + b"\x0f",  # of identifiers
        bytes([0x1B]) + b"\xff" * 8 + b"\x0f" + bytes([0x77]),  # a map of doubles
        bytes([0x15]) + b"\x80" * 1_000_000,  # a number without an end
        bytes([0x18]) + b"\xff" * 8 + b"\x0f",  # a text longer than the file
    ],
)
def test_counts_of_what_is_not_there_are_a_sentence(tmp_path, content):
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(DataError, match="not a whole Parquet file"):
        files.read(path)


@pytest.mark.parametrize("type_", [pl.Struct([]), pl.List(pl.Struct([])), pl.Struct({"in": pl.Struct([])})])
def test_structures_without_a_field_have_a_place_in_arrow_alone(tmp_path, type_):
    frame = FRAME.select("age").with_columns(pl.lit(None, dtype=type_).alias("hollow"))
    with pytest.raises(DataError, match="'hollow' has structures without a field, and parquet has no place for them"):
        files.write(frame, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []
    files.write(frame, tmp_path / "out.arrow")
    assert files.read(tmp_path / "out.arrow").frame.schema == frame.schema
