"""What a file format is: its name and endings, how it is read and written, and what it needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

import polars as pl

from shoal.errors import DataError
from shoal.files.packing import is_packed
from shoal.files.source_file import Contents, SourceFile


def ending_of(path: PurePath) -> str:
    """Return the ending that tells the format, in small letters.

    >>> from pathlib import PurePath
    >>> ending_of(PurePath("discharges.CSV.gz"))
    '.csv'
    """
    return PurePath(path.stem if is_packed(path) else path.name).suffix.lower()


@dataclass(frozen=True)
class TextOptions:
    """How a file of text is written, as far as the caller says; formats with types read none of it."""

    # delimiter, decimal, encoding: None where they are to be detected
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()  # cells that mean "no value", besides empty ones
    codebook: str | Path | None = None  # the file that says what codes mean


@dataclass(frozen=True, eq=False)
class Input:
    """A file to read."""

    name: str  # what to call it in messages
    path: Path | None  # where it is; None for standard input
    data: bytes = b""  # its bytes, which are never none, if the format reads from memory; else empty
    options: TextOptions = TextOptions()  # how it is written

    @property
    def ending(self) -> str:
        """The ending of its name, in small letters; empty for standard input."""
        return "" if self.path is None else ending_of(self.path)


@dataclass(frozen=True, eq=False)
class Target:
    """A file to write."""

    path: Path  # where to write; not yet the place where it will stand
    ending: str = ""  # the ending of the name it will have, in small letters
    compressed: bool = False  # whether that name asks for gzip
    zstd: bool = False  # whether it asks for Zstandard
    like: SourceFile | None = None  # the file the table came from
    verbatim: tuple[str, ...] = ()  # columns that were not masked
    escape_formulas: bool = False  # whether cells that a spreadsheet would run are written so that it does not


@dataclass(frozen=True)
class Format:
    """A file format."""

    name: str  # as options name it: small letters
    title: str  # as sentences name it
    endings: tuple[str, ...]  # of file names, with their point, in small letters; the first is the usual one
    keeps: str  # what a file keeps from input to output besides values, for the documentation
    # reads a file that is not empty; raises DataError in one sentence where it cannot, see `not_whole`
    read: Callable[[Input], Contents]
    # writes a table; the same table must give the same bytes. What it leaves behind when it raises is removed. None
    # where the format is only read
    write: Callable[[pl.DataFrame, Target], None] | None
    in_memory: bool = False  # it reads the file's bytes, not its path: then pipes and standard input can be read
    # it has no place for lists, structures and bytes, which are refused, nor for durations, which become text
    flat: bool = True
    empty_structures: bool = False  # it has a place for structures without a field, which are refused elsewhere
    gzip: bool = False  # ``.gz`` may follow the ending
    # spreadsheets open it, and take cells that begin with ``=`` for formulas; it can write them so that they do not
    has_formulas: bool = False
    zstd: bool = False  # ``.zst`` may follow the ending
    binary: bool = False  # its files are no text, and are not written to a terminal
    labelled: bool = False  # its files keep labels: of the file itself, of variables and of values
    library: str | None = None  # the module it needs that shoal does not
    extra: str | None = None  # the extra of shoal that installs it

    def require(self) -> None:
        """Raise DataError, which says how to install it, where the library of the format is not there."""
        if self.library is None:
            return
        try:
            importlib.import_module(self.library)
        except ImportError:
            what, name = ("it", self.library) if self.extra is None else ("the extra", f"'shoal[{self.extra}]'")
            raise DataError(f"{self.title} files need {self.library}: install {what}, pip install {name}") from None


def not_whole(name: str, title: str) -> DataError:
    """Return the error for a file that is not what its name says."""
    return DataError(f"{name} is not a whole {title} file: it is damaged, truncated or of another format")
