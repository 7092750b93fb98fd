"""A snapshot comes back whole or is refused."""

from __future__ import annotations

import hashlib
import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import StreamAnonymizer
from shoal.errors import DataError, OutputError
from shoal.stream.connect.state_folder import read_state
from shoal.stream.engine.snapshot import VERSION, read_snapshot, write_snapshot

HEADER = {"plan": {"k": 5}, "name": "λ", "offset": 2**60}
PARTS = {"engine": bytes(range(256)), "rows": b"", "more": b"\0" * 1000}


@pytest.fixture
def file(tmp_path):
    write_snapshot(tmp_path / "state", HEADER, PARTS)
    return tmp_path / "state"


def test_what_was_written_comes_back(file):
    assert read_snapshot(file) == (HEADER, PARTS)


def test_only_the_owner_may_read_it(file):
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_one_takes_the_place_of_the_old_and_leaves_nothing_behind(file):
    write_snapshot(file, {"n": 2}, {})
    assert read_snapshot(file) == ({"n": 2}, {})
    assert [path.name for path in file.parent.iterdir()] == ["state"]


@given(data=st.data())
def test_one_changed_byte_is_noticed(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("snapshot") / "state"
    write_snapshot(file, HEADER, PARTS)
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    with pytest.raises(DataError):
        read_snapshot(file)


@given(data=st.data())
def test_a_cut_is_noticed(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("snapshot") / "state"
    write_snapshot(file, HEADER, PARTS)
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(DataError):
        read_snapshot(file)


def test_another_version_is_named(file):
    content = bytearray(file.read_bytes())
    content[8] = VERSION + 1
    file.write_bytes(content)
    with pytest.raises(DataError, match=f"version {VERSION + 1}"):
        read_snapshot(file)


def test_a_missing_file_is_a_clear_sentence(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_snapshot(tmp_path / "nothing")


def test_a_place_that_cannot_be_written_is_a_clear_sentence(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        write_snapshot(tmp_path / "no" / "folder", HEADER, PARTS)


def old_layout(version: int) -> bytes:
    """A snapshot as earlier releases wrote it, byte by byte: the same frame around another state."""
    head = json.dumps({"header": {"plan": {"k": 5}, "extra": {}}, "parts": {"engine": 3, "rows": 0}}).encode()
    body = b"shoalsnp" + version.to_bytes(4, "little") + len(head).to_bytes(8, "little") + head + b"abc"
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize("version", [1, 2])
def test_a_state_saved_before_is_refused_with_what_to_do(tmp_path, version):
    (tmp_path / "state").write_bytes(old_layout(version))
    said = (
        f"has version {version}, and this release of shoal reads version {VERSION}: end the stream with the release "
        "that wrote it, then start anew without the snapshot"
    )
    with pytest.raises(DataError, match=said):
        StreamAnonymizer.restore(tmp_path / "state")


def test_a_folder_with_a_state_saved_before_is_refused(tmp_path):
    (tmp_path / "stream.snapshot").write_bytes(old_layout(2))
    with pytest.raises(DataError, match="end the stream with the release that wrote it"):
        read_state(tmp_path, [""])
    assert (tmp_path / "stream.snapshot").exists()
