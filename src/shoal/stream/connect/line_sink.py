"""Lines to standard output or to a file."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from shoal.errors import OutputError, counted
from shoal.file_status import file_status
from shoal.files.private import FOR_OWNER, keep_for_owner
from shoal.stream.connect.input_files import FilePrefix, Prefix
from shoal.stream.connect.protocols import NEW, Output, Sink

logger = logging.getLogger("shoal.stream")

STDOUT = "-"


class _Place(NamedTuple):
    """A place as `LinesSink.place` gives it: the file, and how much of what was written to it."""

    name: str
    inode: int
    length: int
    digest: str

    @classmethod
    def of(cls, place: Any) -> _Place:
        """Read the place of a state, or refuse what is none."""
        if not isinstance(place, list) or [type(part) for part in place] != [str, int, int, str] or place[2] < 0:
            raise OutputError("the place in the state is none in an output file: start anew without the state")
        return cls(*place)


class LinesSink(Sink):
    """One line per message, and a header before the first if the format has one.

    A file goes back to a place by being cut there, so that a restart leaves every record in it once. It is known again
    by its inode and a digest of everything that was written to it, whatever it is called now. It is cut when it is
    first used: what stood there stays where a run is refused after this was opened. Standard output (``-``), a pipe or
    a device cannot go back. A private file is the owner's alone from its first line on.
    """

    def __init__(self, path: str, *, private: bool = False) -> None:
        self._path = path
        self._private = private
        self._file: BinaryIO | None = None
        self._prefix: Prefix | None = None  # what the file holds
        self._cut: int | None = None  # where it is to be cut
        self._goes_on = False  # where a state says
        self._created = False

    def open(self, place: Any) -> bool:
        """Begin a new file, or go on with the one that is there from the place."""
        if self._path == STDOUT:
            if sys.stdout is None:
                raise OutputError("standard output is closed: name an --output")
            self._file = sys.stdout.buffer
            return False
        try:
            self._file = os.fdopen(self._handle(), "wb", buffering=0)
            status = os.fstat(self._file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return False
            self._cut, self._goes_on = 0, place is not None
            self._claim()
            self._prefix = Prefix(status.st_ino)
            self._cut = self._length(place, status)
        except OutputError:
            self.close()
            raise
        except OSError as error:
            raise self._failed(error) from None
        return self._cut > 0

    def write(self, outputs: Sequence[Output]) -> None:
        """Write the lines; a reader at the other end of a pipe gets them at once."""
        if not outputs:
            return
        left = memoryview(b"".join(output.value + b"\n" for output in outputs))
        try:
            file = self._cut_file()
            while left:
                written = file.write(left)
                if self._prefix is not None:
                    self._prefix.add(left[:written])
                left = left[written:]
            file.flush()
        except BrokenPipeError:
            raise  # the reader of a pipe left
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        """Force the lines to the disk, if it is one."""
        if self._prefix is not None:
            try:
                os.fsync(self._cut_file().fileno())
            except OSError as error:
                raise self._failed(error) from None

    def place(self) -> Any:
        """Return the file and what it holds; nothing can be taken back from a pipe."""
        if self._prefix is None:
            return None
        handle = self._opened()
        return [os.path.realpath(self._path), *self._prefix.grown_to(handle.fileno(), handle.tell())]

    def close(self) -> None:
        """Close the file, and remove one that was made for nothing."""
        if self._file is not None and self._path != STDOUT:
            self._file.close()
            if self._cut is not None and self._created:
                Path(os.path.realpath(self._path)).unlink(missing_ok=True)
        self._file = self._cut = None

    def _handle(self) -> int:
        """Open the file, and remember whether this made it: two runs may find none at the same time."""
        self._created, permissions = False, FOR_OWNER if self._private else 0o666
        if file_status(self._path) is None:
            with contextlib.suppress(OSError):
                handle = os.open(os.path.realpath(self._path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, permissions)
                self._created = True
                return handle
        return os.open(self._path, os.O_WRONLY | os.O_CREAT, permissions)

    def _claim(self) -> None:
        """Keep other processes that ask from writing to the file: lines of two would run into each other."""
        if os.name != "posix":
            return
        import fcntl

        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{self._path} is written by another process: stop it, or name another file") from None
        except OSError:
            pass  # a file system without locks

    def _length(self, place: Any, status: os.stat_result) -> int:
        """Return where to cut the file; refuse one that is not what the state speaks of."""
        if place is None:
            return 0
        if place == NEW:
            if status.st_size:
                raise OutputError(
                    f"{self._path} holds something that the state does not go on with: name the state that it was "
                    "written with, or a new file"
                )
            return 0
        name, _, length, _ = _Place.of(place)
        here = name == os.path.realpath(self._path)
        if here and status.st_size < length:
            raise OutputError(
                f"{self._path} is shorter than it was when the state was saved: bring it back, or start anew without "
                "the state"
            )
        # Of a file to which nothing was written, an inode would be all that it is known by.
        if (here or length) and self._prefix_of(length) == tuple(place[1:]):
            return length
        self._prefix = Prefix(status.st_ino)
        if status.st_size == 0:
            return 0
        if here:
            raise OutputError(
                f"{self._path} is another file than the one the state goes on with, or holds something else: bring "
                "that file back, or start anew without the state"
            )
        raise OutputError(
            f"{self._path} holds something, and the state goes on with {name}: name that one, or a new file"
        )

    def _prefix_of(self, length: int) -> FilePrefix:
        """Read what the file holds: it is open for writing alone."""
        assert self._prefix is not None
        with Path(self._path).open("rb") as file:
            return self._prefix.grown_to(file.fileno(), length)

    def _failed(self, error: OSError) -> OutputError:
        name = "standard output" if self._path == STDOUT else self._path
        return OutputError(f"{name} cannot be written: {error.strerror}")

    def _cut_file(self) -> BinaryIO:
        """Return the file, whose lines go on where it was opened."""
        file = self._opened()
        if self._cut is not None:
            if self._private:
                keep_for_owner(file.fileno())
            if self._goes_on and self._cut < (size := os.fstat(file.fileno()).st_size):
                logger.warning(
                    "%s has %s after what the state knows of, by a run that did not end: they are cut off, and leave "
                    "again from the inputs of that run, in the same groups if these are named in the same order",
                    self._path,
                    counted(size - self._cut, "byte"),
                )
            file.truncate(self._cut)
            file.seek(self._cut)
            self._cut = None
        return file

    def _opened(self) -> BinaryIO:
        assert self._file is not None, "a sink is opened before it is used"
        return self._file


def require_nothing_more(place: Any) -> None:
    """Refuse a file that holds more than a place says, where the run that saved it ended in order: others wrote it."""
    if place is None:
        return
    name, _, length, _ = _Place.of(place)
    if Path(name).stat().st_size > length:
        raise OutputError(
            f"{name} holds more than this stream wrote to it: take that out after byte {length}, or name a new file"
        )


def require_nothing_after(place: Any, *, ended: bool) -> None:
    """Refuse to go on elsewhere than in the file of a place while that holds more: it would leave a second time.

    A process that was killed leaves such records. Who goes on with the file cuts them off, and releases them again.
    Where the run that saved the place did not end in order, it is said if the file cannot be looked at.
    """
    name, inode, length, _ = _Place.of(place)
    status = file_status(name)
    there = status is not None and stat.S_ISREG(status.st_mode) and status.st_ino == inode
    try:
        if there:
            with Path(name).open("rb") as file:
                there = Prefix(inode).grown_to(file.fileno(), length) == tuple(place[1:])
    except OSError as error:
        raise OutputError(f"{name} cannot be read: {error.strerror}") from None
    if status is not None and there and status.st_size > length:
        raise OutputError(
            f"{name} holds more than the state knows of, which would leave a second time: go on with that file first, "
            f"or cut it after byte {length}"
        )
    if not there and not ended:
        logger.warning(
            "the last run did not end in order, and %s is not what it was then: whatever the state does not know of it "
            "leaves a second time",
            name,
        )
