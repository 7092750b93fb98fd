"""Keys in files: bytes that only their owner can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from shoal.errors import PlanError

FEWEST, MOST = 16, 4096
"""Bytes of a key."""


def read_key(path: str | Path, *, option: str) -> bytes:
    """Read a key: the bytes of a file, without a line end.

    Parameters
    ----------
    path
        The file, which nobody but its owner may read. ``head -c 32 /dev/urandom | base64 > key; chmod 600 key`` makes
        one.
    option
        Who asks, for messages.

    Raises
    ------
    PlanError
        The file is not there, others can read it, or it holds too few bytes to be a secret.
    """
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            if os.name == "posix" and stat.S_ISREG(found.st_mode) and found.st_mode & 0o077:
                raise PlanError(f"{option}: others can read {path}, so it is no secret: make a new one with chmod 600")
            key = file.read(MOST + 1).rstrip(b"\r\n")
    except OSError as error:
        raise PlanError(f"{option}: {path} cannot be read: {(error.strerror or '').lower()}") from None
    if not FEWEST <= len(key) <= MOST:
        raise PlanError(f"{option}: {path} must hold from {FEWEST} to {MOST} bytes, not {len(key)}")
    return key
