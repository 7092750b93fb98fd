"""Lines to standard output or to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from shoal.errors import OutputError
from shoal.stream.sinks.base import Output

STDOUT = "-"


class LinesSink:
    """One line per message, and a header before the first if the format has one.

    A file goes back to a place by being cut there, so that a restart leaves every record in it once.

    Parameters
    ----------
    path
        A file, or ``-``.
    private
        Only the owner may read the file.
    """

    def __init__(self, path: str, *, private: bool = False) -> None:
        self._path = path
        self._private = private
        self._file: BinaryIO | None = None

    def open(self, place: Any) -> None:
        """Begin a new file, or go on with the one that is there from the place."""
        if self._path == STDOUT:
            self._file = sys.stdout.buffer
            return
        mode = 0o600 if self._private else 0o666
        try:
            handle = os.open(Path(self._path), os.O_RDWR | os.O_CREAT, mode)
            length = 0 if place is None else int(place)
            if os.fstat(handle).st_size < length:
                os.close(handle)
                raise OutputError(
                    f"{self._path} is shorter than it was when the state was saved: bring it back, or start anew "
                    "without the state"
                )
            os.ftruncate(handle, length)
            os.lseek(handle, length, os.SEEK_SET)
        except OSError as error:
            raise OutputError(f"{self._path} cannot be written: {error.strerror}") from None
        self._file = os.fdopen(handle, "wb")

    def write(self, outputs: Sequence[Output]) -> None:
        """Write the lines; a reader at the other end of a pipe gets them at once."""
        if not outputs:
            return
        file = self._opened()
        try:
            file.write(b"".join(output.value + b"\n" for output in outputs))
            file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"{self._path} cannot be written: {error.strerror}") from None

    def flush(self) -> None:
        """Force the lines to the disk, if it is one."""
        file = self._opened()
        file.flush()
        if self._path != STDOUT:
            os.fsync(file.fileno())

    def place(self) -> Any:
        """Return the length of the file; nothing can be taken back from a pipe."""
        return None if self._path == STDOUT else self._opened().tell()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None and self._path != STDOUT:
            self._file.close()
        self._file = None

    def _opened(self) -> BinaryIO:
        assert self._file is not None, "a sink is opened before it is used"
        return self._file
