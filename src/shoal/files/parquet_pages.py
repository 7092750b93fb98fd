"""Whether the pages of a Parquet file hold as many values as its footer says, before a library believes them.

A damaged count makes the library that reads the file ask for more memory than any machine has, which ends the process.
Only what contradicts itself is found here; anything else that is wrong, the library says.

Notes
-----
Footer and page headers are structures of Thrift's compact protocol (parquet.thrift: FileMetaData, RowGroup,
ColumnChunk, ColumnMetaData, PageHeader).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.files.thrift import NO_STRUCTURE, Thrift, footer_of

_ROW_GROUPS, _COLUMNS, _COLUMN = 4, 1, 3
_VALUES, _BYTES, _FIRST_PAGE, _DICTIONARY = 5, 7, 9, 11
_PAGE_BYTES, _DICTIONARY_PAGE = 3, 7
_DATA_PAGES = (5, 8)  # of the first and the second version
_COUNT = 1


def counts_agree(path: Path, about: dict[int, Any] | None = None) -> bool:
    """Return whether no page claims more values than its column has; True where a file is laid out in another way.

    Parameters
    ----------
    path
        The file.
    about
        What its footer says, if that was read before.
    """
    about = footer_of(path) if about is None else about
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return all(_agrees(content, column) for column in _columns(about))
    except (*NO_STRUCTURE, OSError):
        return True


def _columns(about: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """Yield what the footer says of each column of each group of rows."""
    for group in about.get(_ROW_GROUPS, ()):
        for chunk in group[_COLUMNS]:
            yield chunk[_COLUMN]


def _agrees(content: mmap.mmap, column: dict[int, Any]) -> bool:
    start = min(column[_FIRST_PAGE], column.get(_DICTIONARY, column[_FIRST_PAGE]))
    end, values, seen = start + column[_BYTES], column[_VALUES], 0
    while 0 < start < end and seen < values:
        thrift = Thrift(content, start)
        header = thrift.struct()
        if header.get(_DICTIONARY_PAGE, {_COUNT: 0})[_COUNT] < 0 or header[_PAGE_BYTES] < 0:
            return False
        for kind in _DATA_PAGES:
            count = header.get(kind, {_COUNT: 0})[_COUNT]
            seen += count
            if count < 0 or seen > values:
                return False
        start = thrift.at + header[_PAGE_BYTES]
    return True
