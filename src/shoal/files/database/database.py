"""Database: one kind of database, how a table of it is read, and how one is written in a transaction."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.errors import DataError, OutputError, ShoalError
from shoal.files.database.address import Address
from shoal.files.source_file import SourceFile
from shoal.frames import Table

_EXISTING = (
    "SELECT count(*) FROM information_schema.tables WHERE table_name = $1 AND table_schema = "
    "coalesce($2, current_schema())"
)
_NOTHING_WRITTEN = "cannot be written: {}; nothing was written"


class Database(ABC):
    """One kind of database: a subclass in a file of its own, and one line below."""

    name: ClassVar[str]
    """The scheme of its addresses, and the extra that installs its driver."""
    title: ClassVar[str]
    """As sentences name it."""
    library: ClassVar[str]
    """The module of its driver, as PEP 249 describes one: what goes wrong is an ``Error`` of it."""
    # As those of a `Format`: it keeps no labels, no spreadsheet opens it, and it is never written to standard output.
    flat, labelled, has_formulas, binary = True, False, False, False

    def require(self) -> None:
        """Raise DataError, which says how to install it, where the driver is not there."""
        try:
            importlib.import_module(self.library)
        except ImportError:
            raise DataError(
                f"{self.title} needs {self.library.partition('.')[0]}: install the extra, "
                f"pip install 'shoal[{self.name}]'"
            ) from None

    @abstractmethod
    def read(self, address: Address) -> pl.DataFrame:
        """Read a table, or what a query gives, in a transaction that cannot write."""

    def places(self, address: Address) -> tuple[Path, ...]:
        """Return the files, a database before its log, that it writes by itself, and that nothing else may replace."""
        return ()

    def check(self, address: Address) -> None:
        """Refuse now what could not be written at the end of a long run; nothing is written."""
        with (
            self._refusals(address, "cannot be written: {}"),
            closing(self._connect(address)) as connection,
            self._cursor(connection) as cursor,
        ):
            self._require_room(cursor, address)

    def write(self, frame: pl.DataFrame, address: Address) -> Transaction:
        """Write a new table, which appears when the transaction is committed."""
        return Transaction(self, frame, address)

    @abstractmethod
    def _connect(self, address: Address) -> Any:
        """Connect for writing, and begin a transaction."""

    def _cursor(self, connection: Any) -> Any:
        """Return, for a ``with`` block, what runs statements in the transaction of a connection."""
        return connection.cursor()

    @abstractmethod
    def _create(self, cursor: Any, frame: pl.DataFrame, address: Address) -> None:
        """Write a new table in the transaction."""

    def _require_room(self, cursor: Any, address: Address) -> None:
        """Refuse a table that is there already."""
        cursor.execute(_EXISTING, (address.table, address.schema))
        ((count,),) = cursor.fetchall()
        if count:
            raise OutputError(
                f"{address.name} is already there, and is not replaced: name another one, or drop it first"
            )

    @abstractmethod
    def _reason(self, error: Any) -> str:
        """Say what went wrong by its kind or code: the driver's own sentence may hold a value or a path."""

    @contextmanager
    def _refusals(self, address: Address, sentence: str, error: type[ShoalError] = OutputError) -> Iterator[None]:
        """Say in one sentence what cannot be done, and why, where the driver raises something inside the block."""
        try:
            yield
        except importlib.import_module(self.library).Error as refusal:
            raise error(f"{address.name} {sentence.format(self._reason(refusal))}") from None


class Transaction:
    """A table that is written and not yet there for others."""

    def __init__(self, database: Database, frame: pl.DataFrame, address: Address) -> None:
        self._database, self._address = database, address
        self._connection: Any = None
        made = database.places(address)[:2]  # a database and its log, which are removed again if nothing is committed
        self._new_files = () if any(path.exists() for path in made[:1]) else made
        try:
            with database._refusals(address, _NOTHING_WRITTEN):
                self._connection = database._connect(address)
                with database._cursor(self._connection) as cursor:
                    database._require_room(cursor, address)
                    database._create(cursor, frame, address)
        except BaseException:
            self.close()
            raise

    def commit(self) -> None:
        """Let it appear; raise OutputError where that fails."""
        with self._database._refusals(self._address, _NOTHING_WRITTEN):
            self._connection.commit()
        self._new_files = ()

    def close(self) -> None:
        """End the connection; what was not committed is gone."""
        if self._connection is not None:
            self._connection.close()
        for path in self._new_files:
            path.unlink(missing_ok=True)


def database_of(address: Address) -> Database:
    """Return the database of an address, with its driver there."""
    from shoal.files.database.duckdb import DuckDB
    from shoal.files.database.postgresql import PostgreSQL

    database = next(each for each in (DuckDB(), PostgreSQL()) if each.name == address.scheme)
    database.require()
    return database


def read_database(text: str) -> SourceFile:
    """Read a table by the address of a database."""
    address = Address.parse(text)
    try:
        frame = database_of(address).read(address)
    except pl.exceptions.PolarsError:
        raise DataError(
            f"{address.name} has a column of a type that cannot be read, such as an interval: give a query that casts "
            "it to a number or to text"
        ) from None
    if frame.height == 0:
        raise DataError(f"{address.name} has no records")
    digest = Table.of(frame).sha256()
    return SourceFile(frame=frame, path=None, name=address.name, format=address.scheme, sha256=digest)
