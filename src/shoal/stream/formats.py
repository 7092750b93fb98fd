"""Messages as records and back: JSON objects, CSV lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from shoal.errors import DataError


class Format(Protocol):
    """Reads and writes records."""

    text: bool  # values come as text

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the record in a message, or raise DataError."""

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return a record as a message, without an end of line."""

    def header(self, record: Mapping[str, Any]) -> bytes | None:
        """Return what stands before the first record of a file, if anything does."""


class JsonFormat:
    """One JSON object per message.

    >>> JsonFormat().decode(b'{"age": 30}')
    {'age': 30}
    """

    text = False

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the object."""
        text = _utf8(message)
        try:
            record = _DECODER.decode(text)
        except RecursionError:
            raise DataError("the message is nested too deeply") from None
        except ValueError:
            raise DataError("the message is not valid JSON") from None
        if not isinstance(record, dict):
            raise DataError("the message is JSON, but not an object with the columns as its keys")
        return record

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return one line of JSON."""
        return _ENCODER.encode(record).encode(errors="surrogatepass")

    def header(self, record: Mapping[str, Any]) -> bytes | None:  # noqa: D102
        return None


class CsvFormat:
    """One CSV record per message, columns named by the first line of the source.

    Parameters
    ----------
    header
        Returns that first line, once it came.
    delimiter
        What separates fields.
    """

    text = True

    def __init__(self, header: Callable[[], bytes | None], *, delimiter: str = ",") -> None:
        self._header = header
        self._delimiter = delimiter
        self._names: list[str] | None = None

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the fields by column."""
        if self._names is None:
            self._names = self._fields(self._header() or b"")
            if len(set(self._names)) != len(self._names):
                raise DataError("the header names a column twice")
        values = self._fields(message)
        if len(values) != len(self._names):
            raise DataError(f"the line has {len(values)} fields, and the header {len(self._names)}")
        return dict(zip(self._names, values, strict=True))

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return the values as fields."""
        return self._line(["" if value is None else value for value in record.values()])

    def header(self, record: Mapping[str, Any]) -> bytes | None:
        """Return the names of the columns that leave."""
        return self._line(list(record))

    def _fields(self, message: bytes) -> list[str]:
        text = _utf8(message)
        try:
            return next(csv.reader([text], delimiter=self._delimiter, strict=True), [])
        except csv.Error:
            raise DataError("the line is not valid CSV") from None

    def _line(self, values: list[Any]) -> bytes:
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=self._delimiter, lineterminator="\r\n").writerow(values)
        return buffer.getvalue().removesuffix("\r\n").encode(errors="surrogatepass")


def _utf8(message: bytes) -> str:
    try:
        return message.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("the message is not valid UTF-8") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are no JSON


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


# Made once: json.loads and json.dumps make new ones at every call with options.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
