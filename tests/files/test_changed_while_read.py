"""A file that somebody writes while it is read: the hash of an input is that of what was read, or there is none."""

import hashlib

import polars as pl
import pytest

from shoal import files
from shoal.errors import DataError

BEFORE, AFTER = pl.DataFrame({"age": [1, 2, 3]}), pl.DataFrame({"age": [4, 5, 6, 7]})


def replaced_after_hashing(monkeypatch, path, write):
    """Let the file be another one as soon as it was hashed."""
    hashed = files._read.sha256_of

    def hash_and_replace(name):
        digest = hashed(name)
        write(AFTER, path)
        return digest

    monkeypatch.setattr("shoal.files._read.sha256_of", hash_and_replace)


@pytest.mark.parametrize(
    ("ending", "write"), [("parquet", pl.DataFrame.write_parquet), ("arrow", pl.DataFrame.write_ipc)]
)
def test_a_file_that_is_replaced_between_hash_and_table_is_refused(tmp_path, monkeypatch, ending, write):
    path = tmp_path / f"data.{ending}"
    write(BEFORE, path)
    replaced_after_hashing(monkeypatch, path, write)
    with pytest.raises(DataError, match=f"data.{ending} was changed while it was read"):
        files.read(path)


def test_a_text_file_is_hashed_as_it_was_read(tmp_path):
    path = tmp_path / "data.csv"
    BEFORE.write_csv(path)
    assert files.read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
