"""The folder with the state of a run: one process at a time, and one snapshot of all lanes.

Lanes share the sinks, so they are saved together: a crash between two of them would leave a file that holds records
which one lane still has to release.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import DataError, OutputError, PlanError
from shoal.files import open_for_owner, read_secret
from shoal.files.private import FOR_OWNER_FOLDER
from shoal.files.temporary import lock
from shoal.stream.engine.snapshot import Snapshot, read_snapshot, write_snapshot

_FILE, _LOCK = "stream.snapshot", "lock"
_FEWEST, _MOST = 16, 4096
"""Bytes of a key that somebody else made."""


def state_files(path: str) -> list[str]:
    """Return the files of a state in a folder, which are neither for reading nor for writing by anything else."""
    return [str(Path(path) / name) for name in (_FILE, _LOCK)]


@contextlib.contextmanager
def state_folder(path: str | None) -> Iterator[Path | None]:
    """Open the folder, made if it is not there, and keep other processes out until the end of the block.

    A process that is killed gives the folder free: the lock is the system's, not a file's existence.
    """
    if path is None:
        yield None
        return
    folder = Path(path)
    new_folders = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(mode=FOR_OWNER_FOLDER, parents=True, exist_ok=True)
        handle = open_for_owner(folder / _LOCK, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise OutputError(f"the state cannot be kept in {path}: {error.strerror}") from None
    try:
        _lock(handle, folder)
        for unfinished in folder.glob(f".{_FILE}.*.part"):  # of a process that was killed; they hold records
            unfinished.unlink(missing_ok=True)
        try:
            yield folder
        finally:
            if new_folders and not (folder / _FILE).exists():  # a run that is refused leaves nothing
                with contextlib.suppress(OSError):
                    (folder / _LOCK).unlink()
                    for each in new_folders:  # the inner ones first
                        each.rmdir()
    finally:
        os.close(handle)


class RunState(NamedTuple):
    """What all lanes of a run share, and the state of each lane that has one."""

    shared: dict[str, Any]
    lanes: dict[str, Snapshot]


def read_state(folder: Path | None, lanes: Sequence[str], *, key: bytes | None = None) -> RunState:
    """Return the state in a folder; an empty one where there is none."""
    if folder is None:
        return RunState({}, {})
    if not (folder / _FILE).exists():
        if any(folder.glob("*.snapshot")):  # to begin anew would release records again, in other company
            raise DataError(
                f"the state in {folder} is of another version of shoal: finish the stream with that one, or give this "
                "run a new folder"
            )
        return RunState({}, {})
    header, parts = read_snapshot(folder / _FILE, key=key)
    if not isinstance(header.get("lanes"), dict) or not isinstance(header.get("shared"), dict):
        raise DataError(f"{folder / _FILE} is not a state of `shoal stream`: give this run a new folder")
    states: dict[str, Snapshot] = {}
    for lane, own_header in header["lanes"].items():
        if lane not in lanes:
            raise PlanError(
                f"the state holds partition {lane}, which this run does not read: read all of them, or give this run a "
                "state of its own"
            )
        own_parts = {part: parts.get(f"{lane}/{part}", b"") for part in ("engine", "rows", "classes")}
        states[lane] = Snapshot(own_header, own_parts)
    return RunState(header["shared"], states)


def write_state(folder: Path, state: RunState, *, key: bytes | None = None) -> None:
    """Write the state of all lanes in place of the one before."""
    headers = {lane: own.header for lane, own in state.lanes.items()}
    parts = {f"{lane}/{part}": content for lane, own in state.lanes.items() for part, content in own.parts.items()}
    write_snapshot(folder / _FILE, {"shared": state.shared, "lanes": headers}, parts, key=key)


def _lock(handle: int, folder: Path) -> None:
    if os.name != "posix":
        return
    try:  # the file may have been removed meanwhile
        is_ours = lock(handle, wait=False) and os.path.samestat(os.fstat(handle), (folder / _LOCK).stat())
    except OSError:
        is_ours = False
    if not is_ours:
        raise PlanError(
            f"the state in {folder} is used by another process: stop it, or give this one a state of its own"
        )


def read_state_key(path: str) -> bytes:
    """Return the key that seals the state of a stream: the bytes of a file that is the owner's, without a line end."""
    option = "--state-key-file"
    try:
        content = read_secret(path, option=option, harm="change the state unnoticed", most=_MOST + 1)
    except FileNotFoundError:
        raise DataError(
            f"{option} {path} is not there: make one that is yours alone (umask 077; openssl rand -hex 32 > {path})"
        ) from None
    key = content.rstrip(b"\r\n")
    if not _FEWEST <= len(key) <= _MOST:
        raise DataError(f"{option} {path} must hold from {_FEWEST} to {_MOST} bytes, not {len(content)}")
    return key
