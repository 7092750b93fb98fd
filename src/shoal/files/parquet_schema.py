"""The columns of a Parquet file, read from its footer.

Notes
-----
parquet.thrift: FileMetaData has its schema as a flat list, each node with the number of its children, and among its
notes the schema of Arrow, where it was written through Arrow; readers go by both.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from typing import Any

from shoal.files.arrow_schema import message_columns
from shoal.files.schema_column import SchemaColumn
from shoal.files.thrift import NO_STRUCTURE

_SCHEMA, _NOTES = 2, 5
_REPETITION, _NAME, _CHILDREN, _MEANT, _DIGITS = 3, 4, 5, 6, 8
_REPEATED, _INTERVAL, _MOST_DIGITS = 2, 21, 38
_KEY, _VALUE = 1, 2
_OF_ARROW = b"ARROW:schema"


def parquet_columns(about: dict[int, Any]) -> list[SchemaColumn]:
    """Return the columns of a Parquet file by its footer and by the schema of Arrow in it; what is none is left out."""
    found: list[SchemaColumn] = []
    for columns in (_columns(about.get(_SCHEMA, [])), _columns_of_arrow(about.get(_NOTES, []))):
        with contextlib.suppress(*NO_STRUCTURE):
            found.extend(columns)
    return found


def _columns(nodes: list[dict[int, Any]]) -> Iterator[SchemaColumn]:
    """Walk the nodes, which stand each before its children.

    A list is two nodes, of which the inner one repeats: so of these alone there may be as many again.
    """
    name, levels, deepest, unread = "", 0, 0, ""
    root, *rest = nodes
    above: list[list[int]] = [[root.get(_CHILDREN, 0), 0]]  # children to come, and levels so far
    for node in rest:
        while above and above[-1][0] == 0:
            above.pop()
        above[-1][0] -= 1
        if len(above) == 1:
            if name:
                yield SchemaColumn(name, deepest, unread)
            name, deepest, unread = node[_NAME].decode(errors="replace"), 0, ""
        levels = above[-1][1] + (node.get(_REPETITION) != _REPEATED)
        deepest = max(deepest, levels - 1, len(above) // 2 - 1)
        unread = unread or _unread(node)
        above.append([node.get(_CHILDREN, 0), levels])
    if name:
        yield SchemaColumn(name, deepest, unread)


def _unread(node: dict[int, Any]) -> str:
    if node.get(_DIGITS, 0) > _MOST_DIGITS:
        return f"decimals of more than {_MOST_DIGITS} digits"
    return "intervals" if node.get(_MEANT) == _INTERVAL else ""


def _columns_of_arrow(notes: list[dict[int, Any]]) -> Iterator[SchemaColumn]:
    for note in notes:
        if note[_KEY] == _OF_ARROW:
            yield from message_columns(base64.b64decode(note[_VALUE]))
