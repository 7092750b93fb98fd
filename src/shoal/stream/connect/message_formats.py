"""Messages as records and back: JSON objects, CSV lines."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from shoal.errors import DataError


class MessageFormat(Protocol):
    """Reads and writes records."""

    text: bool  # values come as text

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the record in a message, or raise DataError."""

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return a record as a message, without an end of line."""

    def header(self, record: Mapping[str, Any]) -> bytes | None:
        """Return what stands before the first record of a file, if anything does."""


class JsonMessages:
    """One JSON object per message.

    >>> JsonMessages().decode(b'{"age": 30}')
    {'age': 30}
    """

    text = False

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the object."""
        text = _utf8(message)
        try:
            record = _DECODER.decode(text)
        except DataError:
            raise
        except RecursionError:
            raise DataError("the message is nested too deeply") from None
        except ValueError:
            raise DataError("the message is not valid JSON") from None
        if not isinstance(record, dict):
            raise DataError("the message is JSON, but not an object with the columns as its keys")
        if _SURROGATE.search(text):
            try:
                self.encode(record)
            except UnicodeEncodeError:
                raise DataError("the message has a text that is not valid Unicode: half of a surrogate pair") from None
        return record

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return one line of JSON."""
        return _ENCODER.encode(record).encode()

    def header(self, record: Mapping[str, Any]) -> bytes | None:  # noqa: D102
        return None


class CsvMessages:
    """One CSV record per message.

    Parameters
    ----------
    names
        Returns the columns, once they are known.
    """

    text = True

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the fields by column."""
        names, values = self._names(), csv_fields(message)
        if len(values) != len(names):
            raise DataError(f"the line has {len(values)} fields, and the header {len(names)}")
        return dict(zip(names, values, strict=True))

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return the values as fields."""
        return _csv_line(["" if value is None else value for value in record.values()])

    def header(self, record: Mapping[str, Any]) -> bytes | None:
        """Return the names of the columns that leave."""
        return _csv_line(list(record))


def csv_fields(message: bytes) -> list[str]:
    """Return the fields of a CSV record.

    >>> csv_fields(b'1,"two, three"')
    ['1', 'two, three']
    """
    text = _utf8(message)
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise DataError("the line is not valid CSV") from None


def _csv_line(values: list[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(values)
    return buffer.getvalue().removesuffix("\r\n").encode()


def _utf8(message: bytes) -> str:
    try:
        return message.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("the message is not valid UTF-8") from None


def _refuse_constant(name: str) -> Any:
    raise DataError("the message has NaN or Infinity, which are no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):  # it would leave as Infinity, which is no JSON
        raise DataError("the message has a number beyond what a double can hold")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):  # which one counts differs from reader to reader
        raise DataError("the message has an object that names a key twice")
    return result


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Made once: json.loads and json.dumps make new ones at every call with options.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_object)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
