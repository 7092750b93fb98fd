"""Read a table from a file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from shoal.errors import DataError, printable
from shoal.files.csv_format import CSV
from shoal.files.database import is_address, read_database
from shoal.files.format import Format, Input, TextOptions
from shoal.files.outputs import sha256_of
from shoal.files.registry import FORMATS, format_of
from shoal.files.source_file import SourceFile
from shoal.files_in_use import STANDARD_INPUT, note_read

STDIN = "-"


def read(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
    codebook: str | Path | None = None,
) -> SourceFile:
    """Read a table from a file, from standard input (``-``) or from a database.

    Parameters
    ----------
    path
        The file. Its ending tells the format, see `FORMATS`. Or the address of a table in a database, such as
        ``duckdb://clinic.db/visits``.
    format
        The name of the format, whatever the ending. Standard input is CSV unless another is named.
    delimiter, decimal, encoding
        How a CSV file is written; each is detected if it is not given.
    missing
        Cells of a CSV file that mean "no value", besides empty ones, such as ``NA``.
    codebook
        A CSV file of the columns ``column``, ``code`` and ``label`` that says what the codes of a CSV file mean.

    Raises
    ------
    DataError
        When the file is not there, empty, damaged, or no table; with the line for CSV files.
    """
    if not str(path):
        raise DataError("the name of the table is empty: give that of a file, or - for standard input")
    if is_address(path):
        if any((format, delimiter, decimal, encoding, codebook, tuple(missing))):
            raise DataError("how a file is written is not asked of a table in a database: leave those options out")
        return read_database(str(path))
    options = TextOptions(delimiter, decimal, encoding, tuple(missing), codebook)
    if str(path) == STDIN:
        file_format = CSV if format is None else FORMATS.named(format)
        if not file_format.in_memory:
            able = " or ".join(name for name, other in FORMATS.items() if other.in_memory)
            raise DataError(f"standard input is read as {able}, not as {file_format.name}: give a file")
        return _contents(file_format, None, options)
    source = Path(path)
    file_format = format_of(source, format)
    try:
        if source.is_dir():
            raise DataError(f"{path} is a folder, not a file")
        return _contents(file_format, source, options)
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else (error.strerror or "").lower()
        raise DataError(f"{path} cannot be read: {reason}") from None


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise DataError("standard input is closed: name a file, or open it")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise DataError(f"standard input cannot be read: {(error.strerror or '').lower()}") from None


def _contents(file_format: Format, path: Path | None, options: TextOptions) -> SourceFile:
    file_format.require()
    if options.codebook is not None and file_format is not CSV:
        raise DataError(
            f"a codebook says what the codes of a CSV file mean, and {file_format.title} files say it themselves"
        )
    name = "standard input" if path is None else printable(path.name)
    note_read(STANDARD_INPUT if path is None else path)
    data, version = b"", _version(path)
    if file_format.in_memory:
        data = _standard_input() if path is None else path.read_bytes()
        digest, empty = hashlib.sha256(data).hexdigest(), not data
    else:
        assert path is not None
        digest, empty = sha256_of(path), path.stat().st_size == 0
    if empty:
        raise DataError(f"{name} is empty")
    contents = file_format.read(Input(name, path, data, options))
    if not file_format.in_memory and _version(path) != version:
        # It is read more than once: the hash in the manifest would be that of another table.
        raise DataError(f"{name} was changed while it was read: run again when nobody writes it")
    if contents.frame.width == 0:
        raise DataError(f"{name} has no columns")
    if contents.frame.height == 0:
        raise DataError(f"{name} has columns but no records")
    return SourceFile(**vars(contents), path=path, name=name, format=file_format.name, sha256=digest)


def _version(path: Path | None) -> tuple[int, ...]:
    """Return what tells a file from another one, or from itself at another time; nothing for standard input."""
    if path is None:
        return ()
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
