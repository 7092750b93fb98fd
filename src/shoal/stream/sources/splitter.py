"""Bytes as they come into lines, without ever holding more than a line may have."""

from __future__ import annotations

from typing import NamedTuple

KEPT = 1024
"""How much is kept of a line that is too long."""


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
        A line goes on while a double quote is open, as in CSV.

    Examples
    --------
    >>> splitter = Splitter(limit=8, quoted=False)
    >>> [line.value for line in splitter.feed(b"one\\ntw")], [line.value for line in splitter.feed(b"o\\r\\n")]
    ([b'one'], [b'two'])
    """

    def __init__(self, *, limit: int, quoted: bool) -> None:
        self._limit = limit
        self._quoted = quoted
        self._held = b""
        self._too_long = False
        self._dropped = 0  # bytes of a line that is too long, beyond what is held

    def feed(self, chunk: bytes) -> list[Line]:
        """Take more bytes; return the lines they complete."""
        lines = []
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            self._extend(piece)
            if self._quoted and not self._too_long and self._held.count(b'"') % 2:
                self._extend(b"\n")
                continue
            lines.append(self._take(1))
        self._extend(pieces[-1])
        return lines

    def finish(self) -> list[Line]:
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
        line = Line(self._held.removesuffix(b"\r"), length, too_long=self._too_long)
        self._held, self._dropped, self._too_long = b"", 0, False
        return line
