"""DuckDB: tables of a file, read and written in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError, OutputError
from shoal.file_status import file_status
from shoal.files.database.address import Address
from shoal.files.database.database import Database, Transaction
from shoal.reading import note_read

_FRAME = "shoal_release"
_BESIDE = (".wal", ".tmp")


class DuckDB(Database):
    """A DuckDB file. A new one is made where there is none yet, with its first table."""

    name = "duckdb"
    title = "DuckDB"
    library = "duckdb"

    def read(self, address: Address) -> pl.DataFrame:
        """Read with a connection that cannot write."""
        place = Path(address.place)
        if file_status(place) is None or not place.is_file():
            raise DataError(f"{place.name} cannot be read: there is no such file")
        import duckdb

        note_read(address.place)
        try:
            with duckdb.connect(address.place, read_only=True) as connection:
                # The file is closed to writing, and COPY and ATTACH would write to others.
                if [each.type for each in connection.extract_statements(address.sql)] != [duckdb.StatementType.SELECT]:
                    raise DataError(f"{address.name} cannot be read: it must be one SELECT")
                frame: pl.DataFrame = connection.sql(address.sql).pl()
        except duckdb.CatalogException:
            raise DataError(f"{address.name} is not there") from None
        except duckdb.Error as error:
            raise DataError(f"{address.name} cannot be read: {_kind(error)}") from None
        return frame

    def places(self, address: Address) -> tuple[Path, ...]:
        """Return the file, and what DuckDB keeps beside it while it works: its log, and room for what memory lacks."""
        place = Path(address.place).resolve()
        return (place, *(place.with_name(f"{place.name}{ending}") for ending in _BESIDE))

    def check(self, address: Address) -> None:
        """Refuse a table that is there already, and a file that cannot be written or is no database."""
        place = Path(address.place)
        if file_status(place.parent) is None or not place.parent.is_dir():
            raise OutputError(f"{address.name} cannot be written: the folder of the file does not exist")
        try:
            place.stat()
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"{address.name} cannot be written: {(error.strerror or '').lower()}") from None
        import duckdb

        try:
            with duckdb.connect(address.place) as connection:
                _require_room(connection, address)
        except duckdb.Error as error:
            raise OutputError(f"{address.name} cannot be written: {_kind(error)}") from None

    def write(self, frame: pl.DataFrame, address: Address) -> Transaction:
        """Write inside a transaction of the file."""
        self.check(address)
        return _DuckDBTransaction(frame, address)


class _DuckDBTransaction(Transaction):
    """A connection with a transaction that is open; a file that was not there goes with one that is not committed."""

    def __init__(self, frame: pl.DataFrame, address: Address) -> None:
        import duckdb

        self._address, self._errors = address, duckdb.Error
        self._made = not Path(address.place).exists()
        self._connection: Any = None
        try:
            self._connection = duckdb.connect(address.place)
            self._connection.begin()
            _require_room(self._connection, address)
            if address.schema is not None:
                self._connection.execute(
                    f'CREATE SCHEMA IF NOT EXISTS "{address.schema.replace(chr(34), chr(34) * 2)}"'
                )
            self._connection.register(_FRAME, frame.to_arrow())
            self._connection.execute(f"CREATE TABLE {address.quoted} AS SELECT * FROM {_FRAME}")
        except duckdb.Error as error:
            self.close()
            raise OutputError(f"{address.name} cannot be written: {_kind(error)}; nothing was written") from None
        except BaseException:
            self.close()
            raise

    def commit(self) -> None:
        """Commit."""
        try:
            self._connection.commit()
        except self._errors as error:
            raise OutputError(f"{self._address.name} cannot be written: {_kind(error)}; nothing was written") from None
        self._made = False

    def close(self) -> None:
        """Close, and leave no file behind that was made for nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._made:
            made = Path(self._address.place).resolve()  # a link to it stays
            for path in (made, made.with_name(f"{made.name}.wal")):
                path.unlink(missing_ok=True)


def _require_room(connection: Any, address: Address) -> None:
    """Refuse a database in memory, in which a table would be lost, and a table that is there already.

    DuckDB opens CSV, JSON and Parquet files as such: as views in a database in memory.
    """
    ((path,),) = connection.execute(
        "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchall()
    if path is None:
        raise OutputError(f"{address.name} cannot be written: the file is no database of DuckDB")
    ((there,),) = connection.execute(
        "SELECT count(*) FROM information_schema.tables WHERE table_name = ? AND table_schema = ?",
        [address.table, address.schema or "main"],
    ).fetchall()
    if there:
        raise OutputError(f"{address.name} is already there, and is not replaced: name another one, or drop it first")


def _kind(error: Exception) -> str:
    """Say what went wrong by its kind: the driver's own sentence may hold a value or a path."""
    return f"DuckDB says {type(error).__name__.removesuffix('Exception').lower() or 'error'} error"
