"""The bench of a worker: the table that it has read, kept for the next task."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from shoal.files import SourceFile, read


@dataclass(frozen=True)
class Source:
    """Where a table is and how it is written: what `shoal.files.read` takes."""

    path: str
    codebook: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()


class Bench:
    """Keeps the last table that was read."""

    def __init__(self) -> None:
        self._kept: tuple[Source, SourceFile] | None = None

    def table(self, source: Source) -> SourceFile:
        """Return a table, read if it is not the last one."""
        if self._kept is None or self._kept[0] != source:
            self._kept = None  # two tables need not fit
            self._kept = (source, read(**asdict(source)))
        return self._kept[1]
