"""Database: one kind of database, how a table of it is read, and how one is written in a transaction."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from shoal.errors import DataError
from shoal.files.database.address import Address
from shoal.files.source_file import SourceFile
from shoal.frames import Table

if TYPE_CHECKING:
    from collections.abc import Mapping


class Transaction(ABC):
    """A table that is written and not yet there for others."""

    @abstractmethod
    def commit(self) -> None:
        """Let it appear; raise OutputError where that fails."""

    @abstractmethod
    def close(self) -> None:
        """End the connection; what was not committed is gone."""


class Database(ABC):
    """One kind of database: a subclass in a file of its own, and one line below."""

    name: ClassVar[str]
    """The scheme of its addresses, and the extra that installs its driver."""
    title: ClassVar[str]
    """As sentences name it."""
    library: ClassVar[str]
    """The module of its driver."""
    labelled: ClassVar[bool] = False
    """It keeps labels of variables and values, as files of statistics programs do."""
    has_formulas: ClassVar[bool] = False
    """A spreadsheet opens it."""
    flat: ClassVar[bool] = True
    """It has no place for lists, structures and bytes."""
    binary: ClassVar[bool] = False
    """It is never written to standard output."""

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
        """Return the files that it writes by itself, which nothing else may replace; none where a server writes."""
        return ()

    @abstractmethod
    def check(self, address: Address) -> None:
        """Refuse now what could not be written at the end of a long run; nothing is written."""

    @abstractmethod
    def write(self, frame: pl.DataFrame, address: Address) -> Transaction:
        """Write a new table, which appears when the transaction is committed."""


def database_of(address: Address) -> Database:
    """Return the database of an address, with its driver there."""
    database = _known()[address.scheme]
    database.require()
    return database


def _known() -> Mapping[str, Database]:
    from shoal.files.database.duckdb import DuckDB
    from shoal.files.database.postgresql import PostgreSQL

    return {database.name: database for database in (DuckDB(), PostgreSQL())}


@dataclass(frozen=True, eq=False, kw_only=True)
class DatabaseTable(SourceFile):
    """The contents of a table, or of what a query gave; its label tells the table and its database alone."""

    label: str

    @property
    def name(self) -> str:
        """What to call it in messages and manifests."""
        return self.label


def read_database(text: str) -> DatabaseTable:
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
    return DatabaseTable(frame=frame, path=None, format=address.scheme, sha256=digest, label=address.name)
