"""A line that is still being written at the end of a file: it waits for its rest where a run saves."""

from __future__ import annotations

import logging

import pytest

from shoal.errors import DataError
from shoal.stream.connect.line_source import LinesSource


@pytest.fixture
def known(tmp_path):
    """What a source has read so far: places and identity."""
    return {"path": tmp_path / "in", "state": ({}, None)}


def read(known, *, csv, waits=True, more=b""):
    """Add to the file, and return the new messages as text."""
    with known["path"].open("ab") as file:
        file.write(more)
    source = LinesSource([str(known["path"])], csv=csv, limit=100, waits=waits)
    places, identity = known["state"]
    source.open(places, identity)
    messages = []
    while (batch := source.read(0.1)) is not None:
        messages += batch
    known["state"] = ({"": messages[-1].after} if messages else places, source.identity())
    return [message.value.decode() for message in messages]


@pytest.mark.parametrize("header", ["note,age", "age,note"])
def test_half_a_line_of_csv_waits_for_its_rest(known, header, caplog):
    logging.getLogger("shoal.stream").propagate = True
    a, f, whole, g = ("a,10", "f,1", "f,15", "g,16") if header == "note,age" else ("10,a", "15", "15,f", "16,g")
    with caplog.at_level(logging.WARNING, logger="shoal.stream"):
        assert read(known, csv=True, more=f"{header}\n{a}\n{f}".encode()) == [a]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said == f"the last line of {known['path']} has no line end: it waits for the next run"
    assert read(known, csv=True) == []
    assert read(known, csv=True, more=whole[len(f) :].encode() + b"\r") == []
    assert read(known, csv=True, more=f"\n{g}\n".encode()) == [whole, g]


@pytest.mark.parametrize("rest", ['{"a": 1', "nonsense", '{"a": 1}, {"b"', "[1]", '"12'])
def test_half_a_line_of_json_waits_for_its_rest(known, rest):
    assert read(known, csv=False, more=b'{"a": 0}\n' + rest.encode()) == ['{"a": 0}']
    assert read(known, csv=False, more=b"}\n") == [rest + "}"]


@pytest.mark.parametrize("csv", [False, True])
def test_a_file_of_which_only_half_a_line_was_seen_must_come_again(known, csv, tmp_path):
    """The run after it may not go on without it: its record would be lost."""
    other = tmp_path / "other"
    other.write_bytes(b"note\nx\n" if csv else b'{"a": 9}\n')
    assert read(known, csv=csv, more=b"note\nha" if csv else b'{"a": 1') == []
    source = LinesSource([str(other)], csv=csv, limit=100, waits=True)
    with pytest.raises(DataError, match=r"the state stopped in the middle of .*/in, which is not among the inputs"):
        source.open(*known["state"])
    assert read(known, csv=csv, more=b"lf\n" if csv else b"}\n") == ["half" if csv else '{"a": 1}']


def test_a_file_of_which_only_the_header_was_read_is_no_copy_of_another(known, tmp_path):
    """Two files with the same columns, each with half a line: neither is known by its header."""
    other = tmp_path / "other"
    other.write_bytes(b"note\nha")
    assert read(known, csv=True, more=b"note\nha") == []
    assert read(known, csv=True) == []
    source = LinesSource([str(known["path"]), str(other)], csv=True, limit=100, waits=True)
    source.open(*known["state"])
    assert source.read(0.1) == []
    source.close()


def test_an_object_is_whole_without_a_line_end(known):
    """No beginning of an object is one."""
    assert read(known, csv=False, more=b'{"a": 0}\n{"a": 1}') == ['{"a": 0}', '{"a": 1}']
    assert read(known, csv=False, more=b'\r\n{"a": 2}') == ['{"a": 2}']
    assert read(known, csv=False) == []


@pytest.mark.parametrize("csv", [False, True])
def test_at_the_end_of_the_stream_the_last_line_is_whole(known, csv):
    assert read(known, csv=csv, waits=False, more=b"one\ntwo\nthr") == (
        ["two", "thr"] if csv else ["one", "two", "thr"]
    )
    assert read(known, csv=csv, waits=False) == []
    assert read(known, csv=csv, waits=False, more=b"\n") == []
    assert read(known, csv=csv, waits=False, more=b"four") == ["four"]


@pytest.mark.parametrize("csv", [False, True])
def test_a_line_that_was_taken_for_whole_and_went_on_is_refused(known, csv):
    """Its rest would be a record of its own, and the first half was another one."""
    read(known, csv=csv, waits=False, more=b"one\ntwo\nthr")
    with pytest.raises(DataError, match="had no line end, and went on since: end it after byte 11"):
        read(known, csv=csv, waits=False, more=b"ee\nfour\n")


def test_a_file_with_half_a_line_is_not_left_out(known, tmp_path):
    """Its rest would never come."""
    (tmp_path / "next").write_bytes(b'{"a": 7}\n')
    read(known, csv=False, more=b'{"a": 0}\n{"a"')
    source = LinesSource([str(tmp_path / "next")], csv=False, limit=100)
    for path in (known["path"], tmp_path / "gone"):
        known["path"].replace(path)
        known["path"] = path
        with pytest.raises(DataError, match="the state stopped in the middle of"):
            source.open(*known["state"])


def test_half_of_the_names_of_columns_are_none(known):
    """Refused as an empty file is, and read when they are whole."""
    with pytest.raises(DataError, match="does not name its columns yet: its first line has no line end"):
        read(known, csv=True, more=b"\nnote,a")
    assert read(known, csv=True, more=b"ge\nx,1\n") == ["x,1"]


def test_a_quoted_field_that_is_still_open_waits(known):
    assert read(known, csv=True, more=b'note,age\n"two\nlines') == []
    assert read(known, csv=True, more=b'",15\n') == ['"two\nlines",15']
