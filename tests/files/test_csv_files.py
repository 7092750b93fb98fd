"""CSV files in and out: what is not touched survives, what is wrong is told by its line."""

import gzip
import io
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import files
from shoal.errors import DataError, PlanError
from shoal.files import packing
from shoal.files.csv.dialect import Dialect
from shoal.files.csv.text_table import read_csv, write_csv


def stored(folder: Path, content: bytes | str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


CELLS = st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))


@st.composite
def text_frames(draw: st.DrawFn) -> pl.DataFrame:
    names = draw(st.lists(st.text(alphabet='abé ;,"\n', min_size=1, max_size=8), min_size=1, max_size=4, unique=True))
    height = draw(st.integers(1, 12))
    columns = {name: draw(st.lists(CELLS, min_size=height, max_size=height)) for name in names}
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


DIALECTS = st.builds(
    Dialect,
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.just("."),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
    bom=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)


@settings(max_examples=150, deadline=None)
@given(frame=text_frames(), dialect=DIALECTS)
def test_text_written_and_read_is_the_same_text(
    frame: pl.DataFrame, dialect: Dialect, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.csv"
    write_csv(frame, path, dialect)
    given_encoding = None if dialect.bom else dialect.encoding
    options = files.TextOptions(delimiter=dialect.delimiter, decimal=".", encoding=given_encoding)
    table = read_csv(path.read_bytes(), "round.csv", options)
    back = table.frame
    if frame.width == 1:  # a lone empty cell cannot be told from a quoted empty one
        frame = frame.select(pl.all().fill_null(""))
        back = back.select(pl.all().fill_null(""))
    assert back.rows() == frame.rows()
    assert back.columns == frame.columns
    again = path.with_name("again.csv")
    write_csv(back, again, table.dialect)
    if frame.width > 1:
        assert again.read_bytes() == path.read_bytes()


def significant_digits(number: str) -> str:
    """The digits before any exponent: ``repr`` gives the fewest that read back as the same number."""
    return "".join(filter(str.isdigit, number.split("e")[0])).strip("0")


@settings(max_examples=100, deadline=None)
@given(
    numbers=st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=20),
    decimal=st.sampled_from([".", ","]),
)
def test_numbers_written_and_read_are_the_same_numbers(
    numbers: list[float | None], decimal: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    frame = pl.DataFrame({"x": numbers, "id": range(len(numbers))}, schema={"x": pl.Float64, "id": pl.Int64})
    write_csv(frame, path, Dialect(delimiter=";", decimal=decimal))
    source = files.read(path, delimiter=";", decimal=decimal).parse({"x": "numeric", "id": "numeric"})
    assert source.frame["x"].cast(pl.Float64).to_list() == numbers
    assert source.text is not None
    for text, number in zip(source.text["x"], numbers, strict=True):
        assert number is None or significant_digits(text) == significant_digits(repr(number))


@pytest.mark.parametrize(
    ("content", "delimiter", "encoding", "line_end", "bom"),
    [
        ("name,age\nAna,34\n", ",", "utf-8", "\n", False),
        ("name;age\r\nAna;34\r\n", ";", "utf-8", "\r\n", False),
        ("name\tage\nAna\t34\n", "\t", "utf-8", "\n", False),
        ("name|age\rAna|34\r", "|", "utf-8", "\r", False),
        (b"\xef\xbb\xbfname,age\nAna,34\n", ",", "utf-8", "\n", True),
        ("name,age\nJosé,34\n".encode("cp1252"), ",", "cp1252", "\n", False),
        ("\ufeffname,age\nJosé,34\n".encode("utf-16-le"), ",", "utf-16-le", "\n", True),
        ("\ufeffname,age\nJosé,34\n".encode("utf-16-be"), ",", "utf-16-be", "\n", True),
        ("name,age\nJosé,34\n".encode("utf-16-le"), ",", "utf-16-le", "\n", False),
        ("name,age\nJosé,34\n".encode("utf-16-be"), ",", "utf-16-be", "\n", False),
        ("\ufeffname,age\nJosé,34\n".encode("utf-32-le"), ",", "utf-32-le", "\n", True),
        ("\ufeffname,age\nJosé,34\n".encode("utf-32-be"), ",", "utf-32-be", "\n", True),
        ("name;income\nAna;1.234\n", ";", "utf-8", "\n", False),
        ('"a;b";"c,d"\n1;2\n', ";", "utf-8", "\n", False),
        ("alone\n1\n", ",", "utf-8", "\n", False),
    ],
)
def test_the_dialect_is_detected_and_kept(
    tmp_path: Path, content: bytes | str, delimiter: str, encoding: str, line_end: str, bom: bool
) -> None:
    path = stored(tmp_path, content)
    source = files.read(path)
    assert source.dialect is not None
    found = source.dialect
    assert (found.delimiter, found.encoding, found.line_end, found.bom) == (delimiter, encoding, line_end, bom)
    out = tmp_path / "out.csv"
    files.write(source.frame, out, like=source)
    assert out.read_bytes().replace(b'"', b"") == path.read_bytes().replace(b'"', b"")


def test_given_options_win_over_detection(tmp_path: Path) -> None:
    path = stored(tmp_path, "a,b;c\n1,2;3\n")
    assert files.read(path, delimiter=",").frame.columns == ["a", "b;c"]
    assert files.read(path, delimiter=";").frame.columns == ["a,b", "c"]
    accents = stored(tmp_path, "name,x\nJos\xe9\x80,1\n".encode("latin-1"))
    assert files.read(accents).frame["name"].to_list() == ["José€"]
    assert files.read(accents, encoding="latin-1").frame["name"].to_list() == ["José\x80"]
    numbers = stored(tmp_path, "a;b\n1,5;2\n")
    assert files.read(numbers, decimal=",").parse({"a": "numeric"}).frame["a"].to_list() == [1.5]
    with pytest.raises(DataError, match="line 2"):
        files.read(numbers, decimal=".").parse({"a": "numeric"})
    words = stored(tmp_path, "a,b\nNA,2\n1,-\n")
    parsed = files.read(words, missing=["NA", "-"]).parse({"a": "numeric", "b": "nominal"}).frame
    assert parsed.rows() == [(None, "2"), (1, None)]
    with pytest.raises(DataError, match="line 2"):
        files.read(words).parse({"a": "numeric"})


def test_a_tsv_is_cut_at_tabs_whatever_it_holds(tmp_path: Path) -> None:
    path = stored(tmp_path, "a,b,c\n1,2,3\n", "table.tsv")
    assert files.read(path).frame.columns == ["a,b,c"]


def test_untouched_cells_survive_as_they_stand(tmp_path: Path) -> None:
    content = 'id,postcode,price,note\n1,08001,1.50," two\nlines "\n2,00000,1e3,"say ""hi"""\n3,,0.10,\n'
    source = files.read(stored(tmp_path, content)).parse({"price": "numeric", "id": "numeric"})
    out = tmp_path / "out.csv"
    files.write(source.frame, out, like=source, verbatim=["price"])
    assert out.read_bytes() == content.encode()
    files.write(source.frame, out, like=source)
    assert out.read_bytes() == content.replace("1.50", "1.5").replace("1e3", "1000.0").replace("0.10", "0.1").encode()


def test_verbatim_needs_the_rows_that_were_read(tmp_path: Path) -> None:
    source = files.read(stored(tmp_path, "a,b\n1,2\n3,4\n"))
    with pytest.raises(DataError, match="1 rows cannot be written verbatim: 2 were read"):
        files.write(source.frame.head(1), tmp_path / "out.csv", like=source, verbatim=["a"])
    assert not (tmp_path / "out.csv").exists()


def test_mixed_line_ends_blank_lines_and_no_last_line_end(tmp_path: Path) -> None:
    path = stored(tmp_path, b"\n\na,b\r\n1,2\n\n3,4\r5,6\r\n\r\n7,8")
    assert files.read(path).frame.rows() == [("1", "2"), ("3", "4"), ("5", "6"), ("7", "8")]


def test_a_quotation_mark_inside_a_cell_is_a_character(tmp_path: Path) -> None:
    path = stored(tmp_path, 'size,n\n5" pipe,1\n6",2\n')
    assert files.read(path).frame["size"].to_list() == ['5" pipe', '6"']


def test_gzip_in_and_out_with_the_same_bytes_every_time(tmp_path: Path) -> None:
    path = stored(tmp_path, gzip.compress(b"a,b\n1,2\n"), "table.csv.gz")
    source = files.read(path)
    assert source.frame.rows() == [("1", "2")]
    first = files.write(source.frame, tmp_path / "out.csv.gz", like=source)
    second = files.write(source.frame, tmp_path / "other.csv.gz", like=source)
    assert first == second
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == b"a,b\n1,2\n"


def test_a_line_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    path = stored(tmp_path, b"a,b\n1," + b"x" * 50_000_000 + b"\n2,y\n")
    frame = files.read(path).frame
    assert frame["b"].str.len_bytes().to_list() == [50_000_000, 1]
    header = stored(tmp_path, b"y" * 50_000_000 + b",b\n1,2\n")
    assert files.read(header).frame.width == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["is empty"]),
        (b"\n \r\n", ["is empty"]),
        (b"\xef\xbb\xbf", ["is empty"]),
        (b"a,b\n", ["a header but no records"]),
        (b"a,b,a\n1,2,3\n", ["columns 1 and 3 share one"]),
        (b",b,\n1,2,3\n", ["columns 1 and 3 share one"]),
        (b"a,b\n1,2\n3\n", ["line 3", "1 cell where the header has 2"]),
        (b'a,b\n"1\n1",2\n\n3,4,5\n', ["line 5", "3 cells"]),
        (b'a,b\n1,"x\n3,4\n', ["line 2", "never closed"]),
        (b'a,b\n1,2\n"x"y,4\n', ["line 3", "follows the closing quotation mark"]),
        (b"a,b\n1,2\n3,\x00\n", ["line 3", "zero byte"]),
        (b"a,b\n1,2\n\x81\xff,4\n", ["line 3", "cp1252"]),
        (b"\x1f\x8b\x08garbage", ["damaged or truncated gzip"]),
    ],
)
def test_what_is_wrong_is_told_by_file_and_line(tmp_path: Path, content: bytes, words: list[str]) -> None:
    path = stored(tmp_path, content)
    with pytest.raises(DataError) as caught:
        files.read(path)
    assert "table.csv" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_bytes_that_are_not_of_the_given_encoding(tmp_path: Path) -> None:
    path = stored(tmp_path, b"a,b\r\n1,2\r\n\xe9,4\r\n")
    with pytest.raises(DataError, match=r"line 3: the bytes are not utf-8"):
        files.read(path, encoding="utf-8")
    late = stored(tmp_path, b"a,b\n" + b"1,2\n" * 600_000 + b"\xc3,4\n")
    with pytest.raises(DataError, match="line 600002"):
        files.read(late, encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_encodings_that_begin_with_a_mark_need_none(tmp_path: Path, encoding: str) -> None:
    text = "name,age\nJosé,34\n".encode(f"{encoding}-le")
    unmarked = files.read(stored(tmp_path, text), encoding=encoding)
    assert unmarked.dialect is not None
    assert (unmarked.dialect.encoding, unmarked.dialect.bom) == (f"{encoding}-le", False)
    assert unmarked.frame["name"].to_list() == ["José"]
    with pytest.raises(DataError, match=f"line 3: the bytes are not {encoding}-le"):
        files.read(stored(tmp_path, text + b"\xff"), encoding=encoding)


def test_a_label_that_the_encoding_lacks(tmp_path: Path) -> None:
    source = files.read(stored(tmp_path, "a,b\né,1\n".encode("latin-1")))
    with pytest.raises(DataError, match="a character that cp1252 lacks"):
        files.write(pl.DataFrame({"a": ["日本"]}), tmp_path / "out.csv", like=source)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ",,"}, "delimiter must be one character"),
        ({"delimiter": '"'}, "delimiter must be one character"),
        ({"decimal": "x"}, "decimal must be"),
        ({"encoding": "klingon"}, "encoding 'klingon' is not known"),
        ({"format": "lotus"}, "format must be one of csv, parquet"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    path = stored(tmp_path, "a,b\n1,2\n")
    with pytest.raises(PlanError, match=message):
        files.read(path, **options)  # type: ignore[arg-type]


def test_what_is_not_a_number_is_an_empty_cell(tmp_path: Path) -> None:
    files.write(pl.DataFrame({"x": [1.5, float("nan"), None], "y": [1, 2, 3]}), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "x,y\n1.5,1\n,2\n,3\n"


@pytest.mark.parametrize("name", ["out.csv", "out.dta", "out.sav"])
def test_nested_columns_are_refused_by_name(tmp_path: Path, name: str) -> None:
    own = pl.Series([1]).ext.to(pl.Extension("somebody.number", pl.Int64()))
    for column in (pl.Series([[1, 2]]), pl.Series([{"a": 1}]), pl.Series([b"x"]), own):
        with pytest.raises(DataError, match="column 'x' is no plain value"):
            files.write(pl.DataFrame({"x": column}), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"a;b\n1;2\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    source = files.read("-")
    assert source.path is None
    assert source.name == "standard input"
    written = files.write(source.frame, "-", like=source)
    assert capfdbinary.readouterr().out == b"a;b\n1;2\n"
    assert written.sha256 == source.sha256
    with pytest.raises(DataError, match="read as csv, not as parquet"):
        files.read("-", format="parquet")


def test_zstd_in_and_out_with_the_same_bytes_every_time(tmp_path: Path) -> None:
    packed = zstandard.ZstdCompressor().compress(b"a,b\n1,2\n")
    two_frames = packed + zstandard.ZstdCompressor().compress(b"3,4\n")
    source = files.read(stored(tmp_path, two_frames, "table.csv.zst"))
    assert source.frame.rows() == [("1", "2"), ("3", "4")]
    written = [files.write(source.frame, tmp_path / name, like=source) for name in ("a.csv.zst", "b.csv.zst")]
    assert written[0] == written[1]
    assert files.read(tmp_path / "a.csv.zst").frame.equals(source.frame)
    for damaged in (packed[:-3], packed[:6] + b"\x00\x00" + packed[8:]):
        with pytest.raises(DataError, match="damaged or truncated zstd"):
            files.read(stored(tmp_path, damaged, "table.csv.zst"))


def bomb(kind: str) -> bytes:
    """Some kilobytes that unpack to three million of one cell."""
    if kind == "zst":
        return zstandard.ZstdCompressor().compress(b"a\n" + bytes(3 << 20))
    made = io.BytesIO()
    if kind == "gz":
        with gzip.GzipFile("", "wb", fileobj=made) as file:
            file.write(b"a\n" + bytes(3 << 20))
    else:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", bytes(3 << 20))
    return made.getvalue()


@pytest.mark.parametrize("name", ["table.csv.gz", "table.csv.zst", "table.xlsx"])
def test_a_few_bytes_that_unpack_to_many_are_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "_FEW", 1 << 20)
    content = bomb(name.rpartition(".")[2])
    assert len(content) < 10_000
    with pytest.raises(DataError, match=f"{name} unpacks to more than 200 times its size"):
        files.read(stored(tmp_path, content, name))


def test_what_is_small_unpacked_may_have_been_packed_as_well_as_it_likes(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    assert len(packed) * 200 < 4_000_000
    assert files.read(stored(tmp_path, packed, "table.csv.gz")).frame.height == 1_000_000


def test_without_its_library_zstd_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, zstandard.ZstdCompressor().compress(b"a\n1\n"), "table.csv.zst")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for attempt in (files.read, files.target_format):
        with pytest.raises(DataError, match=r"pip install 'shoal\[zstd\]'"):
            attempt(path)
