"""The folder of ``--folder``: the tables in it are read where they are, and nothing outside it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.errors import DataError, PlanError, printable
from shoal.files import FORMATS

_MOST = 500
"""Files that are listed."""


@dataclass(frozen=True)
class OfferedFile:
    """A table that may be chosen: its name inside the folder, and its size in bytes."""

    name: str
    size: int


class OfferedFolder:
    """A folder whose tables may be chosen.

    Parameters
    ----------
    folder
        The folder; None where none is offered.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.root = None if folder is None else Path(folder).resolve()
        if self.root is not None and not self.root.is_dir():
            raise PlanError(f"--folder {printable(str(folder))} is no folder")

    def files(self) -> list[OfferedFile]:
        """Return the tables in the folder, by name; those that lead out of it are not among them."""
        if self.root is None:
            return []
        endings = tuple(ending for known in FORMATS.values() for ending in known.endings)
        found = []
        for path in sorted(_entries(self.root)):
            if path.name.startswith(".") or not _ends_in(path.name, endings):
                continue
            try:
                inside = self.path_of(path.name)
                found.append(OfferedFile(path.name, inside.stat().st_size))
            except (DataError, OSError):
                continue
        return found[:_MOST]

    def path_of(self, name: str) -> Path:
        """Return where a table of the folder is.

        Raises
        ------
        DataError
            It is not there, or outside, also through a symbolic link.
        """
        if self.root is None:
            raise DataError("no folder was offered: start the app with --folder")
        try:
            path = (self.root / name.replace("\0", "")).resolve()  # no name has a zero byte
            there = path.is_file()
        except (OSError, RuntimeError, ValueError):  # too long, or no name; a link that leads to itself
            raise DataError("there is no such file in the folder that was offered") from None
        if not path.is_relative_to(self.root):
            raise DataError("that file is outside the folder that was offered")
        if not there:
            raise DataError("there is no such file in the folder that was offered")
        return path


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # it was removed, or closed, since the app began
        return []


def _ends_in(name: str, endings: tuple[str, ...]) -> bool:
    lower = name.lower()
    return any(lower.endswith((ending, f"{ending}.gz", f"{ending}.zst")) for ending in endings)
