"""What every registered file format must do, whatever it is."""

import datetime as dt
import resource
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from ndjson_format import NDJSON
from shoal import files
from shoal.errors import DataError, OutputError
from shoal.files import FORMATS, Format
from shoal.files.registry import format_of

WRITTEN = [known for known in (*FORMATS.values(), NDJSON) if known.write is not None]
READ_ONLY = [name for name, known in FORMATS.items() if known.write is None]
ENDINGS = [ending for known in WRITTEN for ending in known.endings]
ENDINGS += [f"{known.endings[0]}.gz" for known in WRITTEN if known.gzip]
ENDINGS += [f"{known.endings[0]}.zst" for known in WRITTEN if known.zstd]

SCALE = ["low", "mid", "high"]
FRAME = pl.DataFrame(
    {
        "whole": pl.Series([3, None, -7, 2**31 + 1], dtype=pl.Int64),
        "number": [0.1, None, -2.5e-300, 1 / 3],
        "text": ["Ana, Bé", None, 'a "quote"', "€"],
        "code": ["08001", "0", None, "1e3"],
        "day": [dt.date(2020, 2, 29), None, dt.date(1950, 1, 1), dt.date(2030, 12, 31)],
        "moment": [dt.datetime(2020, 2, 29, 12, 30, 15), None, dt.datetime(1950, 1, 1), dt.datetime(2030, 1, 1)],
        "label": pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
        "step": pl.Series(["mid", None, "low", "mid"], dtype=pl.Enum(SCALE)),
        "flag": [True, None, False, True],
    }
)
KINDS = {"whole": "numeric", "number": "numeric", "day": "date", "moment": "date"}
"""What must be declared of a file of text; formats with types do not read it."""


@pytest.fixture(autouse=True)
def ndjson() -> Iterator[None]:
    files.FORMATS.register(NDJSON)
    yield
    files.FORMATS.unregister(NDJSON.name)


@pytest.fixture(params=[known.name for known in WRITTEN])
def known(request: pytest.FixtureRequest) -> Format:
    return FORMATS[request.param]


def round_trip(folder: Path, ending: str) -> pl.DataFrame:
    files.write(FRAME, folder / f"table{ending}")
    return files.read(folder / f"table{ending}").parse(KINDS).frame


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_rows_and_gaps_survive(tmp_path: Path, ending: str) -> None:
    back = round_trip(tmp_path, ending)
    assert back.columns == FRAME.columns
    assert back.height == FRAME.height
    for name in FRAME.columns:
        assert back[name].is_null().to_list() == FRAME[name].is_null().to_list(), name


@pytest.mark.parametrize("ending", ENDINGS)
def test_numbers_and_text_survive_exactly(tmp_path: Path, ending: str) -> None:
    back = round_trip(tmp_path, ending)
    for name in ("whole", "number", "text", "code"):
        assert back[name].to_list() == FRAME[name].to_list(), name
    assert back.schema["number"] == pl.Float64
    assert back.schema["text"] == back.schema["code"] == pl.String


@pytest.mark.parametrize("ending", ENDINGS)
def test_dates_survive_or_are_iso_text(tmp_path: Path, ending: str) -> None:
    back = round_trip(tmp_path, ending)
    for name, dtype in (("day", pl.Date), ("moment", pl.Datetime("us"))):
        found = back[name].str.to_datetime(strict=True) if back.schema[name] == pl.String else back[name]
        assert found.cast(dtype).to_list() == FRAME[name].to_list(), name


@pytest.mark.parametrize("ending", ENDINGS)
def test_categories_are_labels_never_codes_and_keep_their_order_where_the_format_has_one(
    tmp_path: Path, ending: str
) -> None:
    back = round_trip(tmp_path, ending)
    for name in ("label", "step"):
        assert back[name].cast(pl.String).to_list() == FRAME[name].cast(pl.String).to_list(), name
    if isinstance(back.schema["step"], pl.Enum):
        assert back.schema["step"] == pl.Enum(SCALE)


@pytest.mark.parametrize("ending", ENDINGS)
def test_truth_values_survive_as_such_or_as_one_and_zero(tmp_path: Path, ending: str) -> None:
    found = [None if cell is None else str(cell).lower() for cell in round_trip(tmp_path, ending)["flag"]]
    assert found in (["true", None, "false", "true"], ["1", None, "0", "1"])


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, ending: str) -> None:
    chunks = pl.concat([FRAME[:1], FRAME[1:]], rechunk=False)
    assert chunks.n_chunks() == 2
    first = files.write(FRAME, tmp_path / f"a{ending}")
    assert files.write(FRAME, tmp_path / f"b{ending}") == first
    assert files.write(chunks, tmp_path / f"c{ending}") == first
    assert (tmp_path / f"a{ending}").stat().st_size == first.size


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_fingerprint_of_a_file_is_that_of_its_bytes(tmp_path: Path, ending: str) -> None:
    written = files.write(FRAME, tmp_path / f"a{ending}")
    source = files.read(tmp_path / f"a{ending}")
    assert source.sha256 == written.sha256
    assert source.format == written.format == format_of(Path(f"a{ending}")).name


def test_a_file_written_like_itself_has_the_same_bytes(tmp_path: Path, known: Format) -> None:
    files.write(FRAME, tmp_path / f"a{known.endings[0]}")
    source = files.read(tmp_path / f"a{known.endings[0]}")
    again = files.write(source.frame, tmp_path / f"b{known.endings[0]}", like=source, verbatim=FRAME.columns)
    assert again.sha256 == source.sha256


def test_a_write_that_fails_midway_leaves_nothing(tmp_path: Path, known: Format) -> None:
    def half(frame: pl.DataFrame, target: files.Target) -> None:
        known.write(frame, target)
        target.path.write_bytes(target.path.read_bytes()[:50])
        raise OSError(28, "No space left on device")

    (tmp_path / f"old{known.endings[0]}").write_bytes(b"as it was")
    for name in ("new", "old"):
        with (
            FORMATS.temporarily(replace(known, write=half)),
            pytest.raises(OutputError, match=r"cannot be written: the disk is full; nothing was written"),
        ):
            files.write(FRAME, tmp_path / f"{name}{known.endings[0]}")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"as it was"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_disk_without_room_leaves_nothing(tmp_path: Path, ending: str) -> None:
    noise = pl.DataFrame({"a": pl.int_range(100_000, eager=True).shuffle(seed=1)})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OutputError, match="cannot be written"):
            files.write(noise, tmp_path / f"out{ending}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def assert_one_sentence(error: Exception, name: str) -> None:
    message = str(error)
    assert message.startswith(name)
    assert "\n" not in message
    assert not message.endswith(".")


def test_an_empty_file_is_refused(tmp_path: Path, known: Format) -> None:
    name = f"empty{known.endings[0]}"
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(DataError, match="is empty") as caught:
        files.read(tmp_path / name)
    assert_one_sentence(caught.value, name)


def test_a_table_without_records_is_refused(tmp_path: Path, known: Format) -> None:
    name = f"none{known.endings[0]}"
    files.write(FRAME.head(0), tmp_path / name)
    with pytest.raises(DataError, match=r"no records|is empty") as caught:
        files.read(tmp_path / name)
    assert_one_sentence(caught.value, name)


@pytest.mark.parametrize("content", [b"\x00\x01\x02\x03" * 50, b'"a,\n1'], ids=["bytes", "text"])
def test_wrong_content_is_refused(tmp_path: Path, known: Format, content: bytes) -> None:
    name = f"wrong{known.endings[0]}"
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        files.read(tmp_path / name)
    assert_one_sentence(caught.value, name)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, known: Format) -> None:
    path = tmp_path / f"absent{known.endings[0]}"
    with pytest.raises(DataError, match="cannot be read: there is no such file") as caught:
        files.read(path)
    assert_one_sentence(caught.value, str(path))


def test_a_column_of_lists_is_held_or_refused_by_name(tmp_path: Path, known: Format) -> None:
    nested = pl.DataFrame({"n": [1], "stays": [[1, 2]]})
    path = tmp_path / f"nested{known.endings[0]}"
    if known.flat:
        with pytest.raises(DataError, match=rf"column 'stays' is no plain value .* and {known.name} has no place"):
            files.write(nested, path)
        assert list(tmp_path.iterdir()) == []
    else:
        files.write(nested, path)
        assert files.read(path).frame.equals(nested)


def test_only_formats_that_say_so_are_compressed_by_gzip(tmp_path: Path, known: Format) -> None:
    path = tmp_path / f"table{known.endings[0]}.gz"
    if known.gzip:
        files.write(FRAME, path)
        assert path.read_bytes()[:2] == b"\x1f\x8b"
    else:
        with pytest.raises(DataError, match=r"unknown extension '\.gz'"):
            files.write(FRAME, path)


def test_a_format_can_be_named_whatever_the_ending(tmp_path: Path, known: Format) -> None:
    files.write(FRAME, tmp_path / "table.dat", format=known.name)
    back = files.read(tmp_path / "table.dat", format=known.name)
    assert back.format == known.name
    assert back.frame.height == FRAME.height
    with pytest.raises(DataError, match=rf"table.dat has the unknown extension '\.dat'.*\b{known.name}\b"):
        files.read(tmp_path / "table.dat")


def test_a_library_that_is_not_installed_is_named_with_the_command(
    tmp_path: Path, known: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    if known.library is None:
        assert known.extra is None
        known.require()
        return
    path = tmp_path / f"table{known.endings[0]}"
    files.write(FRAME, path)
    monkeypatch.setitem(sys.modules, known.library, None)
    pattern = rf"^{known.title} files need {known.library}: .*pip install 'shoal\[{known.extra}\]'$"
    for attempt in (files.read, files.target_format, lambda target: files.write(FRAME, target)):
        with pytest.raises(DataError, match=pattern):
            attempt(path)


@pytest.mark.parametrize("name", READ_ONLY)
def test_a_format_that_is_only_read_says_so(tmp_path: Path, name: str) -> None:
    known = FORMATS[name]
    path = tmp_path / f"table{known.endings[0]}"
    with pytest.raises(DataError, match=f"^{known.title} files are read, not written: name the output .csv"):
        files.write(FRAME, path)
    for content, words in ((b"", "is empty"), (b"nothing like it" * 40, "is not a whole")):
        path.write_bytes(content)
        with pytest.raises(DataError, match=words) as caught:
            files.read(path)
        assert_one_sentence(caught.value, path.name)
    assert list(tmp_path.iterdir()) == [path]
