"""Messages as records and back, JSON objects or CSV lines; those that are no records are kept apart."""

from __future__ import annotations

import base64
import csv
import io
import json
import logging
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from shoal.errors import DataError, counted
from shoal.files.csv.formulas import MARK, is_formula
from shoal.stream.connect.protocols import Message, Output, SideOutput, Sink, Source

logger = logging.getLogger("shoal.stream")


class MessageFormat(Protocol):
    """Reads and writes records."""

    text: bool  # values come as text

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the record in a message, or raise DataError."""

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return a record as a message, without an end of line."""

    def header(self) -> bytes | None:
        """Return what stands before the first record of a file, if anything does."""
        return None


class Incoming(NamedTuple):
    """Where messages come from, and how they are read."""

    source: Source
    format: MessageFormat


class Outgoing(NamedTuple):
    """Where records go to, and how they are written."""

    sink: Sink
    format: MessageFormat


DEEPEST = 32
"""Levels of objects and lists in a message, the record itself included. What is deeper is read by few, and saved by
none: recursion has an end."""

LARGEST = 1 << 20
"""Bytes of a message, unless told otherwise."""


class JsonMessages(MessageFormat):
    """One JSON object per message, of at most so many bytes.

    >>> JsonMessages().decode(b'{"age": 30}')
    {'age': 30}
    """

    text = False

    def __init__(self, *, limit: int = LARGEST) -> None:
        self._limit = limit

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the object."""
        if len(message) > self._limit:
            raise DataError(f"the message is longer than {counted(self._limit, 'byte')}")
        text = _utf8(message)
        try:
            record = _DECODER.decode(text)
        except DataError:
            raise
        except RecursionError:
            raise DataError(_TOO_DEEP) from None
        except json.JSONDecodeError:
            raise DataError("the message is not valid JSON") from None
        except ValueError:  # the only one that is left: Python reads no number without end
            raise DataError(f"the message has a whole number of more than {_MOST_DIGITS} digits") from None
        if not isinstance(record, dict):
            raise DataError("the message is JSON, but not an object with the columns as its keys")
        # Not by recursion, which is what nesting that cannot be saved would break.
        if any(depth >= DEEPEST for depth, _ in enumerate(nested_levels(record), start=1)):
            raise DataError(_TOO_DEEP)
        if _SURROGATE.search(text):
            try:
                self.encode(record)
            except UnicodeEncodeError:
                raise DataError("the message has a text that is not valid Unicode: half of a surrogate pair") from None
        return record

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return one line of JSON."""
        return _ENCODER.encode(record).encode()


class CsvMessages(MessageFormat):
    """One CSV record per message, its fields by the names of the columns, whatever order a record has them in.

    ``names`` returns the columns, once they are known. ``escape_formulas`` writes an apostrophe before fields that a
    spreadsheet would run; else the first one is said in the log.

    >>> CsvMessages(lambda: ["age", "city"]).encode({"city": "Vic", "age": 30})
    b'30,Vic'
    """

    text = True

    def __init__(self, names: Callable[[], Sequence[str]], *, escape_formulas: bool = False) -> None:
        self._names = names
        self._escapes = escape_formulas
        self._warned = False

    def decode(self, message: bytes) -> dict[str, Any]:
        """Return the fields by column."""
        names, values = self._names(), csv_fields(message)
        if len(values) != len(names):
            raise DataError(f"the line has {counted(len(values), 'field')}, and the header {len(names)}")
        return dict(zip(names, values, strict=True))

    def encode(self, record: Mapping[str, Any]) -> bytes:
        """Return the values as fields."""
        return _csv_line([self._field(name, record[name]) for name in self._names()])

    def header(self) -> bytes | None:
        """Return the names of the columns."""
        return _csv_line([self._field(name, name) for name in self._names()])

    def _field(self, name: str, value: Any) -> Any:
        if value is None:
            return ""
        if isinstance(value, dict | list | bool):  # true and false are written as tables write them
            return _ENCODER.encode(value)
        if not isinstance(value, str) or not is_formula(value):
            return value
        if self._escapes:
            return MARK + value
        if not self._warned:
            self._warned = True
            logger.warning(
                "column %r has a cell that begins as a formula does (= + - @), and a spreadsheet that opens the output "
                "would run it: --escape-formulas writes such cells as text",
                name,
            )
        return value


def is_json_object(message: bytes) -> bool:
    """Whether a message is a JSON object from its first brace to its last.

    >>> is_json_object(b'{"age": 30}'), is_json_object(b'{"age": 3')
    (True, False)
    """
    try:
        JsonMessages(limit=len(message)).decode(message)
    except DataError:
        return False
    return True


def csv_fields(message: bytes) -> list[str]:
    """Return the fields of a CSV record.

    >>> csv_fields(b'1,"two, three"')
    ['1', 'two, three']
    """
    text = _utf8(message)
    if "\0" in text:
        raise DataError("the line has a zero byte, which is no text")
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
    result = dict(sorted(pairs, key=itemgetter(0)))  # the order of keys would tell which producer sent it
    if len(result) != len(pairs):  # which one counts differs from reader to reader
        raise DataError("the message has an object that names a key twice")
    return result


_MOST_DIGITS = sys.get_int_max_str_digits()
_TOO_DEEP = f"the message is nested more than {DEEPEST} levels deep"


def nested_levels(record: Mapping[str, Any]) -> Iterator[list[dict[str, Any] | list[Any]]]:
    """Return the objects and lists in a record, level by level, without recursion."""
    outer: list[Any] = [record]
    while outer:
        inner = (value.values() if isinstance(value, Mapping) else value for value in outer)
        outer = [value for values in inner for value in values if isinstance(value, dict | list)]
        if outer:
            yield outer


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Made once: json.loads and json.dumps make new ones at every call with options.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_object)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


KEPT = 1 << 17
"""Bytes that are kept of a message that is too long. Escaped they can be six times as many, and brokers take a million.
"""


class DeadLetters(SideOutput):
    """Writes refused messages to a sink, as JSON with the reason, the place and the message as it came.

    A message that is not UTF-8 stands in ``base64``; of a long one only the beginning is kept, and ``cut`` says so.

    They are not anonymized: keep them as safe as the source.
    """

    def add(self, message: Message, reason: str) -> None:
        """Take a refused message."""
        letter = {"reason": reason, "lane": message.lane, "place": message.before}
        value = message.value[:KEPT]
        try:
            letter["message"] = value.decode("utf-8")
        except UnicodeDecodeError:
            letter["base64"] = base64.b64encode(value).decode("ascii")
        if message.cut or len(message.value) > KEPT:
            letter["cut"] = True
        where = json.dumps([message.lane, message.before])
        # The name of a file need not be UTF-8: what is not becomes an escape, which is JSON too.
        self.waiting.append(Output(where, json.dumps(letter, ensure_ascii=False).encode(errors="backslashreplace")))
