"""Files that last until they are renamed or released: none stays behind, whatever ends the process.

A name is written down before the file is made, and what is written down is removed when Python ends: so no interrupt,
at whatever line it comes, leaves a file. Against a kill helps nobody; but a process holds a lock on each of its
temporary files, which the system takes back when the process ends, and the next one to write to the same place removes
those that nobody holds.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import shutil
import signal
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from shoal.errors import OutputError
from shoal.file_status import file_status
from shoal.files.private import FOR_OWNER

PART, OLD = "part", "old"
"""The endings of a file that is being written, and of what stood in its place before."""

_claimed: dict[Path, tuple[int, int | None]] = {}
"""The files of this process, with its number (children of a fork have the list, too) and the handle with the lock."""


def claim_beside(target: Path, *, mode: int, keep: Collection[Path] = ()) -> Path:
    """Make an empty file beside a target, under a hidden name; remove what processes that were killed left there.

    Leftovers to ``keep`` stay: whoever looks into one reads it.
    """
    name = re.escape(target.name[:_LONGEST])
    _tidy(target.parent, re.compile(rf"\.{name}\.[0-9a-f]{{8}}\.({PART}|{OLD})", re.DOTALL), keep)
    return _claim(lambda: _hidden(target, PART), mode)


def claim_anywhere() -> Path:
    """Make an empty file for the owner alone in the folder for temporary files, and tidy up there, too."""
    folder = temporary_folder()
    _tidy(folder, re.compile(rf"shoal\.[0-9a-f]{{8}}\.{PART}"))
    return _claim(lambda: folder / f"shoal.{secrets.token_hex(4)}.{PART}", FOR_OWNER)


def temporary_folder() -> Path:
    """Return the folder for temporary files."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        raise OutputError("no folder for temporary files can be written: name one that can be, as TMPDIR") from None


def second_name(target: Path) -> Path | None:
    """Give what stands at a target a second name, from which it can be put back; None where nothing stands there."""
    try:
        handle = os.open(target, os.O_RDONLY)
    except OSError:
        if not target.exists():
            return None
        handle = None  # it can be replaced though it cannot be read
    aside = _hidden(target, OLD)
    _claimed[aside] = os.getpid(), handle
    if handle is not None:
        lock(handle, wait=False)
    try:
        aside.hardlink_to(target)
    except OSError:  # a file system without hard links
        shutil.copy2(target, aside)
    return aside


def give_up(path: Path) -> None:
    """Give a temporary file up: it is removed, if it is still there under this name."""
    _, handle = _claimed.get(path, (0, None))
    path.unlink(missing_ok=True)
    _claimed.pop(path, None)
    if handle is not None:
        os.close(handle)


_LONGEST = 200
"""Characters of a target's name in that of its temporary files: names have an end."""


def _hidden(target: Path, ending: str) -> Path:
    return target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(4)}.{ending}")


def _claim(name: Callable[[], Path], mode: int) -> Path:
    while True:
        path = name()
        _claimed[path] = os.getpid(), None
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        if os.name != "posix":  # a file that is open cannot be renamed there, nor removed by others
            os.close(handle)
            return path
        _claimed[path] = os.getpid(), handle
        lock(handle, wait=True)
        if _is(path, handle):
            return path
        give_up(path)  # another process took it for a leftover before it was locked


def _tidy(folder: Path, pattern: re.Pattern[str], keep: Collection[Path] = ()) -> None:
    """Remove the files of a folder whose names match, but for those that are held or to be kept."""
    if os.name == "posix":
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for name in [entry.name for entry in entries if pattern.fullmatch(entry.name)]:
                _remove_unheld(folder / name, keep)


def _remove_unheld(path: Path, keep: Collection[Path]) -> None:
    """Remove a file unless a process holds it, or it is to be kept, or nobody's to remove."""
    if path in _claimed:
        return
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            status = os.fstat(handle)
            is_input = any(os.path.samestat(status, other) for other in map(file_status, keep) if other is not None)
            if not is_input and lock(handle, wait=False) and status.st_uid == os.geteuid():
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def lock(handle: int, *, wait: bool) -> bool:
    """Lock a file or folder against other processes until it is closed; say whether that was possible."""
    if os.name != "posix":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another, or a file system without locks
        return False
    return True


def _is(path: Path, handle: int) -> bool:
    """Whether a path still leads to the file that is open."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False


@atexit.register
def _release_all() -> None:
    own = [path for path, (owner, _) in list(_claimed.items()) if owner == os.getpid()]
    if own:
        with contextlib.suppress(ValueError):  # not on the main thread, where alone signals interrupt
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all ends: another Ctrl-C must not keep files from going
    for path in own:
        with contextlib.suppress(OSError):
            give_up(path)
