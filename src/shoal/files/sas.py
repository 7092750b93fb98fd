"""SAS files, through pyreadstat: data sets and transport files, read and not written."""

from __future__ import annotations

from dataclasses import replace

from shoal.files.display_formats import SAS_CLOCK
from shoal.files.format import Format, Input
from shoal.files.numbers import whole_numbers
from shoal.files.readstat import EXTRA, LIBRARY, read_labelled
from shoal.files.source import Contents
from shoal.frames.exact_names import column_of, with_columns_of

_TRANSPORT = ".xpt"


def _read(source: Input) -> Contents:
    import pyreadstat

    reader = pyreadstat.read_xport if source.ending == _TRANSPORT else pyreadstat.read_sas7bdat
    contents = read_labelled(source, "SAS", reader, SAS_CLOCK)
    # SAS has one type for all numbers: whole ones are told by their values.
    frame = contents.frame
    numbers = {name: whole_numbers(column_of(frame, name)) for name in frame.columns}
    return replace(contents, frame=with_columns_of(frame, numbers))


SAS = Format(
    name="sas",
    title="SAS",
    endings=(".sas7bdat", _TRANSPORT),
    keeps="read only; variable labels where Stata or SPSS is written",
    read=_read,
    write=None,
    binary=True,
    labelled=True,
    library=LIBRARY,
    extra=EXTRA,
)
