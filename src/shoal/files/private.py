"""Files for their owner alone: what tells of records, or helps to undo their masking, and the keys to it.

Files of a transaction are private by ``Outputs.stage(..., private=True)``, those that grow by `open_for_owner`, and
what was to be kept secret is read by `read_secret`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal, TypeAlias

from shoal.errors import DataError
from shoal.files_in_use import note_read

FOR_OWNER = 0o600
"""The permissions of what must not be read by others."""

FOR_OWNER_FOLDER = 0o700
"""The permissions of folders into which others must not look."""

Privacy: TypeAlias = bool | Literal["where possible"]
"""Whether a file is for its owner alone, always or where its place allows it."""


def is_private(status: os.stat_result) -> bool:
    """Tell whether nobody but the owner of a file may read or write it."""
    return not status.st_mode & 0o077


def open_for_owner(path: str | Path, flags: int) -> int:
    """Open or make a file that only its owner may read and write, and return its number.

    One that was there with other permissions gets these.

    Parameters
    ----------
    path
        The file, or a pipe or a device, which stays as it is.
    flags
        As those of ``os.open``.
    """
    handle = os.open(path, flags, FOR_OWNER)
    keep_for_owner(handle)
    return handle


def keep_for_owner(handle: int) -> None:
    """Give an open file the permissions of what only its owner may read and write; pipes and devices keep theirs."""
    status = os.fstat(handle)
    if os.name == "posix" and stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
        os.fchmod(handle, FOR_OWNER)


def read_secret(path: str | Path, *, option: str, harm: str, most: int) -> bytes:
    """Read a file that nobody but its owner may read or write.

    Parameters
    ----------
    path
        The file, or a pipe that a program which keeps secrets writes to.
    option
        Who asks, for messages.
    harm
        What others can do who have read it, for messages.
    most
        The most bytes that are read.

    Raises
    ------
    FileNotFoundError
        It is not there.
    DataError
        It cannot be read, or can be by others.
    """
    try:
        with Path(path).open("rb") as file:
            note_read(path)  # one that is not there yet may be made, by this run or by another
            status = os.fstat(file.fileno())
            content = file.read(most)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(f"{option} {path} cannot be read: {(error.strerror or '').lower()}") from None
    if os.name == "posix" and not is_private(status):
        raise DataError(
            f"{option} {path} can be read or written by others than its owner, and whoever has the key can {harm}: "
            "make it yours alone (chmod 600), and a new one if somebody may have read it"
        )
    return content
