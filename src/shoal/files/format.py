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

    Examples
    --------
    >>> from pathlib import PurePath
    >>> ending_of(PurePath("discharges.CSV.gz"))
    '.csv'
    """
    return PurePath(path.stem if is_packed(path) else path.name).suffix.lower()


@dataclass(frozen=True)
class TextOptions:
    """How a file of text is written, as far as the caller says; formats with types read none of it.

    Parameters
    ----------
    delimiter, decimal, encoding
        None where they are to be detected.
    missing
        Cells that mean "no value", besides empty ones.
    codebook
        The file that says what codes mean.
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    codebook: str | Path | None = None


@dataclass(frozen=True, eq=False)
class Input:
    """A file to read.

    Parameters
    ----------
    name
        What to call it in messages.
    path
        Where it is; None for standard input.
    data
        Its bytes, which are never none, if the format reads from memory; else empty.
    options
        How it is written.
    """

    name: str
    path: Path | None
    data: bytes = b""
    options: TextOptions = TextOptions()

    @property
    def ending(self) -> str:
        """The ending of its name, in small letters; empty for standard input."""
        return "" if self.path is None else ending_of(self.path)


@dataclass(frozen=True, eq=False)
class Target:
    """A file to write.

    Parameters
    ----------
    path
        Where to write; not yet the place where it will stand.
    ending
        The ending of the name it will have, in small letters.
    compressed
        Whether that name asks for gzip.
    zstd
        Whether it asks for Zstandard.
    like
        The file the table came from.
    verbatim
        Columns that were not masked.
    escape_formulas
        Whether cells that a spreadsheet would run are written so that it does not.
    """

    path: Path
    ending: str = ""
    compressed: bool = False
    zstd: bool = False
    like: SourceFile | None = None
    verbatim: tuple[str, ...] = ()
    escape_formulas: bool = False


@dataclass(frozen=True)
class Format:
    """A file format.

    Parameters
    ----------
    name
        As options name it: small letters.
    title
        As sentences name it.
    endings
        Of file names, with their point, in small letters; the first is the usual one.
    keeps
        What a file keeps from input to output besides values, for the documentation.
    read
        Reads a file that is not empty; raises DataError in one sentence where it cannot, see `not_whole`.
    write
        Writes a table; the same table must give the same bytes. What it leaves behind when it raises is removed. None
        where the format is only read.
    in_memory
        It reads the file's bytes, not its path: then pipes and standard input can be read.
    flat
        It has no place for lists, structures and bytes, which are refused, nor for durations, which become text.
    empty_structures
        It has a place for structures without a field, which are refused elsewhere.
    gzip
        ``.gz`` may follow the ending.
    has_formulas
        Spreadsheets open it, and take cells that begin with ``=`` for formulas; it can write them so that they do not.
    zstd
        ``.zst`` may follow the ending.
    binary
        Its files are no text, and are not written to a terminal.
    labelled
        Its files keep labels: of the file itself, of variables and of values.
    library
        The module it needs that shoal does not.
    extra
        The extra of shoal that installs it.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    keeps: str
    read: Callable[[Input], Contents]
    write: Callable[[pl.DataFrame, Target], None] | None
    in_memory: bool = False
    flat: bool = True
    empty_structures: bool = False
    gzip: bool = False
    has_formulas: bool = False
    zstd: bool = False
    binary: bool = False
    labelled: bool = False
    library: str | None = None
    extra: str | None = None

    def require(self) -> None:
        """Raise DataError, which says how to install it, where the library of the format is not there."""
        if self.library is None:
            return
        try:
            importlib.import_module(self.library)
        except ImportError:
            how = f"pip install {self.library}" if self.extra is None else f"pip install 'shoal[{self.extra}]'"
            extra = "it" if self.extra is None else "the extra"
            raise DataError(f"{self.title} files need {self.library}: install {extra}, {how}") from None


def not_whole(name: str, title: str) -> DataError:
    """Return the error for a file that is not what its name says."""
    return DataError(f"{name} is not a whole {title} file: it is damaged, truncated or of another format")
