"""The folder of a stream's snapshots: one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import OutputError, PlanError


@contextmanager
def state_folder(path: str | None) -> Iterator[Path | None]:
    """Open the folder, made if it is not there, and keep other processes out until the end of the block.

    A process that is killed gives the folder free: the lock is the system's, not a file's existence.
    """
    if path is None:
        yield None
        return
    folder = Path(path)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"the state cannot be kept in {path}: {error.strerror}") from None
    try:
        _lock(handle, path)
        yield folder
    finally:
        os.close(handle)


def _lock(handle: int, path: str) -> None:
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise PlanError(
            f"the state in {path} is used by another process: stop it, or give this one a state of its own"
        ) from None
