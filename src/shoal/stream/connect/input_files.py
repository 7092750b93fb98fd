"""The inputs of a run, looked at before the first one is read, and by what a file is known again."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from shoal.errors import DataError, PlanError

_CHUNK = 1 << 20


class FilePrefix(NamedTuple):
    """By what the beginning of a file is known again: a file that was moved has its inode, and a copy its digest."""

    inode: int
    length: int
    digest: str


class Prefix:
    """The beginning of a file, which grows.

    A digest of a few first bytes would not do: the header of a CSV file is the same every day.
    """

    def __init__(self, inode: int) -> None:
        self._inode = inode
        self._digest = hashlib.sha256()
        self._length = 0

    def grown_to(self, handle: int, length: int) -> FilePrefix:
        """Read the file as far as this length. It never gets shorter."""
        while self._length < length:
            piece = os.pread(handle, min(_CHUNK, length - self._length), self._length)
            if not piece:
                break  # somebody cut the file
            self.add(piece)
        return FilePrefix(self._inode, self._length, self._digest.hexdigest())

    def add(self, piece: bytes | memoryview) -> None:
        """Go on by bytes that were just written."""
        self._digest.update(piece)
        self._length += len(piece)


STDIN = "-"
FileId: TypeAlias = tuple[int, int]
"""Device and inode."""


@dataclass
class Input:
    """An input as it was when the run began."""

    path: str  # as it was given
    file: FileId | None = None  # None for a pipe or a device, which is not known again
    size: int = 0  # its bytes, then
    number: int | None = None  # which of the known files it is; None for one that is none of them yet
    begin: int = 0  # the position of the first line that is to be read
    taken: int = 0  # after the last message of earlier runs; 0 where none came, though a header was read
    prefix: Prefix | None = None  # what was read of it, in earlier runs and in this one
    handle: int = -1  # while it is open

    def __str__(self) -> str:
        return "standard input" if self.path == STDIN else self.path

    @property
    def name(self) -> str:
        """What the file is called from any folder; that of standard input is not known."""
        return STDIN if self.path == STDIN else os.path.realpath(self.path)

    @property
    def is_named_file(self) -> bool:
        """Whether it can be opened again, and read from anywhere."""
        return self.file is not None and self.path != STDIN

    @contextmanager
    def opened(self) -> Iterator[int]:
        """Open it for reading, until the end of the block."""
        self.open()
        try:
            yield self.handle
        finally:
            self.close()

    def open(self) -> None:
        """Open it for reading; refuse what is not the file that was found."""
        try:
            self.handle = sys.stdin.fileno() if self.path == STDIN else os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise self.unreadable(error) from None
        if _file(os.fstat(self.handle)) != self.file:
            self.close()
            raise DataError(f"{self} was replaced by another file after the run began: start it again")

    def close(self) -> None:
        """Close it; standard input is somebody else's."""
        if self.path != STDIN:
            os.close(self.handle)

    def unreadable(self, error: OSError) -> DataError:
        """Return what is said of an input that cannot be read."""
        return DataError(f"{self} cannot be read: {error.strerror}")

    def require_line_end(self) -> None:
        """Refuse to begin inside of a line: its first half was taken for a whole one, at the end of an earlier run."""
        if self.begin and os.pread(self.handle, 1, self.begin - 1) != b"\n":
            following = os.pread(self.handle, 2, self.begin)
            if following and not following.startswith((b"\n", b"\r\n")):
                raise DataError(
                    f"the last line that was read of {self} had no line end, and went on since: end it after byte "
                    f"{self.begin}, or start anew without the state"
                )


def find_inputs(paths: Sequence[str]) -> list[Input]:
    """Look for all inputs of a run; refuse those that cannot be read, and two that are one file."""
    inputs = [_find(path) for path in paths]
    seen: dict[FileId, Input] = {}
    for each in inputs:
        first = each if each.file is None else seen.setdefault(each.file, each)
        if first is not each:
            also = "" if str(first) == str(each) else f", before as {first}"
            raise PlanError(f"{each} is named twice among the inputs{also}: name it once")
    return inputs


def _find(path: str) -> Input:
    if path == STDIN and sys.stdin is None:
        raise DataError("standard input is closed: name an --input")
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STDIN else Path(path).stat()
    except OSError as error:
        raise Input(path).unreadable(error) from None
    if stat.S_ISDIR(status.st_mode):
        raise DataError(f"{path} cannot be read: Is a directory")
    file = Input(path, _file(status), status.st_size)
    if file.file is not None:
        with file.opened() as handle:  # whoever may not read it is told now
            if path == STDIN:  # somebody may have read some of it before
                file.begin = os.lseek(handle, 0, os.SEEK_CUR)
    return file


def _file(status: os.stat_result) -> FileId | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
