"""The format CSV, as the registry knows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from shoal.errors import DataError
from shoal.files.codebook import read_codebook, with_codebook, with_written_codes
from shoal.files.csv.dialect import Dialect
from shoal.files.csv.formulas import escaped
from shoal.files.csv.text_table import read_csv, write_csv
from shoal.files.format import Format, Input, Target
from shoal.files.source_file import Contents
from shoal.frames.exact_names import with_columns_of

_TABS = ".tsv"


def _read(source: Input) -> Contents:
    """Read cells as text; those of a .tsv are parted by tabs, unless another delimiter is given."""
    options = source.options
    if options.delimiter is None and source.ending == _TABS:
        options = replace(options, delimiter="\t")
    contents = read_csv(source.data, source.name, options)
    if options.codebook is None:
        return contents
    book = read_codebook(options.codebook)
    labelled = with_codebook(contents.frame, book, source.name)
    return replace(contents, frame=labelled.frame, labels=labelled.labels, codebook=book)


def _write(frame: pl.DataFrame, target: Target) -> None:
    """Write as the other file is written; but the cells of a .tsv are parted by tabs, whatever the other has."""
    like = target.like
    dialect = like.dialect if like is not None and like.dialect is not None else Dialect()
    if target.ending == _TABS:
        dialect = replace(dialect, delimiter="\t")
    if like is not None and like.codebook is not None:
        frame = with_written_codes(frame, like.codebook)
    if like is not None and like.text is not None:
        frame = _with_text(frame, like.text, target.verbatim)
    if target.escape_formulas:
        frame = escaped(frame)
    write_csv(frame, target.path, dialect, compress=target.compressed, zstd=target.zstd)


def _with_text(frame: pl.DataFrame, text: pl.DataFrame, verbatim: Iterable[str]) -> pl.DataFrame:
    names = [name for name in verbatim if name in frame.columns and name in text.columns]
    if names and frame.height != text.height:
        raise DataError(f"{frame.height} rows cannot be written verbatim: {text.height} were read")
    return with_columns_of(frame, {name: text[name] for name in names})


CSV = Format(
    name="csv",
    title="CSV",
    endings=(".csv", _TABS, ".txt"),
    keeps="delimiter, decimal mark, encoding, byte order mark, line end, date formats",
    read=_read,
    write=_write,
    in_memory=True,
    gzip=True,
    has_formulas=True,
    zstd=True,
)
