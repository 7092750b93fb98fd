"""Stata files, through pyreadstat."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.files.display_formats import STATA_CLOCK
from shoal.files.format import Format, Input, Target
from shoal.files.readstat import EXTRA, LIBRARY, read_labelled, write_labelled
from shoal.files.source import Contents

_VERSION = 14  # the first with UTF-8; read by every Stata since 2015
_TIME_OF_WRITING = b"<timestamp>\x11"


def _read(source: Input) -> Contents:
    import pyreadstat

    return read_labelled(source, "Stata", pyreadstat.read_dta, STATA_CLOCK)


def _write(frame: pl.DataFrame, target: Target) -> None:
    import pyreadstat

    write_labelled(
        frame,
        target,
        name="stata",
        title="Stata",
        reader=pyreadstat.read_dta,
        writer=pyreadstat.write_dta,
        options=lambda labels: {"version": _VERSION},
    )
    _fix_time_of_writing(target.path)


def _fix_time_of_writing(path: Path) -> None:
    """The same table gives the same bytes."""
    with path.open("r+b") as file:
        found = file.read(1 << 10).find(_TIME_OF_WRITING)
        if found >= 0:
            file.seek(found + len(_TIME_OF_WRITING))
            file.write(b"01 Jan 1970 00:00")


STATA = Format(
    name="stata",
    title="Stata",
    endings=(".dta",),
    keeps="types, variable labels, value labels, formats",
    read=_read,
    write=_write,
    binary=True,
    labelled=True,
    library=LIBRARY,
    extra=EXTRA,
)
