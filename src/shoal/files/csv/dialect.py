"""How a CSV file is written: its encoding, delimiter, decimal mark and line end."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shoal.errors import DataError, PlanError

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 20
_PROBE = 'name,"1.5";2\t|x\r\n'
_NO_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")
"""Codecs from text to text: of host names, and of Python's own literals."""
_BOMS = {  # the mark of UTF-32 begins with one of UTF-16
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
_UNMARKED = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""What a file without a mark is, of the encodings that begin with one."""


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written; what was read with it is written with it."""

    delimiter: str = ","  # what stands between cells
    decimal: str | None = None  # the decimal mark; None until a numeric column told it
    encoding: str = "utf-8"  # a Python codec name
    bom: bool = False  # whether the file starts with a byte order mark
    line_end: str = "\n"  # the line end of the header
    missing: tuple[str, ...] = ()  # cells that mean "no value", besides the empty cell
    # ``strftime`` format of each date column, filled in by parsing
    date_formats: Mapping[str, str] = field(default_factory=dict)


def check_options(delimiter: str | None, decimal: str | None, encoding: str | None) -> None:
    """Refuse options that no CSV file can have."""
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n.'):
        raise PlanError(f"delimiter must be one character such as , ; | or a tab, not {delimiter!r}")
    if decimal is not None and decimal not in (".", ","):
        raise PlanError(f"decimal must be '.' or ',', not {decimal!r}")
    if encoding is not None and not _writes_text(encoding):
        raise PlanError(
            f"encoding {encoding!r} is not known as one of text: try utf-8, utf-16, windows-1252 or iso-8859-15"
        )


def _writes_text(encoding: str) -> bool:
    """Whether a codec is there and is one of text: base64, rot13 and host names have codecs too."""
    try:
        return codecs.lookup(encoding).name not in _NO_FILES and _PROBE.encode(encoding).decode(encoding) == _PROBE
    except (LookupError, ValueError):  # of which the errors of Unicode are some
        return False


def decode(data: bytes, encoding: str | None, name: str) -> tuple[bytes, str, bool]:
    """Return a file's text as UTF-8 without byte order mark, its encoding, and whether it had a mark.

    Without a given encoding: what the byte order mark says, else UTF-8, else Windows-1252.
    """
    given = codecs.lookup(encoding).name if encoding is not None else None
    for codec, mark in _BOMS.items():
        if data.startswith(mark) and (given is None or codec.startswith(given.removesuffix("-sig"))):
            plain = "utf-8" if codec == "utf-8-sig" else codec
            return _transcode(data[len(mark) :], plain, name), plain, True
    if given is not None:
        given = _UNMARKED.get(given, given)
        return _transcode(data, given, name), given, False
    if data[:4].count(0) >= 2 and len(data) % 2 == 0:  # letters and digits of UTF-16 have one zero byte each
        guess = "utf-16-le" if data[1] == 0 else "utf-16-be"
        return _transcode(data, guess, name), guess, False
    if _first_bad_byte(data, "utf-8") is None:
        return data, "utf-8", False
    return _transcode(data, "cp1252", name), "cp1252", False


def _chunks(data: bytes) -> list[memoryview]:
    view = memoryview(data)
    return [view[start : start + _CHUNK_BYTES] for start in range(0, len(view), _CHUNK_BYTES)] or [view]


def _first_bad_byte(data: bytes, encoding: str) -> int | None:
    """Position of the first byte that the encoding does not allow; chunk by chunk, to keep memory small."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    try:
        for chunk in _chunks(data):
            pending = len(decoder.getstate()[0])
            decoder.decode(chunk)
            position += len(chunk)
        pending = len(decoder.getstate()[0])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return position - pending + error.start
    return None


def line_number(text: str) -> int:
    """Return the line on which a text ends; a line ends by a line feed, a carriage return or both."""
    return len(re.findall(r"\r\n|\r|\n", text)) + 1


def _transcode(data: bytes, encoding: str, name: str) -> bytes:
    bad = _first_bad_byte(data, encoding)
    if bad is not None:
        line = line_number(data[:bad].decode(encoding, errors="replace"))
        raise DataError(f"{name}, line {line}: the bytes are not {encoding}: give the right encoding")
    if encoding == "utf-8":
        return data
    decoder = codecs.getincrementaldecoder(encoding)()
    return b"".join(decoder.decode(chunk).encode() for chunk in _chunks(data))


def encoder(dialect: Dialect) -> Callable[[bytes], bytes]:
    """Return a function that turns UTF-8 text, piece by piece, into the dialect's encoding.

    It raises DataError when the encoding lacks a character of the table.
    """
    mark = _BOMS["utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding] if dialect.bom else b""
    into = codecs.getincrementalencoder(dialect.encoding)()

    def encode(text: bytes) -> bytes:
        nonlocal mark
        start, mark = mark, b""
        if dialect.encoding == "utf-8":
            return start + text
        try:
            return start + into.encode(text.decode())
        except UnicodeEncodeError:
            raise DataError(f"the table has a character that {dialect.encoding} lacks: write it as utf-8") from None

    return encode


def detect_delimiter(text: bytes) -> str:
    """Choose the delimiter that cuts the first lines into the most cells, the same number in each.

    >>> detect_delimiter(b"age;charge\\n34;1,5\\n51;2,0\\n")
    ';'
    """
    sample = text[:_SAMPLE_BYTES].decode(errors="replace")
    lines = sample.splitlines(keepends=True)
    if len(text) > _SAMPLE_BYTES and len(lines) > 1:
        lines.pop()  # cut in the middle

    def score(delimiter: str) -> tuple[bool, int]:
        counts = [len(cells) for cells in _cells(lines, delimiter) if cells]
        return len(set(counts)) == 1 and counts[0] > 1, counts[0] if counts else 1

    return max(DELIMITERS, key=score)  # the first of several


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # a cell longer than the csv module takes
        return [line.rstrip("\r\n").split(delimiter) for line in lines]
