"""Lines of standard input or of files, one after the other."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import DataError
from shoal.stream.sources.base import Message
from shoal.stream.sources.splitter import Line, Splitter

_CHUNK = 1 << 16
STDIN = "-"


class LinesSource:
    """Messages are lines, or CSV records; the one lane is named by the empty text.

    A place is the number of a file and a position in it. Standard input has no places to go back to: what was read
    before a restart is gone.

    Parameters
    ----------
    paths
        Files, or ``-``.
    csv
        The first record of each file names the columns and is no message.
    limit
        The most bytes a line may have.
    """

    def __init__(self, paths: Sequence[str], *, csv: bool, limit: int) -> None:
        self._paths = list(paths)
        self._csv = csv
        self._limit = limit
        self._file = 0
        self._handle: int | None = None
        self._offset = 0  # of the next line
        self._splitter = self._fresh_splitter()
        self._skip_to = 0
        self.header: bytes | None = None

    def lanes(self) -> list[str]:
        """Return the one lane."""
        return [""]

    def open(self, places: Mapping[str, Any]) -> None:
        """Begin at the first line of the first file, or at the place."""
        self._file, self._skip_to = places.get("", [0, 0])
        if self._file < len(self._paths):
            self._open_file()

    def read(self, timeout: float) -> list[Message] | None:
        """Return the lines that are there; None after the last file."""
        if self._handle is None:
            return None
        if self._pollable and not select.select([self._handle], [], [], timeout)[0]:
            return []
        chunk = os.read(self._handle, _CHUNK)
        if chunk:
            return self._messages(self._splitter.feed(chunk))
        messages = self._messages(self._splitter.finish())
        if self._csv and self.header is None:
            raise DataError(f"{self._name()} is empty: a CSV stream begins with the names of its columns")
        self.close()
        self._file, self._skip_to = self._file + 1, 0
        if self._file < len(self._paths):
            self._open_file()
        return messages

    def caught_up(self) -> bool:
        """Return True: a pipe that gives nothing has nothing to give."""
        return True

    def commit(self, places: Mapping[str, Any]) -> None:
        """Do nothing: files stay as they are."""

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None and self._paths[min(self._file, len(self._paths) - 1)] != STDIN:
            os.close(self._handle)
        self._handle = None

    def _open_file(self) -> None:
        name = self._paths[self._file]
        try:
            self._handle = sys.stdin.fileno() if name == STDIN else os.open(Path(name), os.O_RDONLY)
        except OSError as error:
            raise DataError(f"{name} cannot be read: {error.strerror}") from None
        mode = os.fstat(self._handle).st_mode
        self._pollable = not stat.S_ISREG(mode)
        self._offset = 0
        self._splitter = self._fresh_splitter()
        self._want_header = self._csv
        if self._skip_to and stat.S_ISREG(mode) and not self._csv:
            self._offset = os.lseek(self._handle, self._skip_to, os.SEEK_SET)

    def _messages(self, lines: list[Line]) -> list[Message]:
        messages = []
        for line in lines:
            before, self._offset = self._offset, self._offset + line.length
            if self._want_header:
                self._want_header = False
                self._take_header(line)
            elif line.value.strip() and (before >= self._skip_to or self._paths[self._file] == STDIN):
                problem = f"the line is longer than {self._limit} bytes" if line.too_long else None
                messages.append(Message("", line.value, [self._file, before], [self._file, self._offset], problem))
        return messages

    def _take_header(self, line: Line) -> None:
        value = line.value.removeprefix(b"\xef\xbb\xbf")
        if self.header not in (None, value):
            raise DataError(f"{self._name()} names other columns than the file before it")
        self.header = value

    def _name(self) -> str:
        name = self._paths[self._file]
        return "standard input" if name == STDIN else name

    def _fresh_splitter(self) -> Splitter:
        return Splitter(limit=self._limit, quoted=self._csv)
