"""The columns of an Arrow schema, read from the file itself.

Notes
-----
A schema is a table of Flatbuffers. A table begins with the distance back to its list of fields, which says how far
from the table each field stands; a field that is larger than a number is the distance forward to it. The numbers of
fields are those of Arrow's File.fbs, Message.fbs and Schema.fbs.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path

import polars as pl

from shoal.files.schema_column import DEEPEST, MOST_FIELDS, SchemaColumn

MAGIC = b"ARROW1"
"""How a file begins and ends; without it, it is one of Arrow's streams."""
_GOES_ON = b"\xff\xff\xff\xff"
_LONGEST = 4096
"""Bytes of a name that are looked at."""
_NO_TABLE = (struct.error, IndexError, ValueError)
"""What Python raises where bytes are no table."""

_FOOTER_SCHEMA, _MESSAGE_HEADER, _SCHEMA_FIELDS = 1, 2, 1
_NAME, _TYPE, _ABOUT, _CHILDREN = 0, 2, 3, 5
_DECIMAL, _TIMESTAMP, _STRUCT, _BYTES, _LIST = 7, 10, 13, 15, 16
_UNREAD = {
    11: "intervals",
    14: "a union of types",
    22: "runs of values",
    25: "views of lists",
    26: "views of lists",
}
_SCALE, _BITS, _ZONE, _SIZE = 1, 2, 1, 0

_Content = bytes | mmap.mmap


def arrow_columns(path: Path) -> list[SchemaColumn]:
    """Return the columns of an Arrow file or stream, up to where it is laid out in another way."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[: len(MAGIC)] != MAGIC:
                return message_columns(content)
            start = len(content) - 10 - int.from_bytes(content[-10:-6], "little")
            return _columns_at(content, start, _FOOTER_SCHEMA)
    except (OSError, ValueError):  # no file, or an empty one
        return []


def message_columns(content: _Content) -> list[SchemaColumn]:
    """Return the columns of a message that holds a schema, as a stream begins with one."""
    return _columns_at(content, 8 if content[:4] == _GOES_ON else 4, _MESSAGE_HEADER)


def _columns_at(content: _Content, start: int, number: int) -> list[SchemaColumn]:
    """Return the columns of the schema that is a field of the table to which a place leads."""
    found: list[SchemaColumn] = []
    with suppress(*_NO_TABLE):
        schema = _Table(content, start + _offset(content, start)).table(number)
        found.extend(() if schema is None else _columns(schema))
    return found


def _columns(schema: _Table) -> Iterator[SchemaColumn]:
    """Yield the columns; a library reads them in their order, too, so what is wrong with a later one saves nobody."""
    left = MOST_FIELDS
    for field in schema.tables(_SCHEMA_FIELDS):
        name, levels, unread = "", 0, ""
        with suppress(*_NO_TABLE):
            name = field.text(_NAME)
        waiting = [(field, 0)]
        while waiting and levels <= DEEPEST and left >= 0:
            part, level = waiting.pop()
            children: list[_Table] = []
            with suppress(*_NO_TABLE):  # those before it are looked at all the same
                children.extend(islice(part.tables(_CHILDREN), left + 1))
            with suppress(*_NO_TABLE):
                unread = unread or _unread(part, children)
            left -= len(children)
            levels = max(levels, level)
            waiting += [(child, level + 1) for child in children]
        yield SchemaColumn(name, levels, unread, endless=left < 0)
        if left < 0:
            return


def _unread(field: _Table, children: list[_Table]) -> str:
    """Say what a field holds that is not read."""
    kind, about = field.byte(_TYPE), field.table(_ABOUT)
    if kind == _STRUCT:
        names = {child.text(_NAME) for child in children}
        return "structures with two fields of one name" if len(names) < len(children) else ""
    if about is None:
        return ""
    if kind == _DECIMAL:
        if about.integer(_BITS, 128) > 128:
            return "decimals of more than 38 digits"
        return "decimals of a negative scale" if about.integer(_SCALE, 0) < 0 else ""
    if kind == _TIMESTAMP:
        zone = about.text(_ZONE)
        return f"dates in the time zone {zone!r}" if zone and not _is_zone(zone) else ""
    if kind in (_BYTES, _LIST):
        return "lists or bytes of no length" if about.integer(_SIZE, 0) == 0 else ""
    return _UNREAD.get(kind, "")


@lru_cache
def _is_zone(name: str) -> bool:
    try:
        pl.Series([0]).cast(pl.Datetime("us", name)).dt.hour()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return False
    return True


class _Table:
    """A table of Flatbuffers at a place."""

    def __init__(self, content: _Content, at: int) -> None:
        self.content, self.at = content, at
        (back,) = struct.unpack_from("<i", content, at)
        self._fields = at - back
        (self._end,) = struct.unpack_from("<H", content, self._fields)

    def _place(self, number: int) -> int | None:
        if 4 + 2 * number >= self._end:
            return None
        (distance,) = struct.unpack_from("<H", self.content, self._fields + 4 + 2 * number)
        return self.at + distance if distance else None

    def _target(self, number: int) -> int | None:
        place = self._place(number)
        return None if place is None else place + _offset(self.content, place)

    def byte(self, number: int) -> int:
        place = self._place(number)
        return 0 if place is None else self.content[place]

    def integer(self, number: int, usual: int) -> int:
        place = self._place(number)
        return usual if place is None else int(struct.unpack_from("<i", self.content, place)[0])

    def table(self, number: int) -> _Table | None:
        target = self._target(number)
        return None if target is None else _Table(self.content, target)

    def tables(self, number: int) -> Iterator[_Table]:
        target = self._target(number)
        for place in range(0 if target is None else _offset(self.content, target)):
            assert target is not None
            at = target + 4 + 4 * place
            yield _Table(self.content, at + _offset(self.content, at))

    def text(self, number: int) -> str:
        target = self._target(number)
        if target is None:
            return ""
        size = min(_offset(self.content, target), _LONGEST)
        return self.content[target + 4 : target + 4 + size].decode(errors="replace")


def _offset(content: _Content, at: int) -> int:
    if at < 0:
        raise ValueError("before the beginning")
    return int(struct.unpack_from("<I", content, at)[0])
