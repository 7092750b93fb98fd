"""Lines and formats: however bytes are cut, the same messages come; what is written can be read."""

from __future__ import annotations

import json
import os
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, OutputError, PlanError
from shoal.stream.connect.endpoints import parse_endpoint
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import KEPT, LinesSource, Splitter
from shoal.stream.connect.message_formats import CsvMessages, JsonMessages, csv_fields
from shoal.stream.connect.protocols import Output


def split(chunks, *, limit=1 << 20, quoted=False):
    splitter = Splitter(limit=limit, quoted=quoted)
    return [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.rest()


@given(
    content=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200)), limit=st.integers(1, 40), quoted=st.booleans()
)
def test_cuts_do_not_matter_and_lengths_add_up(content, cuts, limit, quoted):
    edges = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    chunks = [content[a:b] for a, b in pairwise(edges)]
    lines = split(chunks, limit=limit, quoted=quoted)
    assert lines == split([content] if content else [], limit=limit, quoted=quoted)
    assert sum(line.length for line in lines) == len(content)
    if not quoted:
        whole = content.split(b"\n")
        assert len(lines) == len(whole) - (whole[-1] == b"")
        for line, expected in zip(lines, whole, strict=False):
            assert line.too_long == (len(expected) > limit)
            assert line.too_long or line.value == expected.removesuffix(b"\r")


def test_a_line_of_ten_megabytes_is_not_held():
    splitter = Splitter(limit=1 << 20, quoted=False)
    for _ in range(10_000):
        assert splitter.feed(b"x" * 1024) == []
        assert len(splitter._line) <= 1 << 20
    (line,) = splitter.feed(b"\n")
    assert line.too_long
    assert line.length == 10_240_001
    assert len(line.value) == KEPT


def test_a_quoted_csv_field_may_span_lines():
    assert [line.value for line in split([b'a,"b\nc"\nd,e\n'], quoted=True)] == [b'a,"b\nc"', b"d,e"]


@pytest.mark.parametrize(
    "lines",
    [
        [b'1,5" pipe', b'2,6" pipe'],  # a quote inside a field opens nothing
        [b'1,"a ""b"" c"', b"2,3"],
        [b'"a,\n""b\n","c"', b"d"],
        [b'"",1', b'"",2'],
    ],
)
def test_a_quote_opens_a_field_only_where_it_begins(lines):
    content = b"".join(line + b"\n" for line in lines)
    for step in (1, 3, 100):
        chunks = [content[i : i + step] for i in range(0, len(content), step)]
        assert [line.value for line in split(chunks, quoted=True)] == lines


def test_a_quote_that_never_closes_takes_no_more_than_a_line_may_have():
    content = b'1,"open\n' + b"2,3\n" * 100
    lines = split([content], quoted=True, limit=50)
    assert [line.too_long for line in lines[:2]] == [True, False]
    assert {line.value for line in lines[1:]} == {b"2,3"}
    assert sum(line.length for line in lines) == len(content)


def read_all(source, places=None, identity=None):
    source.open(places or {}, identity)
    messages = []
    while (batch := source.read(0.1)) is not None:
        messages += batch
    return messages


def read_one_by_one(source):
    """Return the messages, each with by what the files are known after it."""
    source.open({})
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.stream.connect.line_source._CHUNK", 1)
        while (batch := source.read(0.1)) is not None:
            found += [(message, json.loads(json.dumps(source.identity()))) for message in batch]
    return found


@pytest.mark.parametrize("csv", [False, True])
def test_files_are_read_one_after_the_other_and_again_from_any_place(tmp_path, csv):
    head = b"name\n" if csv else b""
    (tmp_path / "a").write_bytes(head + b"one\n\ntwo\r\n")
    (tmp_path / "b").write_bytes(head + b"three\nfour")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    messages = read_all(LinesSource(paths, csv=csv, limit=100))
    assert [message.value for message in messages] == [b"one", b"two", b"three", b"four"]
    found = read_one_by_one(LinesSource(paths, csv=csv, limit=100))
    assert [message for message, _ in found] == messages
    for i, (message, known) in enumerate(found):
        assert read_all(LinesSource(paths, csv=csv, limit=100), {"": message.before}, known) == messages[i:]
        assert read_all(LinesSource(paths, csv=csv, limit=100), {"": message.after}, known) == messages[i + 1 :]


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"x\n1\n")
    (tmp_path / "b").write_bytes(b"y\n1\n")
    with pytest.raises(DataError, match="names other columns"):
        read_all(LinesSource([str(tmp_path / "a"), str(tmp_path / "b")], csv=True, limit=100))


def test_another_file_is_read_from_its_beginning(tmp_path):
    """What was read to its end says nothing about the next file, whatever its length."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"one\ntwo\n\n")
    second.write_bytes(b"three\nfour\n")
    (one, after_one), (two, after_two) = read_one_by_one(LinesSource([str(first)], csv=False, limit=100))
    rest = read_all(LinesSource([str(second)], csv=False, limit=100), {"": two.after}, after_two)
    assert [message.value for message in rest] == [b"three", b"four"]
    both = read_all(LinesSource([str(second), str(first)], csv=False, limit=100), {"": one.after}, after_one)
    assert [message.value for message in both] == [b"two", b"three", b"four"]


def test_a_file_that_was_left_in_the_middle_must_be_there(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"one\ntwo\n")
    second.write_bytes(b"three\n")
    (one, after_one), (two, after_two) = read_one_by_one(LinesSource([str(first)], csv=False, limit=100))
    with pytest.raises(DataError, match="stopped in the middle of"):
        read_all(LinesSource([str(second)], csv=False, limit=100), {"": one.after}, after_one)
    first.write_bytes(b"one\n")
    with pytest.raises(DataError, match="does not begin with what was read"):
        read_all(LinesSource([str(first)], csv=False, limit=100), {"": two.after}, after_two)


def test_a_named_pipe_has_no_place_to_go_back_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    keep = os.open(path, os.O_RDWR)  # so that neither side waits
    os.write(keep, b"one\ntwo\n")
    source = LinesSource([str(path)], csv=False, limit=100)
    source.open({"": [str(path), 400, None]})
    assert [message.value for message in source.read(1.0)] == [b"one", b"two"]
    source.close()
    os.close(keep)


def test_a_folder_is_no_input(tmp_path):
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_all(LinesSource([str(tmp_path)], csv=False, limit=100))


@pytest.mark.parametrize("csv", [False, True])
def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path, csv):
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfname\nvalue\n")
    source = LinesSource([str(path)], csv=csv, limit=100)
    assert [message.value for message in read_all(source)] == ([b"value"] if csv else [b"name", b"value"])
    assert source.names == (["name"] if csv else [])


@pytest.mark.parametrize(
    ("header", "reason"), [(b"a,a", "twice"), (b"\xff,a", "not valid UTF-8"), (b'"a,b', "not valid CSV")]
)
def test_a_first_line_that_names_no_columns_is_refused(tmp_path, header, reason):
    path = tmp_path / "file"
    path.write_bytes(header + b"\n1,2\n3,4\n")
    with pytest.raises(DataError, match=reason):
        read_all(LinesSource([str(path)], csv=True, limit=100))


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_a_csv_that_is_not_there_or_empty_is_refused(tmp_path, name):
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match=name):
        read_all(LinesSource([str(tmp_path / name)], csv=True, limit=100))


def test_a_file_goes_back_to_its_place(tmp_path):
    path = tmp_path / "out"
    sink = LinesSink(str(path))
    sink.open(None)
    sink.write([Output("0", b"kept")])
    sink.flush()
    place = sink.place()
    sink.write([Output("1", b"lost")])
    sink.close()
    sink.open(place)
    sink.write([Output("1", b"again")])
    sink.close()
    assert path.read_bytes() == b"kept\nagain\n"
    path.write_bytes(b"")
    with pytest.raises(OutputError, match="shorter than it was"):
        sink.open(place)
    path.unlink()
    with pytest.raises(OutputError, match="shorter than it was"):
        sink.open(place)
    assert not path.exists()


def test_what_stands_in_a_file_stays_where_nothing_begins(tmp_path):
    path, new = tmp_path / "out", tmp_path / "new"
    path.write_bytes(b"earlier\n")
    for name in (path, new):
        sink = LinesSink(str(name))
        assert not sink.open(None)
        sink.close()
    assert path.read_bytes() == b"earlier\n"
    assert not new.exists()
    sink = LinesSink(str(path))
    sink.open(None)
    sink.flush()
    sink.close()
    assert path.read_bytes() == b""


def test_a_private_file_is_for_its_owner(tmp_path):
    sink = LinesSink(str(tmp_path / "dead"), private=True)
    sink.open(None)
    sink.flush()
    sink.close()
    assert os.stat(tmp_path / "dead").st_mode & 0o077 == 0  # noqa: PTH116


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"\xff\xfe", "not valid UTF-8"),
        (b"{", "not valid JSON"),
        (b'{"a": NaN}', "NaN or Infinity"),
        (b'{"a": -1e999}', "beyond what a double can hold"),
        (b'{"a": {"b": 1, "b": 1}}', "names a key twice"),
        (b'{"a": "\\uD83D"}', "not valid Unicode"),
        (b'{"\\udcff": 1}', "not valid Unicode"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a whole number of more than 4300 digits"),
        (b"[1]", "not an object"),
        (b"[" * 100_000, "nested more than 32 levels deep|not valid JSON"),
    ],
)
def test_json_that_is_no_record_is_refused(message, reason):
    with pytest.raises(DataError, match=reason):
        JsonMessages().decode(message)


def test_csv_has_true_and_false_as_tables_have_them():
    record = {"a": True, "b": False, "c": [True], "d": "True", "e": 1.0}
    assert CsvMessages(lambda: list(record)).encode(record) == b"true,false,[true],True,1.0"


@pytest.mark.parametrize(
    ("header", "message", "reason"),
    [
        (b"a,b", b"1", "the line has 1 field, and the header 2"),
        (b"a,b", b'1,"2', "not valid CSV"),
        (b"a,b", b"\xff,1", "not valid UTF-8"),
    ],
)
def test_csv_that_is_no_record_is_refused(header, message, reason):
    with pytest.raises(DataError, match=reason):
        CsvMessages(lambda: csv_fields(header)).decode(message)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(
    record=st.dictionaries(
        TEXT, st.one_of(TEXT, st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1
    )
)
def test_json_written_can_be_read(record):
    assert JsonMessages().decode(JsonMessages().encode(record)) == record


@given(values=st.lists(TEXT, min_size=2, max_size=4))
def test_csv_written_can_be_read(values):
    names = [f"column {i}" for i in range(len(values))]
    writer = CsvMessages(lambda: names)
    record = dict(zip(names, values, strict=True))
    header, line = writer.header(), writer.encode(record)
    # A file may end lines with CR LF, so a lone CR at the very end of a record is taken for one.
    cut = split([line + b"\n"], quoted=True)
    assert len(cut) == 1
    assert CsvMessages(lambda: csv_fields(header)).decode(cut[0].value) == record


@pytest.mark.parametrize(
    ("text", "kind", "name", "server"),
    [
        ("-", "lines", "-", ""),
        ("valkey://u:p@h:1/s?db=3", "valkey", "s", "valkey://u:p@h:1/3"),
        ("rediss://h/s", "valkey", "s", "valkeys://h/0"),
        ("valkey+unix:///run/v.sock?stream=s", "valkey", "s", "unix:///run/v.sock?db=0"),
    ],
)
def test_endpoints_are_read(text, kind, name, server):
    endpoint = parse_endpoint(text)
    assert (endpoint.transport, endpoint.name, endpoint.server) == (kind, name, server)
    assert "u:p" not in str(endpoint)


@pytest.mark.parametrize(
    "text", ["kafka://b", "kafka:///t", "valkey://h", "valkey+unix:///s", "http://x/y", "redis://h/s?db=x"]
)
def test_endpoints_that_lack_something_are_refused(text):
    with pytest.raises(PlanError, match=r"endpoint|db"):
        parse_endpoint(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("valkey://user:hidden/word@host/s", "special characters"),
        ("valkey://user:[hidden@host/s", "special characters"),
        ("valkey://user:hidden@host:hidden/s", "a port is a number"),
        ("valkey://user:1#hidden@host/s", "special characters"),
        ("valkey://user:1/hidden@host/s", "special characters"),
        ("kafka://user:hidden@host:9092/t", "sasl.username"),
    ],
)
def test_a_wrong_address_is_refused_without_a_word_of_it(text, sentence):
    with pytest.raises(PlanError, match=sentence) as refused:
        parse_endpoint(text)
    assert "hidden" not in str(refused.value)


def test_a_zero_byte_in_a_line_of_csv_is_refused_as_in_a_table():
    for message in (b"30,Vi\0c", b'30,"Vi\0c"'):
        with pytest.raises(DataError, match="zero byte"):
            CsvMessages(lambda: ["age", "city"]).decode(message)


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
def test_a_file_that_another_stream_made_in_between_is_not_removed(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    first, second = LinesSink(str(path)), LinesSink(str(path))
    first.open(None)
    first.write([Output("1", b"41,flu")])
    monkeypatch.setattr("shoal.stream.connect.line_sink.file_status", lambda _: None)  # it looked before that
    with pytest.raises(OutputError, match="is written by another process"):
        second.open(None)
    first.close()
    assert path.read_text() == "41,flu\n"


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
def test_two_streams_do_not_write_into_one_file(tmp_path):
    path = tmp_path / "out.csv"
    first, second = LinesSink(str(path)), LinesSink(str(path))
    first.open(None)
    first.write([Output("1", b"age,diagnosis"), Output("2", b"41,flu")])
    with pytest.raises(OutputError, match="is written by another process: stop it, or name another file"):
        second.open(None)
    first.write([Output("3", b"41,cold")])
    first.close()
    assert path.read_text() == "age,diagnosis\n41,flu\n41,cold\n"
    second.open(None)  # and afterwards it is anybody's
    second.close()
