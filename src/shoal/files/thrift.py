"""Thrift's compact protocol, in which Parquet files describe themselves: structures as dictionaries by field number."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

_BOOLEANS, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_MAP, _UUID = 11, 13
_MAGIC = b"PAR1"
NO_STRUCTURE = (IndexError, KeyError, TypeError, ValueError, AttributeError, RecursionError)
"""What Python raises where bytes are none, or another one than was thought."""


class Thrift:
    """A reader of the protocol, from a place on.

    Whatever is no structure ends in one of the errors of `NO_STRUCTURE`.
    """

    def __init__(self, content: mmap.mmap, at: int) -> None:
        self.content, self.at = content, at

    def struct(self) -> dict[int, Any]:
        """Return the structure that begins here, and go on behind it; doubles stay bytes."""
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
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind in _LISTS:
            head = self._byte()
            return [
                self._value(head & 15, alone=False) for _ in range(self._varint() if head >> 4 == 15 else head >> 4)
            ]
        if kind == _STRUCT:
            return self.struct()
        if kind == _MAP:  # which no structure of Parquet has yet, but readers pass over
            size = self._varint()
            kinds = self._byte() if size else 0
            return [self._value(each, alone=False) for _ in range(size) for each in (kinds >> 4, kinds & 15)]
        if kind == _UUID:
            return self._bytes(16)
        raise ValueError("no kind that these structures have")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.content):  # or a list of many would be made of nothing
            raise IndexError("behind the end")
        return self.content[self.at - size : self.at]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):  # no number has more than 64 bits
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number without an end")

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)


def footer_of(path: Path) -> dict[int, Any]:
    """Return what a Parquet file says of itself at its end; nothing where it is laid out in another way."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[-4:] != _MAGIC:
                return {}
            return Thrift(content, len(content) - 8 - int.from_bytes(content[-8:-4], "little")).struct()
    except (*NO_STRUCTURE, OSError):
        return {}
