"""SPSS files, through pyreadstat."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.files.display_formats import SPSS_CLOCK
from shoal.files.format import Format, Input, Target
from shoal.files.readstat import EXTRA, LIBRARY, read_labelled, write_labelled
from shoal.files.source import Contents

_PACKED = ".zsav"


def _read(source: Input) -> Contents:
    import pyreadstat

    return read_labelled(source, "SPSS", pyreadstat.read_sav, SPSS_CLOCK)


def _write(frame: pl.DataFrame, target: Target) -> None:
    import pyreadstat

    write_labelled(
        frame,
        target,
        name="spss",
        title="SPSS",
        reader=pyreadstat.read_sav,
        writer=pyreadstat.write_sav,
        options=lambda labels: {"compress": target.ending == _PACKED, "variable_measure": labels.measures},
    )
    _fix_time_of_writing(target.path)


def _fix_time_of_writing(path: Path) -> None:
    """The same table gives the same bytes."""
    with path.open("r+b") as file:
        file.seek(92)  # the header has its date and time in fixed places
        file.write(b"01 Jan 7000:00:00")


SPSS = Format(
    name="spss",
    title="SPSS",
    endings=(".sav", _PACKED),
    keeps="variable labels, value labels, formats, measurement levels",
    read=_read,
    write=_write,
    binary=True,
    labelled=True,
    library=LIBRARY,
    extra=EXTRA,
)
