"""Parquet and Arrow files: types kept, damage told, the same bytes every time."""

import datetime as dt
import struct
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from shoal import files
from shoal.errors import DataError

FRAME = pl.DataFrame(
    {
        "age": pl.Series([34, None, 51], dtype=pl.Int16),
        "charge": [1.5, None, 0.1],
        "postcode": ["08001", "28001", None],
        "severity": pl.Series(["minor", "major", None], dtype=pl.Enum(["minor", "major"])),
        "admitted": [dt.date(2020, 1, 1), None, dt.date(2020, 2, 1)],
        "seen": pl.Series([dt.datetime(2020, 1, 1, 12), None, None], dtype=pl.Datetime("ms", "Europe/Madrid")),
        "urgent": [True, False, None],
    }
)
NAMES = ["table.parquet", "table.pq", "table.arrow", "table.feather", "table.ipc"]


@pytest.mark.parametrize("name", NAMES)
def test_types_and_values_survive(tmp_path: Path, name: str) -> None:
    written = files.write(FRAME, tmp_path / name)
    source = files.read(tmp_path / name)
    assert source.frame.equals(FRAME)
    assert source.frame.schema == FRAME.schema
    assert source.sha256 == written.sha256
    assert source.parse({"age": "numeric"}) is source
    assert source.guess_kinds() == {}


@pytest.mark.parametrize("name", ["table.parquet", "table.arrow"])
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    rows = pl.int_range(600_000, eager=True)  # several row groups, written by several threads
    many = pl.DataFrame({"a": rows.cast(pl.Float64) / 7, "b": rows % 10, "c": (rows % 1000).cast(pl.String)})
    first = files.write(many, tmp_path / name)
    (tmp_path / "again").mkdir()
    second = files.write(many, tmp_path / "again" / name)
    assert first == second


def test_files_of_other_libraries_are_read(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2], "word": pa.array(["a", "b"]).dictionary_encode()})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    pd.DataFrame({"x": [1, 2], "word": ["a", "b"]}).to_parquet(tmp_path / "b.parquet", index=False)
    for name in ("a.parquet", "a.feather", "stream.arrow", "b.parquet"):
        frame = files.read(tmp_path / name).frame
        assert frame["x"].to_list() == [1, 2], name
        assert frame["word"].cast(pl.String).to_list() == ["a", "b"], name


@pytest.mark.parametrize("name", ["table.parquet", "table.arrow"])
@pytest.mark.parametrize("keep", [0.0, 0.1, 0.5, 0.95])
def test_a_truncated_file_is_told(tmp_path: Path, name: str, keep: float) -> None:
    files.write(FRAME, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(DataError, match=f"{name} is (empty|not a whole)"):
        files.read(tmp_path / name)


def test_a_file_of_another_format_is_told(tmp_path: Path) -> None:
    (tmp_path / "table.parquet").write_bytes(b"a,b\n1,2\n" * 100)
    with pytest.raises(DataError, match="not a whole Parquet file"):
        files.read(tmp_path / "table.parquet")
    assert files.read(tmp_path / "table.parquet", format="csv").frame.height == 199


def test_duplicate_columns_of_a_parquet_file(tmp_path: Path) -> None:
    table = pa.table([[1], [2]], names=["a", "a"])
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    with pytest.raises(DataError, match=r"table.parquet: column names must be unique"):
        files.read(tmp_path / "table.parquet")


@pytest.mark.parametrize("name", ["none.parquet", "none.arrow"])
def test_no_columns(tmp_path: Path, name: str) -> None:
    frame = FRAME.select([])
    frame.write_parquet(tmp_path / name) if name.endswith("parquet") else frame.write_ipc(tmp_path / name)
    with pytest.raises(DataError, match=f"{name} has no columns"):
        files.read(tmp_path / name)


def test_no_records_no_file_no_extension(tmp_path: Path) -> None:
    files.write(FRAME.head(0), tmp_path / "none.parquet")
    with pytest.raises(DataError, match="columns but no records"):
        files.read(tmp_path / "none.parquet")
    for name in ("absent.csv", "absent.parquet"):
        with pytest.raises(DataError, match=f"{name} cannot be read: there is no such file"):
            files.read(tmp_path / name)
    with pytest.raises(DataError, match="is a folder"):
        files.read(tmp_path, format="csv")
    for name in ("table.ods", "table", "table.parquet.gz"):
        with pytest.raises(DataError, match=r"\.parquet.*--format.*one of csv, parquet"):
            files.read(tmp_path / name)
        with pytest.raises(DataError, match=r"name it \.csv, \.parquet"):
            files.write(FRAME, tmp_path / name)


def test_formats_can_be_changed_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age;day\n34;31.01.2020\n")
    source = files.read(tmp_path / "in.csv").parse({"age": "numeric", "day": "date"})
    files.write(source.frame, tmp_path / "out.parquet", like=source)
    back = files.read(tmp_path / "out.parquet")
    assert back.frame.rows() == [(34, dt.date(2020, 1, 31))]
    files.write(back.frame, tmp_path / "out.csv", like=back)
    assert (tmp_path / "out.csv").read_text() == "age,day\n34,2020-01-31\n"
    files.write(back.frame, tmp_path / "told", like=back, format="csv")
    assert (tmp_path / "told").read_text() == "age,day\n34,2020-01-31\n"


@pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
def test_a_tsv_is_cut_at_tabs_whatever_the_input_is_cut_at(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({"a": ["x,y"], "b": ["1"]})
    files.write(frame, tmp_path / name)
    source = files.read(tmp_path / name)
    for target in ("out.tsv", "out.tsv.gz"):
        files.write(source.frame, tmp_path / target, like=source)
        assert files.read(tmp_path / target).frame.equals(frame)
    assert (tmp_path / "out.tsv").read_text() == "a\tb\nx,y\t1\n"


def test_durations_are_text_where_a_format_has_none(tmp_path: Path) -> None:
    frame = pl.DataFrame({"stay": [dt.timedelta(days=3, hours=1), None], "n": [1, 2]})
    files.write(frame, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "stay,n\nP3DT1H,1\n,2\n"


def test_no_value_stands_under_a_missing_cell_of_an_arrow_file(tmp_path: Path) -> None:
    """polars keeps what stood in a cell that is made missing, and Arrow stores it."""
    full = pl.DataFrame({"name": [f"the name of person {i}" for i in range(9)], "pay": [1000.5 + i for i in range(9)]})
    seen = full["pay"] < 1004
    hidden = full.with_columns(pl.when(seen).then(pl.all()).name.keep())
    files.write(hidden, tmp_path / "out.arrow")
    assert files.read(tmp_path / "out.arrow").frame.equals(hidden)
    raw = pa.ipc.open_file(tmp_path / "out.arrow").read_all()  # decompressed, with all that the file holds
    stored = b"".join(buffer.to_pybytes() for column in raw for buffer in column.chunk(0).buffers() if buffer)
    for i, there in enumerate(seen):
        assert (f"person {i}".encode() in stored) == there
        assert (struct.pack("<d", 1000.5 + i) in stored) == there


def test_decimals_of_more_digits_than_their_type_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "table.arrow"
    whole = pl.DataFrame({"x": pl.Series([Decimal("0.5"), Decimal("-99.9"), None], dtype=pl.Decimal(3, 1))})
    whole.write_ipc(path, compression="uncompressed")
    assert files.read(path).frame["x"].to_list() == [Decimal("0.5"), Decimal("-99.9"), None]
    five = (5).to_bytes(16, "little")
    path.write_bytes(path.read_bytes().replace(five, five[:10] + b"\xd8" + five[11:]))
    with pytest.raises(DataError, match="is not a whole Arrow file"):
        files.read(path)
