"""Schemas of Parquet and Arrow files are looked at before a library reads the file; no damage raises or lasts."""

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
from shoal.files.arrow_schema import arrow_columns
from shoal.files.parquet_schema import parquet_columns
from shoal.files.schema_column import DEEPEST, MOST_FIELDS, SchemaColumn, require_levels
from shoal.files.thrift import Thrift, footer_of

ROWS = 8
FRAME = pl.DataFrame(
    {
        "age": range(ROWS),
        "day": [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * ROWS,
        "kept": [{"a": [1, 2], "b": {"c": "x"}}] * ROWS,
        "pay": [decimal.Decimal("1.5")] * ROWS,
    }
)


def nested(kind: str, levels: int) -> pa.DataType:
    inner = pa.int64()
    for _ in range(levels):
        inner = pa.list_(inner) if kind == "lists" else pa.struct([("a", inner)])
    return inner


def write_nested(path: Path, kind: str, levels: int) -> None:
    schema = pa.schema([("age", pa.int64()), ("x", nested(kind, levels))])
    if path.suffix == ".parquet":
        columns = [pa.array(range(ROWS)), pa.nulls(ROWS, schema.field("x").type)]
        parquet.write_table(pa.Table.from_arrays(columns, schema=schema), path)
    else:  # a stream, without records: pyarrow writes no deep ones
        path.write_bytes(schema.serialize().to_pybytes() + b"\xff\xff\xff\xff\0\0\0\0")


def columns_of(path: Path) -> list[SchemaColumn]:
    return parquet_columns(footer_of(path)) if path.suffix == ".parquet" else arrow_columns(path)


def write_ending(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".arrow":
        frame.write_ipc(path)
    else:
        frame.write_ipc_stream(path)


@pytest.mark.parametrize("kind", ["lists", "structures"])
@pytest.mark.parametrize(("name", "levels"), [("data.parquet", 2000), ("data.arrow", 5000)])
def test_a_file_that_is_deeply_nested_is_a_sentence(tmp_path, name, levels, kind):
    """The attack: the library calls itself for each level, until the process ends by a signal."""
    write_nested(tmp_path / name, kind, levels)
    done = run("init", name, cwd=tmp_path)
    assert done.returncode == 2, done
    text = done.stderr.decode()
    assert f"{name}: column 'x' has lists or structures more than {DEEPEST} levels deep" in text
    assert len(text.splitlines()) < 4


@pytest.mark.parametrize("kind", ["lists", "structures"])
@pytest.mark.parametrize("name", ["data.parquet", "data.arrow"])
def test_levels_are_counted_as_they_are(tmp_path, name, kind):
    for levels in (0, 1, 7, DEEPEST):
        write_nested(tmp_path / name, kind, levels)
        found = columns_of(tmp_path / name)
        assert {(column.name, column.levels, column.unread) for column in found} == {("age", 0, ""), ("x", levels, "")}
        require_levels(found, name)
    write_nested(tmp_path / name, kind, DEEPEST + 1)
    with pytest.raises(DataError, match="'x' has lists or structures more than 64 levels deep"):
        files.read(tmp_path / name)


@pytest.mark.parametrize("kind", ["lists", "structures"])
def test_what_is_as_deep_as_may_be_is_read(tmp_path, kind):
    write_nested(tmp_path / "data.parquet", kind, DEEPEST)
    assert files.read(tmp_path / "data.parquet").frame.shape == (ROWS, 2)


@pytest.mark.parametrize(
    ("type_", "values", "words"),
    [
        (pa.decimal256(50, 2), None, "decimals of more than 38 digits"),
        (pa.month_day_nano_interval(), None, "intervals"),
        (pa.dense_union([pa.field("a", pa.int8())]), None, "a union of types"),
        (pa.list_view(pa.int8()), [[1]] * ROWS, "views of lists"),
        (pa.large_list_view(pa.int8()), [[1]] * ROWS, "views of lists"),
        (pa.run_end_encoded(pa.int32(), pa.int8()), None, "runs of values"),
        (pa.timestamp("us", "Atlantis/Centre"), None, "dates in the time zone 'Atlantis/Centre'"),
        (pa.struct([("a", pa.int8()), ("a", pa.int8())]), None, "structures with two fields of one name"),
        (pa.struct([("in", pa.month_day_nano_interval())]), None, "intervals"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_column_of_a_type_that_is_not_read_is_named(tmp_path, type_, values, words):
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
    assert [found.unread for found in arrow_columns(tmp_path / "data.arrow")] == ["", words]
    with pytest.raises(DataError) as refused:
        files.read(tmp_path / "data.arrow")
    assert f"data.arrow: column 'odd' has {words}, which cannot be read: " in str(refused.value)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Madrid", "+02:00", ""])
def test_zones_that_are_known_are_read(tmp_path, zone):
    table = pa.table({"day": pa.array([0] * ROWS, pa.timestamp("us", zone or None))})
    parquet.write_table(table, tmp_path / "data.parquet")
    assert {column.unread for column in columns_of(tmp_path / "data.parquet")} == {""}
    assert files.read(tmp_path / "data.parquet").frame.height == ROWS


@pytest.mark.parametrize("name", ["data.parquet", "data.arrow", "data.ipc"])
def test_damaged_schemas_neither_raise_nor_last(tmp_path, name):
    path = tmp_path / name
    write_ending(FRAME, path)
    whole = path.read_bytes()
    assert [column.name for column in columns_of(path)][:4] == FRAME.columns
    random = np.random.default_rng(8)
    for trial in range(1500):
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
        for column in columns_of(path):
            assert column.levels >= 0


def test_a_deep_column_before_a_damaged_one_is_still_seen(tmp_path):
    """A library reads columns in their order: it would not come to the damage."""
    schema = pa.schema([("x", nested("structures", 5000)), ("last", pa.int64())])
    content = schema.serialize().to_pybytes()
    (tmp_path / "data.arrow").write_bytes(content)
    fields = [column.name for column in arrow_columns(tmp_path / "data.arrow")]
    assert fields == ["x", "last"]
    seen = 0
    for at in range(0, 400, 4):
        (tmp_path / "data.arrow").write_bytes(content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :])
        found = arrow_columns(tmp_path / "data.arrow")
        seen += [column.name for column in found] == ["x"] and found[0].levels > DEEPEST
    assert seen


def test_a_few_bytes_for_many_fields_are_a_sentence(tmp_path):
    """The attack: both fields of each structure are one and the same, so that 40 of them have 2⁴⁰ fields."""
    inner = pa.int8()
    for _ in range(40):
        inner = pa.struct([("a", inner), ("b", pa.int8())])
    path = tmp_path / "data.arrow"
    content = bytearray(pa.schema([("first", pa.int8()), ("x", inner)]).serialize().to_pybytes())
    path.write_bytes(content)
    assert [(column.levels, column.endless) for column in arrow_columns(path)] == [(0, False), (40, False)]
    content = share_fields(content, 40)
    path.write_bytes(content)
    assert [column.endless for column in arrow_columns(path)] == [False, True]
    with pytest.raises(DataError, match=f"data.arrow: the columns up to 'x' have more than {MOST_FIELDS:,} fields"):
        files.read(path)


def share_fields(content: bytearray, levels: int) -> bytearray:
    """Let the second field of each structure of the second column be the first."""

    def number(at: int) -> int:
        return int.from_bytes(content[at : at + 4], "little")

    def listed(table: int, field: int) -> int:
        fields = table - int.from_bytes(content[table : table + 4], "little", signed=True)
        place = table + int.from_bytes(content[fields + 4 + 2 * field : fields + 6 + 2 * field], "little")
        return place + number(place)

    columns = listed(listed(8 + number(8), 2), 1)  # of the message its schema, of that its columns
    table = columns + 8 + number(columns + 8)
    for _ in range(levels):
        children = listed(table, 5)
        table = children + 4 + number(children + 4)
        content[children + 8 : children + 12] = (table - children - 8).to_bytes(4, "little")
    return content


@pytest.mark.parametrize(
    "content",
    [
        bytes([0x19, 0xF7]) + b"\xff" * 8 + b"\x0f",  # a list of doubles, and none there
        bytes([0x19, 0xFD]) + b"\xff" * 8 + b"\x0f",  # of identifiers
        bytes([0x1B]) + b"\xff" * 8 + b"\x0f" + bytes([0x77]),  # a map of doubles
        bytes([0x15]) + b"\x80" * 1_000_000,  # a number without an end
        bytes([0x1C]) * 100_000,  # a structure in a structure
        bytes([0x18]) + b"\xff" * 8 + b"\x0f",  # a text longer than the file
    ],
)
def test_counts_of_what_is_not_there_cost_nothing(tmp_path, content):
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1")
    assert footer_of(path) == {}
    assert columns_of(path) == []
    with pytest.raises(DataError, match="not a whole Parquet file"):
        files.read(path)


def test_structures_have_all_kinds_of_fields():
    fields = (
        bytes([0x11, 0x13, 7, 0x17])
        + b"\0" * 8
        + bytes([0x18, 2])
        + b"ab"
        + bytes([0x1B, 1, 0x55, 2, 4, 0x1D])
        + b"u" * 16
    )
    assert Thrift(fields + b"\0", 0).struct() == {1: True, 2: 7, 3: b"\0" * 8, 4: b"ab", 5: [1, 2], 6: b"u" * 16}


@pytest.mark.parametrize("type_", [pl.Struct([]), pl.List(pl.Struct([])), pl.Struct({"in": pl.Struct([])})])
def test_structures_without_a_field_have_a_place_in_arrow_alone(tmp_path, type_):
    frame = FRAME.select("age").with_columns(pl.lit(None, dtype=type_).alias("hollow"))
    with pytest.raises(DataError, match="'hollow' has structures without a field, and parquet has no place for them"):
        files.write(frame, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []
    files.write(frame, tmp_path / "out.arrow")
    assert files.read(tmp_path / "out.arrow").frame.schema == frame.schema
