"""A table that came from a database, as files come."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.errors import DataError
from shoal.files.database.address import Address
from shoal.files.database.database import database_of
from shoal.files.source import SourceFile
from shoal.frames import Table


@dataclass(frozen=True, eq=False, kw_only=True)
class DatabaseTable(SourceFile):
    """The contents of a table, or of what a query gave.

    Parameters
    ----------
    label
        What to call it: the table and its database, nothing else of the address.
    """

    label: str

    @property
    def name(self) -> str:
        """What to call it in messages and manifests."""
        return self.label


def read_database(text: str) -> DatabaseTable:
    """Read a table by the address of a database.

    Raises
    ------
    DataError
        The address is none, the database cannot be reached, the table is not there or has no records.
    """
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
