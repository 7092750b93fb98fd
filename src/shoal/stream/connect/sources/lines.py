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
from shoal.stream.connect.message_formats import csv_fields
from shoal.stream.connect.prefix import Prefix
from shoal.stream.connect.sources.base import Message, refuse_another
from shoal.stream.connect.sources.splitter import Line, Splitter

_CHUNK = 1 << 16
_MARK = b"\xef\xbb\xbf"  # some programs write it before UTF-8
STDIN = "-"


class LinesSource:
    """Messages are lines, or CSV records; the one lane is named by the empty text. Empty lines are no messages.

    A place is the name of a file, a position in it and the number of the file among the inputs. Standard input and
    other pipes have no places to go back to: what was read before a restart is gone. A file is known again by its
    inode, its size and a digest of everything that was read of it, so that another one under the same name, as after a
    rotation of logs, is not read from its middle.

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
        self._silent = False
        self._known: dict[str, list[Any]] = {}  # inode, length and digest of what was read, by name
        self._prefix: Prefix | None = None  # of the file that is open
        self.names: list[str] = []

    def lanes(self) -> list[str]:
        """Return the one lane."""
        return [""]

    def identity(self) -> dict[str, Any]:
        """Return by what the files are known again."""
        if self._prefix is not None and self._handle is not None:
            self._known[self._paths[self._file]] = self._prefix.grown_to(self._handle, self._offset)
        return {"what": "lines", "files": dict(self._known)}

    def open(self, places: Mapping[str, Any], identity: Mapping[str, Any] | None = None) -> None:
        """Begin at the first line of the first file, or at the place."""
        if identity is not None:
            refuse_another(self.identity(), identity)
            self._known = dict(identity.get("files") or {})
        place = places.get("", ["", 0, 0])
        if not isinstance(place, list) or [type(part) for part in place] != [str, int, int] or min(place[1:]) < 0:
            raise DataError("the place in the state is none in a file: start anew without the state")
        self._file, self._skip_to = self._find(*place) if "" in places else (0, 0)
        self._open_file()

    def read(self, timeout: float) -> list[Message] | None:
        """Return the lines that are there; None after the last file."""
        if self._handle is None:
            return None
        self._silent = self._pollable and not select.select([self._handle], [], [], timeout)[0]
        if self._silent:
            return []
        try:
            chunk = os.read(self._handle, _CHUNK)
        except OSError as error:
            raise DataError(f"{self._name()} cannot be read: {error.strerror}") from None
        if chunk:
            return self._messages(self._splitter.feed(chunk))
        messages = self._messages(self._splitter.rest())
        if self._want_header:
            raise DataError(f"{self._name()} is empty: a CSV stream begins with the names of its columns")
        self.close()
        if self._file + 1 < len(self._paths):
            self._file, self._skip_to = self._file + 1, 0
            self._open_file()
        return messages

    def caught_up(self) -> bool:
        """Whether a pipe gives nothing; a file tells its end itself."""
        return self._silent

    def commit(self, places: Mapping[str, Any]) -> None:
        """Do nothing: files stay as they are."""

    def close(self) -> None:
        """Close the file."""
        self.identity()
        if self._handle is not None and self._paths[self._file] != STDIN:
            os.close(self._handle)
        self._handle = self._prefix = None

    def _find(self, name: str, offset: int, number: int) -> tuple[int, int]:
        """Return the number of the file to go on with, and from where."""
        if self._paths[number : number + 1] == [name]:
            return number, offset
        if name in self._paths:
            return self._paths.index(name), offset
        if _has_more(name, offset):
            raise DataError(
                f"the state stopped in the middle of {name}, which is not among the inputs: give it as the first one, "
                "or start anew without the state"
            )
        return 0, 0

    def _open_file(self) -> None:
        name = self._paths[self._file]
        if name == STDIN and sys.stdin is None:
            raise DataError("standard input is closed: name an --input")
        try:
            self._handle = sys.stdin.fileno() if name == STDIN else os.open(Path(name), os.O_RDONLY)
        except OSError as error:
            raise DataError(f"{name} cannot be read: {error.strerror}") from None
        found = os.fstat(self._handle)
        self._pollable = not stat.S_ISREG(found.st_mode)
        if self._pollable:
            self._skip_to = 0
        else:
            self._recognize(found)
        self._offset = 0
        self._splitter = self._fresh_splitter()
        self._want_header = self._csv
        if self._skip_to and not self._csv:
            self._offset = os.lseek(self._handle, self._skip_to, os.SEEK_SET)

    def _recognize(self, found: os.stat_result) -> None:
        """Refuse to go on in a file that is not the one whose place is known."""
        assert self._handle is not None
        name = self._paths[self._file]
        known = self._known.get(name) if self._skip_to else None
        self._prefix = Prefix(found.st_ino)
        same = known is None or (found.st_size >= known[1] and self._prefix.grown_to(self._handle, known[1]) == known)
        if name == STDIN:
            if known is not None and same:
                raise DataError(
                    "standard input is the file that was read before: name it with --input to go on where it was left"
                )
            self._skip_to = 0
            self._prefix = Prefix(found.st_ino)
        elif found.st_size < self._skip_to or not same:
            raise DataError(
                f"{name} is another file than the one that was read, or does not begin with what was read of it: bring "
                "that file back, or start anew without the state"
            )

    def _messages(self, lines: list[Line]) -> list[Message]:
        messages = []
        name = self._paths[self._file]
        for line in lines:
            before, self._offset = self._offset, self._offset + line.length
            value = line.value if before else line.value.removeprefix(_MARK)
            if not value.strip():
                continue
            if self._want_header:
                self._want_header = False
                self._take_header(value)
            elif before >= self._skip_to:
                problem = f"the line is longer than {self._limit} bytes" if line.too_long else None
                places = ([name, before, self._file], [name, self._offset, self._file])
                messages.append(Message("", value, *places, problem, cut=line.too_long))
        return messages

    def _take_header(self, line: bytes) -> None:
        try:
            names = csv_fields(line)
        except DataError as error:
            raise DataError(f"{self._name()} does not begin with the names of its columns: {error}") from None
        if len(set(names)) != len(names):
            raise DataError(f"{self._name()} names a column twice in its first line")
        if self.names not in ([], names):
            raise DataError(f"{self._name()} names other columns than the file before it")
        self.names = names

    def _name(self) -> str:
        name = self._paths[self._file]
        return "standard input" if name == STDIN else name

    def _fresh_splitter(self) -> Splitter:
        return Splitter(limit=self._limit, quoted=self._csv)


def _has_more(name: str, offset: int) -> bool:
    """Whether a file has anything but empty lines after a position; one that is gone or a pipe has not."""
    if not Path(name).is_file():
        return False
    try:
        with Path(name).open("rb") as file:
            file.seek(offset)
            return bool(file.read(_CHUNK).strip())
    except OSError:
        return False
