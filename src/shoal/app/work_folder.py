"""The working folder: what was uploaded and made, for its owner alone, and gone when the app ends."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from shoal.errors import DataError, printable
from shoal.files.private import open_for_owner
from shoal.files.temporary import lock, temporary_folder

_PREFIX = "shoal-app-"
_LONGEST = 180
_UNSAFE = re.compile(r"[^\w.\- ()]")


class WorkFolder:
    """A folder that only its owner enters (0700), with one folder for each session.

    Parameters
    ----------
    parent
        Where it is made; the system's folder of temporary files if None.
    """

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or temporary_folder()
        _remove_abandoned(parent)
        self.path, self._handle = _make(parent)

    def for_session(self) -> Path:
        """Make a folder of its own."""
        return Path(tempfile.mkdtemp(prefix="session-", dir=self.path))

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def safe_name(name: str) -> str:
    """Return the last part of a name that a browser sent, without what file systems take for something else.

    Examples
    --------
    >>> safe_name("../../etc/pass:wd.csv"), safe_name("..")
    ('pass_wd.csv', 'data')
    """
    last = _UNSAFE.sub("_", re.split(r"[/\\]", name)[-1]).strip(". ")
    # File systems know names of 255 bytes; the ending tells the format, and is kept.
    ending = "".join(Path(last).suffixes[-2:]).encode()[-20:].decode(errors="ignore")
    stem = last.removesuffix(ending).encode()[:_LONGEST].decode(errors="ignore")
    return f"{stem}{ending}" or "data"


async def keep_upload(chunks: AsyncIterator[bytes], target: Path, *, most: int, hint: str) -> None:
    """Write an upload to a new file for its owner alone (0600).

    Raises
    ------
    DataError
        It is larger than allowed, or empty.
    """
    size = 0
    with os.fdopen(open_for_owner(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > most:
                raise DataError(
                    f"{printable(target.name)} is larger than the {most // 1_000_000:,} MB that can be uploaded: {hint}"
                )
            file.write(chunk)
    if not size:
        raise DataError(f"{printable(target.name)} is empty")


def _make(parent: Path) -> tuple[Path, int | None]:
    """Make a folder that is locked as long as this process lives: by its number, another could be taken for it."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        handle = None
        with contextlib.suppress(FileNotFoundError):
            handle = _opened(path)
            if handle is not None:
                lock(handle, wait=True)
            if path.exists():
                return path, handle
        if handle is not None:  # another app took it for a leftover before it was locked
            os.close(handle)


def _remove_abandoned(parent: Path) -> None:
    """Remove what an app left that was killed and could not tidy up."""
    for path in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            handle = _opened(path)
            if handle is None:
                continue
            try:
                if os.fstat(handle).st_uid == os.geteuid() and lock(handle, wait=False):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(handle)


def _opened(folder: Path) -> int | None:
    """Open a folder to be locked; None where folders cannot be."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW) if os.name == "posix" else None
