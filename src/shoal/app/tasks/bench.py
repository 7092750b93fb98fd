"""The bench of a worker: the table that it has read, kept for the next task."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from shoal.files import SourceFile, TextOptions, read


@dataclass(frozen=True)
class Source:
    """Where a table is and how it is written: what `shoal.files.read` takes."""

    path: str
    written: TextOptions = field(default_factory=TextOptions)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are read."""
        return tuple(Path(name) for name in (self.path, self.written.codebook) if name is not None)


class Bench:
    """Keeps the last table that was read."""

    def __init__(self) -> None:
        self._key: tuple[Source, tuple[int, ...]] | None = None
        self._table: SourceFile | None = None

    def table(self, source: Source) -> SourceFile:
        """Return a table, read if it is not the last one, or if its file was changed since."""
        key = source, _stamp(source)
        if self._table is None or self._key != key:
            self._table = None  # two tables need not fit in memory
            self._key, self._table = key, read(source.path, **asdict(source.written))
        return self._table


def _stamp(source: Source) -> tuple[int, ...]:
    """Return what changes with the content of the files, as far as the file system tells."""
    stats = [path.stat() for path in source.files if path.exists()]
    return tuple(part for each in stats for part in (each.st_ino, each.st_size, each.st_mtime_ns))
