"""What a record takes in memory while it waits: its message, and what objects and lists take beyond their letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CONTAINER = 200
"""Bytes that an object or a list counts for: ``{}`` and ``[]`` are two letters of a message."""

ITEM = 64
"""Bytes that whatever stands in one counts for, at least: ``1.5`` is a number of 24 bytes and a place in a list."""


def held_bytes(record: Mapping[str, Any], message: int) -> int:
    """Return the bytes that a record counts for while it waits.

    Parameters
    ----------
    record
        The record as it was decoded.
    message
        The bytes of its message.

    Notes
    -----
    The same for the same message wherever it is read, because groups depend on it. So the numbers are fixed, somewhat
    above what Python takes, and not measured.

    Examples
    --------
    >>> held_bytes({"age": 30}, 11), held_bytes({"tags": [[], [1]]}, 19)
    (11, 811)
    """
    total = message
    level = [value for value in record.values() if isinstance(value, dict | list)]
    while level:
        total += sum(CONTAINER + ITEM * len(value) for value in level)
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
    return total
