"""Files that are written under temporary names, how they get to their places, and how that is undone."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import OutputError
from shoal.file_status import is_one_stream
from shoal.files.temporary import give_up, second_name
from shoal.files.write_errors import write_errors_of
from shoal.files_in_use import STANDARD_OUTPUT


@dataclass(frozen=True)
class Staged:
    """A temporary file and where it goes."""

    temporary: Path
    target: Path | None  # a place in the file system, or standard output
    in_place: bool  # a rename puts it there; pipes and devices get a copy of the bytes
    name: str  # as it was named
    option: str = ""  # the option that did so, where that is known
    private: bool = False  # it must be for its owner alone
    new: bool = False  # nothing may stand there yet, also not by another process that began at the same time

    @property
    def title(self) -> str:
        """What to call it beside another one."""
        return self.option or self.name

    @property
    def on_stdout(self) -> bool:
        """Whether it goes to standard output, by whatever name."""
        return self.target is None or (not self.in_place and is_one_stream(self.target, STANDARD_OUTPUT))

    def is_mixed_with(self, other: Staged) -> bool:
        """Whether both go to one place, where one would replace the other or follow it."""
        if self.target is None or other.target is None:
            return self.on_stdout and other.on_stdout
        return self.target == other.target if self.in_place else is_one_stream(self.target, other.target)

    def appear(self) -> None:
        """Give a file its name where nothing stands yet."""
        assert self.target is not None, "who goes to standard output has no place"
        try:
            self.target.hardlink_to(self.temporary)
            return
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            if not self.target.exists():
                self.temporary.replace(self.target)
                return
        raise OutputError(
            f"{self.name} was not there when this run began, and another one has made it since: run this one again, "
            "and it reads that"
        )

    def copy_out(self) -> None:
        """Write the bytes to a pipe, a device or standard output."""
        with self.temporary.open("rb") as source:
            if self.target is None:
                shutil.copyfileobj(source, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with self.target.open("wb") as out:
                    shutil.copyfileobj(source, out)


def force_to_disk(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk."""
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


class Renames:
    """What was renamed so far, with what stood there before."""

    def __init__(self) -> None:
        self._done: list[tuple[Path, Path | None]] = []
        self._kept = 0

    def put(self, files: Iterable[Staged]) -> None:
        """Give files their names; those that go to pipes, devices and standard output have none."""
        for staged in files:
            if not staged.in_place or staged.target is None:
                continue
            with write_errors_of(staged.target):
                if staged.new:
                    staged.appear()
                    self._done.append((staged.target, None))
                else:
                    before = second_name(staged.target)
                    self._done.append((staged.target, before))
                    staged.temporary.replace(staged.target)

    def keep(self) -> None:
        """Take none of those back that were renamed so far: what belongs to them has left."""
        self._kept = len(self._done)

    def undo(self) -> None:
        """Put back what stood there before, unless it is settled or kept."""
        for target, before in reversed(self._done[self._kept :]):
            with contextlib.suppress(OSError):
                target.unlink(missing_ok=True) if before is None else before.replace(target)
            if before is not None:
                give_up(before)
        del self._done[self._kept :]
        self.settle()

    def settle(self) -> list[Path]:
        """Force the names to the disk and forget what stood there before; return them."""
        targets = [target for target, _ in self._done]
        for _, before in self._done:
            if before is not None:
                give_up(before)
        self._done, self._kept = [], 0
        for target in targets:
            force_to_disk(target.parent)
        return targets


def uninterrupted(work: Callable[[], None]) -> None:
    """Do some work to its end: Ctrl-C, SIGTERM or SIGHUP that come meanwhile are raised afterwards."""
    job: Future[None] = Future()

    def run() -> None:
        if job.set_running_or_notify_cancel():
            try:
                work()
                job.set_result(None)
            except BaseException as error:  # handed to whoever waits
                job.set_exception(error)

    interrupt: BaseException | None = None
    try:
        # On a thread of its own: Python raises what signals ask for on the main thread alone.
        threading.Thread(target=run, name="shoal-uninterrupted").start()
        job.result()
    except (KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        if job.cancel():  # which is possible before it has begun
            raise
        interrupt = error
    if interrupt is not None:
        job.result()
        raise interrupt
