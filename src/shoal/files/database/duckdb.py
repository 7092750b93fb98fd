"""DuckDB: tables of a file, read and written in this process."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError, OutputError
from shoal.file_status import file_status
from shoal.files.database.address import Address, quoted
from shoal.files.database.database import Database, Transaction
from shoal.files_in_use import note_read

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
        with (
            self._refusals(address, "cannot be read: {}", DataError),
            duckdb.connect(address.place, read_only=True) as connection,
        ):
            # The file is closed to writing, and COPY and ATTACH would write to others.
            if [each.type for each in connection.extract_statements(address.sql)] != [duckdb.StatementType.SELECT]:
                raise DataError(f"{address.name} cannot be read: it must be one SELECT")
            try:
                frame: pl.DataFrame = connection.sql(address.sql).pl()
            except duckdb.CatalogException:
                raise DataError(f"{address.name} is not there") from None
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
        super().check(address)

    def write(self, frame: pl.DataFrame, address: Address) -> Transaction:
        """Write inside a transaction of the file."""
        self.check(address)
        return super().write(frame, address)

    def _connect(self, address: Address) -> Any:
        import duckdb

        return duckdb.connect(address.place).begin()

    def _cursor(self, connection: Any) -> Any:
        return nullcontext(connection)  # a cursor of DuckDB has a transaction of its own

    def _create(self, cursor: Any, frame: pl.DataFrame, address: Address) -> None:
        if address.schema is not None:
            cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(address.schema)}")
        cursor.register(_FRAME, frame.to_arrow())
        cursor.execute(f"CREATE TABLE {address.quoted} AS SELECT * FROM {_FRAME}")

    def _require_room(self, cursor: Any, address: Address) -> None:
        """Refuse a database in memory, in which a table would be lost, too.

        DuckDB opens CSV, JSON and Parquet files as such: as views in a database in memory.
        """
        cursor.execute("SELECT path FROM duckdb_databases() WHERE database_name = current_database()")
        if cursor.fetchall() == [(None,)]:
            raise OutputError(f"{address.name} cannot be written: the file is no database of DuckDB")
        super()._require_room(cursor, address)

    def _reason(self, error: Exception) -> str:
        return f"DuckDB says {type(error).__name__.removesuffix('Exception').lower() or 'error'} error"
