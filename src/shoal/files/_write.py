"""Write a table to a file, the way another file was written."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars import selectors

from shoal.errors import DataError, PlanError
from shoal.file_status import is_one_stream
from shoal.files.csv_format import CSV
from shoal.files.database import Address, Database, database_of, is_address
from shoal.files.format import Format, Target, ending_of
from shoal.files.outputs import STDOUT, Outputs, sha256_of
from shoal.files.packing import packing_of, require_zstd
from shoal.files.registry import FORMATS, format_of, usual_endings
from shoal.files.source_file import SourceFile
from shoal.files.write_errors import write_error
from shoal.files_in_use import STANDARD_OUTPUT
from shoal.frames import Table


@dataclass(frozen=True)
class Written:
    """A file as it was written: the name of its format, its size and the SHA-256 of its bytes."""

    format: str
    sha256: str
    size: int


def write(
    frame: pl.DataFrame,
    target: str | Path,
    *,
    like: SourceFile | None = None,
    format: str | None = None,
    verbatim: Iterable[str] = (),
    escape_formulas: bool = False,
    outputs: Outputs | None = None,
) -> Written:
    """Write a table to a file, to standard output (``-``) or to a database; the same table gives the same bytes.

    Parameters
    ----------
    frame
        The table.
    target
        The file; its ending tells the format. Or the address of a table in a database, which must not be there yet.
    like
        The file the table came from: CSV keeps its delimiter, decimal mark, encoding, line end and date formats, Stata
        and SPSS keep their labels. It is never overwritten.
    format
        The name of the format, whatever the ending. Standard output has that of ``like``, or CSV.
    verbatim
        Columns that were not masked. In a CSV file their cells are written as they were read (``1.50`` stays ``1.50``),
        in Stata and SPSS files they keep the labels of codes that no record has. Never name a masked column: two ways
        to write one value would tell records apart.
    escape_formulas
        Write an apostrophe before cells of a CSV file that a spreadsheet would run, such as ``=cmd()``.
    outputs
        A transaction of several files, see `Outputs`; without one the file appears at once.

    Returns
    -------
    Written
        Format, size and fingerprint.

    Raises
    ------
    OutputError
        When the file cannot be written; then nothing is left behind.
    """
    inputs = [like.path] if like is not None and like.path is not None else []
    with Outputs(inputs=inputs) if outputs is None else nullcontext(outputs) as transaction:
        store = writable_format(target, like=like, format=format)
        if escape_formulas and not store.has_formulas:
            raise PlanError(
                f"no spreadsheet takes cells of {store.title} files for formulas: leave the escaping of formulas out"
            )
        require_place(frame.schema, store)
        if isinstance(store, Database):
            return _write_database(frame, Address.parse(str(target)), store, transaction)
        if store.flat and not store.labelled:  # whose files may have had them
            frame = frame.with_columns(selectors.duration().dt.to_string("iso"))
        name, packing = Path(target), packing_of(Path(target))
        temporary = transaction.stage(target)
        how = {"compressed": packing == "gzip", "zstd": packing == "zstd", "escape_formulas": escape_formulas}
        try:
            assert store.write is not None, "target_format refused it"
            store.write(frame, Target(temporary, ending_of(name), like=like, verbatim=tuple(verbatim), **how))
            return Written(store.name, sha256_of(temporary), temporary.stat().st_size)
        except (OSError, pl.exceptions.ComputeError) as error:
            raise write_error(error, target) from None


def _write_database(frame: pl.DataFrame, address: Address, database: Database, outputs: Outputs) -> Written:
    """Write a table in a transaction that ends with that of the files."""
    for name, dtype in frame.schema.items():
        if dtype.is_integer() and str(dtype).endswith("128"):  # Arrow, by which tables go to a database, has none
            raise DataError(f"column {name!r} has whole numbers of 128 bits, and a database takes none: write parquet")
    flat = frame.with_columns(
        selectors.duration().dt.to_string("iso"), (selectors.categorical() | selectors.enum()).cast(pl.String)
    )
    outputs.take(database.places(address), address.name)
    outputs.join(database.write(flat, address))
    return Written(database.name, Table.of(frame).sha256(), 0)


def writable_format(
    target: str | Path, *, like: SourceFile | None = None, format: str | None = None
) -> Format | Database:
    """Return what `target_format` does, where it can go there: what is no text does not go to a terminal."""
    store = target_format(target, like=like, format=format)
    here = str(target) == STDOUT or is_one_stream(target, STANDARD_OUTPUT)
    if store.binary and here and sys.stdout is not None and sys.stdout.isatty():
        raise DataError(
            f"{store.title} files are no text, and standard output is a terminal: name a file with --output"
        )
    return store


def target_format(
    target: str | Path, *, like: SourceFile | None = None, format: str | None = None
) -> Format | Database:
    """Return the format in which `write` would write a target: the one named, else by its ending, else as ``like``.

    Raises
    ------
    DataError
        When the ending is unknown, or the library of the format is not installed.
    """
    if is_address(target):
        address = Address.parse(str(target))
        if address.query is not None:
            raise DataError("a release is written to a table, and the address has a query: name a table")
        return database_of(address)
    nameless = str(target) == STDOUT or not Path(target).suffix  # standard output, a device, a pipe
    if nameless and format is None and like is not None:
        chosen = FORMATS.get(like.format, CSV)
        chosen = CSV if chosen.write is None else chosen
    elif str(target) == STDOUT and format is None:
        chosen = CSV
    else:
        chosen = format_of(Path(target), format, to_write=True)
    if chosen.write is None:
        raise DataError(f"{chosen.title} files are read, not written: name the output {usual_endings(written=True)}")
    if packing_of(Path(target)) == "zstd":
        require_zstd()
    chosen.require()
    return chosen


def require_place(schema: Mapping[str, pl.DataType], store: Format | Database) -> None:
    """Refuse columns of types that a format has no place for, and name one that has."""
    for name, dtype in schema.items():
        if store.flat:
            what = _NO_PLAIN_VALUES.get(dtype.base_type().__name__)
            if isinstance(dtype, pl.BaseExtension):
                what = f"the type {dtype.ext_name()}"
            if what is not None:
                raise DataError(
                    f"column {name!r} is no plain value ({what}), and {store.name} has no place for it: write parquet"
                )
        elif isinstance(store, Format) and not store.empty_structures and _has_empty_structures(dtype):
            raise DataError(
                f"column {name!r} has structures without a field, and {store.name} has no place for them: write arrow, "
                "or leave the column out"
            )


_NO_PLAIN_VALUES = {
    **dict.fromkeys(("List", "Array"), "lists"),
    **{"Struct": "structures", "Map": "maps", "Binary": "bytes", "Object": "objects of Python"},
}
"""What columns hold that are no cells of a flat table, by the name that polars has for their type."""


def _has_empty_structures(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.Struct):
        return not dtype.fields or any(_has_empty_structures(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    inner = getattr(dtype, "inner", None)
    return inner is not None and _has_empty_structures(inner)
