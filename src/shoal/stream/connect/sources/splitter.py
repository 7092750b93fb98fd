"""Bytes as they come into lines, without ever holding more than a line may have."""

from __future__ import annotations

from typing import NamedTuple

KEPT = 1 << 17
"""How many bytes are kept of a line that is too long."""


class Line(NamedTuple):
    """A line without its end, how many bytes it took with it, and whether it was too long (and is cut)."""

    value: bytes
    length: int
    too_long: bool = False


class Splitter:
    """Cuts bytes into lines.

    Parameters
    ----------
    limit
        The most bytes a line may have.
    quoted
        A line goes on inside a quoted field, as in CSV.

    Examples
    --------
    >>> splitter = Splitter(limit=8, quoted=False)
    >>> [line.value for line in splitter.feed(b"one\\ntw")], [line.value for line in splitter.feed(b"o\\r\\n")]
    ([b'one'], [b'two'])
    """

    def __init__(self, *, limit: int, quoted: bool) -> None:
        self._limit = limit
        self._quoted = quoted
        self._held = bytearray()
        self._dropped = 0  # bytes of a line that is too long, beyond what is held
        self._too_long = False
        self._open = False  # a quoted field was open before the held bytes from here on:
        self._scanned = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """Take more bytes; return the lines they complete."""
        lines = []
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            self._extend(piece)
            if self._quoted and not self._too_long:
                self._open = stays_open(self._held[self._scanned :], is_open=self._open)
                if self._open:
                    self._extend(b"\n")
                    self._scanned = len(self._held)
                    continue
            lines.append(self._take(1))
        self._extend(pieces[-1])
        return lines

    def rest(self) -> list[Line]:
        """Return what came after the last end of line, if anything did."""
        return [self._take(0)] if self._held else []

    def _extend(self, piece: bytes) -> None:
        whole = len(self._held) + len(piece)
        if not self._too_long and whole <= self._limit:
            self._held += piece
            return
        self._too_long = True
        self._held = (self._held + piece[:KEPT])[:KEPT]
        self._dropped += whole - len(self._held)

    def _take(self, end: int) -> Line:
        length = len(self._held) + self._dropped + end
        line = Line(bytes(self._held.removesuffix(b"\r")), length, too_long=self._too_long)
        self._held, self._dropped, self._too_long, self._open, self._scanned = bytearray(), 0, False, False, 0
        return line


def stays_open(line: bytes | bytearray, *, is_open: bool) -> bool:
    """Whether a quoted CSV field is open at the end of a line. A quote opens one only at the beginning of a field.

    >>> [stays_open(line, is_open=False) for line in (b'1,"two', b'5" pipe,1', b'"a",c')]
    [True, False, False]
    """
    if b'"' not in line:
        return is_open
    at = 0
    while True:
        if is_open or line[at : at + 1] == b'"':
            at = line.find(b'"', at if is_open else at + 1)
            while at >= 0 and line[at + 1 : at + 2] == b'"':
                at = line.find(b'"', at + 2)
            if at < 0:
                return True
            is_open = False
        at = line.find(b",", at)
        if at < 0:
            return False
        at += 1
