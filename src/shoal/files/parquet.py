"""Parquet files, through polars."""

from __future__ import annotations

import polars as pl

from shoal.files.columnar import read_columnar
from shoal.files.format import Format, Input, Target, not_whole
from shoal.files.parquet_pages import counts_agree
from shoal.files.parquet_schema import parquet_columns
from shoal.files.source import Contents
from shoal.files.thrift import footer_of

_ROWS_PER_GROUP = 1 << 18
"""Rows that are compressed together: fixed, so that the bytes of a release do not depend on the machine."""


def _read(source: Input) -> Contents:
    assert source.path is not None
    about = footer_of(source.path)
    if not counts_agree(source.path, about):
        raise not_whole(source.name, "Parquet")
    return read_columnar(source, "Parquet", pl.read_parquet, parquet_columns(about))


def _write(frame: pl.DataFrame, target: Target) -> None:
    frame.write_parquet(target.path, compression="zstd", row_group_size=_ROWS_PER_GROUP)


PARQUET = Format(
    name="parquet",
    title="Parquet",
    endings=(".parquet", ".pq"),
    keeps="types",
    read=_read,
    write=_write,
    flat=False,
    binary=True,
)
