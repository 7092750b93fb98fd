"""By what a file is known again that was read or written in part: its inode, and a digest of its beginning."""

from __future__ import annotations

import hashlib
import os

_CHUNK = 1 << 20


class Prefix:
    """The beginning of a file, which grows.

    Parameters
    ----------
    inode
        The number of the file in its file system.

    Notes
    -----
    A digest of a few first bytes would not do: the header of a CSV file is the same every day.
    """

    def __init__(self, inode: int) -> None:
        self._inode = inode
        self._digest = hashlib.sha256()
        self._length = 0

    def grown_to(self, handle: int, length: int) -> list[int | str]:
        """Read the file as far as this length, and return inode, length and digest. It never gets shorter."""
        while self._length < length:
            piece = os.pread(handle, min(_CHUNK, length - self._length), self._length)
            if not piece:
                break  # somebody cut the file
            self.add(piece)
        return [self._inode, self._length, self._digest.hexdigest()]

    def add(self, piece: bytes | memoryview) -> None:
        """Go on by bytes that were just written."""
        self._digest.update(piece)
        self._length += len(piece)
