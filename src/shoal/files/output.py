"""Files that appear whole and together, or not at all.

Each file is written beside its place under a temporary name, forced to the disk, and renamed when all are ready. If a
rename fails, the ones before it are undone. Whatever happens, also Ctrl-C, the temporary files go.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from shoal.errors import OutputError

STDOUT = "-"


@dataclass(frozen=True)
class _Staged:
    """A temporary file and where it goes: a place in the file system, or (None) standard output."""

    temporary: Path
    target: Path | None
    in_place: bool  # a rename puts it there; pipes and devices get a copy of the bytes


class Outputs:
    """A transaction over files: all of them appear on leaving the ``with`` block, or none.

    Parameters
    ----------
    inputs
        Files that must not be overwritten, under whatever name (symbolic and hard links are seen through).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with Outputs() as outputs:
    ...     outputs.text(folder / "manifest.json", "{}")
    ...     (folder / "manifest.json").exists()
    False
    >>> (folder / "manifest.json").read_text()
    '{}'
    """

    def __init__(self, *, inputs: Iterable[str | Path] = ()) -> None:
        self._inputs = [Path(path) for path in inputs if str(path) != STDOUT]
        self._staged: list[_Staged] = []

    def stage(self, target: str | Path, *, private: bool = False) -> Path:
        """Return the temporary file to write, which will become ``target`` (``-`` is standard output).

        Parameters
        ----------
        target
            Where it goes.
        private
            Only the owner may read and write it, whatever stood there before.
        """
        with write_errors_of(target):
            self._staged.append(self._stage(target, private=private))
        return self._staged[-1].temporary

    def check(self, target: str | Path, *, private: bool = False) -> None:
        """Refuse now what could not be written at the end of a long run; nothing is written."""
        with write_errors_of(target):
            self._stage(target, private=private).temporary.unlink()

    def is_private(self, target: str | Path) -> bool:
        """Tell whether a file that is written as any other would be for its owner alone."""
        with write_errors_of(target):
            staged = self._stage(target)
            try:
                return staged.in_place and is_private(staged.temporary.stat())
            finally:
                staged.temporary.unlink()

    def text(self, target: str | Path, text: str, *, private: bool = False) -> None:
        """Stage a text file, UTF-8 with line feeds."""
        temporary = self.stage(target, private=private)
        with write_errors_of(target):
            temporary.write_bytes(text.encode())

    def _stage(self, target: str | Path, *, private: bool = False) -> _Staged:
        given, is_stdout = Path(target), str(target) == STDOUT
        if is_stdout or (given.exists() and not given.is_file() and not given.is_dir()):  # a pipe or a device
            if private:
                raise OutputError(f"{target} is no file that its owner alone can read: give the name of one")
            return _Staged(_temporary_copy(), None if is_stdout else given, in_place=False)
        place = given.resolve()  # a link stays a link: what it points to is replaced
        self._refuse(place, target)
        temporary = place.with_name(f".{place.name[:200]}.{secrets.token_hex(4)}.part")
        # Not mkstemp: its files are for the owner only, and a release has the permissions of any new file.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
        if place.exists() and not private:
            shutil.copymode(place, temporary)
        if private and not is_private(temporary.stat()):
            temporary.unlink()
            raise OutputError(
                f"{target} must be for its owner alone, and this file system lets others read it: choose another folder"
            )
        return _Staged(temporary, place, in_place=True)

    def _refuse(self, place: Path, target: str | Path) -> None:
        if place.is_dir():
            raise OutputError(f"{target} is a folder: give the name of a file in it")
        if not place.parent.is_dir():
            raise OutputError(f"{target} cannot be written: the folder {place.parent} does not exist")
        for given in self._inputs:
            if place.exists() and given.exists() and place.samefile(given):
                raise OutputError(f"{target} is an input of this run ({given}): choose another name for the output")
        if any(staged.target == place for staged in self._staged):
            raise OutputError(f"{target} is named for two outputs: choose different names")
        if place.exists():
            place.open("r+b").close()  # a rename would get past the permissions of the file itself

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            for staged in self._staged:
                staged.temporary.unlink(missing_ok=True)
            self._staged.clear()

    def _commit(self) -> None:
        for staged in self._staged:
            with write_errors_of(staged.target or "standard output"):
                _force_to_disk(staged.temporary)
        # What cannot be undone comes first: if a pipe breaks or a device is full, no file has appeared yet.
        for staged in self._staged:
            if not staged.in_place:
                with write_errors_of(staged.target or "standard output"):
                    _copy_out(staged)
        self._rename_all()

    def _rename_all(self) -> None:
        done: list[tuple[Path, Path | None]] = []
        try:
            for staged in self._staged:
                if staged.in_place and staged.target is not None:
                    with write_errors_of(staged.target):
                        before = _second_name(staged.target)
                        done.append((staged.target, before))
                        staged.temporary.replace(staged.target)
        except BaseException:
            for target, before in reversed(done):
                with contextlib.suppress(OSError):
                    target.unlink(missing_ok=True) if before is None else before.replace(target)
            raise
        for target, before in done:
            if before is not None:
                before.unlink(missing_ok=True)
            _force_to_disk(target.parent)


def is_private(status: os.stat_result) -> bool:
    """Tell whether nobody but the owner of a file may read or write it."""
    return not status.st_mode & 0o077


def _temporary_copy() -> Path:
    handle, name = tempfile.mkstemp(prefix="shoal.", suffix=".part")
    os.close(handle)
    return Path(name)


def _second_name(target: Path) -> Path | None:
    """Give what stands at a target a second name, from which it can be put back."""
    if not target.exists():
        return None
    aside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.old")
    try:
        aside.hardlink_to(target)
    except OSError:  # a file system without hard links
        shutil.copy2(target, aside)
    return aside


def _copy_out(staged: _Staged) -> None:
    with staged.temporary.open("rb") as source:
        if staged.target is None:
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            with staged.target.open("wb") as out:
                shutil.copyfileobj(source, out)


def _force_to_disk(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows forces the folder with the file
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that cannot
            raise
    finally:
        os.close(handle)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "the file is larger than this system allows",
    errno.EACCES: "you have no permission to write there",
    errno.EPERM: "you have no permission to write there",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EPIPE: "nobody reads it any more",
}


def write_error(error: BaseException, target: str | Path) -> OutputError:
    """Say in one sentence why a file could not be written."""
    number = getattr(error, "errno", None)
    if number is None:  # polars gives the system's error as text
        found = re.search(r"\(os error (\d+)\)", str(error))
        number = int(found.group(1)) if found else 0
    reason = _REASONS.get(number) or (os.strerror(number).lower() if number else type(error).__name__)
    return OutputError(f"{target} cannot be written: {reason}; nothing was written")


@contextlib.contextmanager
def write_errors_of(target: str | Path) -> Iterator[None]:
    """Turn the system's errors inside the block into one clear sentence about ``target``."""
    try:
        yield
    except OSError as error:
        raise write_error(error, target) from None
