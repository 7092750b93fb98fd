"""Renames: files that were given their names, and can be taken back until all is settled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from shoal.files.staged import Staged, force_to_disk
from shoal.files.temporary import release, second_name
from shoal.files.write_errors import write_errors_of


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
                release(before)
        del self._done[self._kept :]
        self.settle()

    def settle(self) -> list[Path]:
        """Force the names to the disk and forget what stood there before; return them."""
        targets = [target for target, _ in self._done]
        for _, before in self._done:
            if before is not None:
                release(before)
        self._done, self._kept = [], 0
        for target in targets:
            force_to_disk(target.parent)
        return targets
