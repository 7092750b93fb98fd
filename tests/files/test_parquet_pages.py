"""Counts of a damaged Parquet file: said in a sentence, before they end the process."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from command import shoal as run
from shoal.files.parquet_pages import counts_agree

ROWS = 77
COUNT = bytes([0x15, 2 * ROWS & 127 | 128, 2 * ROWS >> 7])  # a field of a page header: the values, times two
NEGATIVE = bytes([0x15, (2 * ROWS - 1) & 127 | 128, (2 * ROWS - 1) >> 7])
MORE = bytes([0x15, 2 * (ROWS + 9) & 127 | 128, 2 * (ROWS + 9) >> 7])


def table(n=ROWS):
    random = np.random.default_rng(4)
    return pa.table(
        {
            "x": pa.array(random.normal(size=n).astype(np.float32), mask=random.random(n) < 0.2),
            "word": [f"w{i % 5}" for i in range(n)],
            "list": [[i, None, i] for i in range(n)],
            "gap": pa.nulls(n, pa.int32()),
        }
    )


@pytest.mark.parametrize("damage", [NEGATIVE, MORE])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_count_that_contradicts_the_footer_is_a_sentence(tmp_path, damage, version):
    """The attack: one bit, by which the reader asks for two exabytes and aborts."""
    path = tmp_path / "data.parquet"
    options = {"use_dictionary": False, "compression": "none", "data_page_version": version}
    parquet.write_table(table().select(["x"]), path, **options)
    content = path.read_bytes()
    assert COUNT in content[:60]
    assert counts_agree(path)
    path.write_bytes(content.replace(COUNT, damage, 1))
    assert not counts_agree(path)
    done = run("init", "data.parquet", cwd=tmp_path)
    assert done.returncode == 2
    assert b"data.parquet is not a whole Parquet file" in done.stderr
    assert len(done.stderr.split(b"\n")) < 6  # the sentence and its hint, and no backtrace


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0"},
        {"use_dictionary": False, "compression": "gzip"},
        {"version": "1.0", "write_statistics": False},
        {"write_page_index": True, "data_page_size": 100},
        {"row_group_size": 10},
    ],
)
def test_whole_files_agree(tmp_path, options):
    parquet.write_table(table(3000), tmp_path / "data.parquet", **options)
    assert counts_agree(tmp_path / "data.parquet")
    pl.from_arrow(table(3000)).write_parquet(tmp_path / "data.parquet", row_group_size=700)
    assert counts_agree(tmp_path / "data.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 40 + b"PAR1", b"x" * 100])
def test_what_is_laid_out_in_another_way_is_left_to_the_reader(tmp_path, content):
    (tmp_path / "data.parquet").write_bytes(content)
    assert counts_agree(tmp_path / "data.parquet")
