"""SAS files, through pyreadstat: data sets and transport files, read and not written."""

from __future__ import annotations

from dataclasses import replace

from shoal.files.format import Format, Input
from shoal.files.numbers import whole_numbers
from shoal.files.readstat import EXTRA, LIBRARY, read_labelled
from shoal.files.source import Contents

_TRANSPORT = ".xpt"


def _read(source: Input) -> Contents:
    import pyreadstat

    reader = pyreadstat.read_xport if source.ending == _TRANSPORT else pyreadstat.read_sas7bdat
    contents = read_labelled(source, "SAS", reader)
    # SAS has one type for all numbers: whole ones are told by their values.
    return replace(contents, frame=contents.frame.with_columns(map(whole_numbers, contents.frame.get_columns())))


SAS = Format(
    name="sas",
    title="SAS",
    endings=(".sas7bdat", _TRANSPORT),
    keeps="read only; variable labels where Stata or SPSS is written",
    read=_read,
    write=None,
    labelled=True,
    library=LIBRARY,
    extra=EXTRA,
)
