"""Whether the pages of a Parquet file hold as many values as its footer says, before a library believes them.

A damaged count makes the library that reads the file ask for more memory than any machine has, which ends the process.
Only what contradicts itself is found here; anything else that is wrong, the library says.

Notes
-----
Footer and page headers are structures of Thrift's compact protocol, read as dictionaries by the numbers of their fields
(parquet.thrift: FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, PageHeader).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MAGIC = b"PAR1"
_ROW_GROUPS, _COLUMNS, _COLUMN = 4, 1, 3
_VALUES, _BYTES, _FIRST_PAGE, _DICTIONARY = 5, 7, 9, 11
_PAGE_BYTES, _DICTIONARY_PAGE = 3, 7
_DATA_PAGES = (5, 8)  # of the first and the second version
_COUNT = 1
_BOOLEANS, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12


def counts_agree(path: Path) -> bool:
    """Return whether no page claims more values than its column has; True where a file is laid out in another way."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return all(_agrees(content, column) for column in _columns(content))
    except (IndexError, KeyError, TypeError, ValueError, RecursionError, OSError):
        return True


def _columns(content: mmap.mmap) -> Iterator[dict[int, Any]]:
    """Yield what the footer says of each column of each group of rows."""
    if content[-4:] != _MAGIC:
        return
    footer = _Thrift(content, len(content) - 8 - int.from_bytes(content[-8:-4], "little")).struct()
    for group in footer[_ROW_GROUPS]:
        for chunk in group[_COLUMNS]:
            yield chunk[_COLUMN]


def _agrees(content: mmap.mmap, column: dict[int, Any]) -> bool:
    start = min(column[_FIRST_PAGE], column.get(_DICTIONARY, column[_FIRST_PAGE]))
    end, values, seen = start + column[_BYTES], column[_VALUES], 0
    while 0 < start < end and seen < values:
        thrift = _Thrift(content, start)
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


class _Thrift:
    """A reader of the compact protocol, from a place on."""

    def __init__(self, content: mmap.mmap, at: int) -> None:
        self.content, self.at = content, at

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            fields[number] = self._value(kind & 15, alone=True)
        return fields

    def _value(self, kind: int, *, alone: bool) -> Any:
        if kind in _BOOLEANS:  # a field says it by its kind, an element of a list by a byte
            return kind == 1 if alone else self._byte() == 1
        if kind == _BYTE:
            return self._byte()
        if kind in _INTEGERS:
            return self._integer()
        if kind in (_DOUBLE, _BINARY):  # no count is among them
            size = 8 if kind == _DOUBLE else self._varint()
            self.at += size
            return None
        if kind in _LISTS:
            head = self._byte()
            return [
                self._value(head & 15, alone=False) for _ in range(self._varint() if head >> 4 == 15 else head >> 4)
            ]
        if kind == _STRUCT:
            return self.struct()
        raise ValueError("no kind that these structures have")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
