"""The folders of the app: the one of ``--folder``, whose tables are read where they are, and its own working folder."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from itertools import islice
from pathlib import Path

from shoal.errors import DataError, PlanError, printable
from shoal.files import FORMATS
from shoal.files.private import open_for_owner
from shoal.files.temporary import lock, temporary_folder

_MOST_LISTED = 500
"""Files of the offered folder that are listed."""

_PREFIX = "shoal-app-"
_LONGEST_NAME = 180
_UNSAFE = re.compile(r"[^\w.\- ()]")


class OfferedFolder:
    """A folder whose tables may be chosen; None where none is offered."""

    def __init__(self, folder: str | Path | None) -> None:
        self.root = None if folder is None else Path(folder).resolve()
        if self.root is not None and not self.root.is_dir():
            raise PlanError(f"--folder {printable(str(folder))} is no folder")

    def files(self) -> dict[str, int]:
        """Return the tables in the folder, and how many bytes they have; those that lead out of it are left out."""
        if self.root is None:
            return {}
        formats = [ending for format_ in FORMATS.values() for ending in format_.endings]
        endings = tuple(f"{ending}{packed}" for ending in formats for packed in ("", ".gz", ".zst"))
        paths, sizes = [], {}
        with contextlib.suppress(OSError):  # it was removed, or closed, since the app began
            paths = sorted(self.root.iterdir())
        for path in paths:
            if not path.name.startswith(".") and path.name.lower().endswith(endings):
                with contextlib.suppress(DataError, OSError):
                    sizes[path.name] = self.path_of(path.name).stat().st_size
        return dict(islice(sizes.items(), _MOST_LISTED))

    def path_of(self, name: str) -> Path:
        """Return where a table of the folder is; refuse one that is outside, also through a symbolic link."""
        if self.root is None:
            raise DataError("no folder was offered: start the app with --folder")
        try:
            path = (self.root / name.replace("\0", "")).resolve()  # no name has a zero byte
            is_file = path.is_file()
        except (OSError, RuntimeError, ValueError):  # too long, or no name; a link that leads to itself
            raise DataError("there is no such file in the folder that was offered") from None
        if not path.is_relative_to(self.root):
            raise DataError("that file is outside the folder that was offered")
        if not is_file:
            raise DataError("there is no such file in the folder that was offered")
        return path


class WorkFolder:
    """A folder that only its owner enters (0700), with one folder for each session."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or temporary_folder()
        _remove_abandoned(parent)
        self._lock_new_folder(parent)

    def for_session(self) -> Path:
        """Make a folder of its own."""
        return Path(tempfile.mkdtemp(prefix="session-", dir=self.path))

    def _lock_new_folder(self, parent: Path) -> None:
        """Make a folder and lock it as long as this process lives: by its number, another could be taken for it."""
        while True:
            self.path, self._handle = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)), None
            with contextlib.suppress(FileNotFoundError):
                self._handle = _opened(self.path)
                if self._handle is not None:
                    lock(self._handle, wait=True)
                if self.path.exists():
                    return
            if self._handle is not None:  # another app took it for a leftover before it was locked
                os.close(self._handle)

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
    stem = last.removesuffix(ending).encode()[:_LONGEST_NAME].decode(errors="ignore")
    return f"{stem}{ending}" or "data"


async def keep_upload(chunks: AsyncIterator[bytes], target: Path, *, most: int, hint: str) -> None:
    """Write an upload to a new file for its owner alone (0600); refuse one that is larger than allowed, or empty."""
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
