"""PostgreSQL: tables of a server, through ADBC."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import polars as pl

from shoal.errors import DataError, OutputError
from shoal.files.database.address import Address
from shoal.files.database.database import Database, Transaction

_REASONS = {
    "42P01": "there is no such table",
    "3F000": "there is no such schema",
    "42501": "the user has no permission",
    "25006": "a query must not write",
    "42601": "the query has a mistake in its syntax",
    "42703": "the query names a column that is not there",
    "22021": "it takes no text with a zero byte",
}
"""What the commonest codes mean; the server's own sentences may hold values."""

_LONGEST_NAME = 63
"""Bytes of a name: the server cuts off what is more, and two names may become one."""

_SYSTEM_COLUMNS = ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid")
"""What every table has already."""


class PostgreSQL(Database):
    """A PostgreSQL server. Passwords are best kept in ``~/.pgpass`` or ``PGPASSWORD``, as for psql."""

    name = "postgresql"
    title = "PostgreSQL"
    library = "adbc_driver_postgresql.dbapi"

    def read(self, address: Address) -> pl.DataFrame:
        """Read in a transaction that cannot write."""
        with (
            self._refusals(address, "cannot be read: {}", DataError),
            closing(self._connect(address)) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(address.sql)
            table = cursor.fetch_arrow_table()
        if len(set(table.column_names)) < len(table.column_names):
            raise DataError(f"{address.name} gives several columns of one name: name each by AS")
        return _as_frame(table)

    def check(self, address: Address) -> None:
        """Refuse a table that is there already, and a name that none can have."""
        _refuse_table_name(address)
        super().check(address)

    def write(self, frame: pl.DataFrame, address: Address) -> Transaction:
        """Write inside a transaction of the server."""
        _refuse_table_name(address)
        _refuse_column_names(frame)
        return super().write(frame, address)

    def _connect(self, address: Address) -> Any:
        from adbc_driver_postgresql import dbapi

        try:
            return dbapi.connect(address.place)
        except dbapi.Error:  # its sentence may hold parts of the address
            raise DataError(
                f"{address.name} cannot be reached: check host, port, database, user and password in the address or in "
                "the environment (PGPASSWORD, ~/.pgpass)"
            ) from None

    def _create(self, cursor: Any, frame: pl.DataFrame, address: Address) -> None:
        where = {} if address.schema is None else {"db_schema_name": address.schema}
        cursor.adbc_ingest(address.table, _signed(frame).to_arrow(), mode="create", **where)

    def _reason(self, error: Any) -> str:
        code = getattr(error, "sqlstate", None)
        refusal = f"the server says {code}" if code else "the server refused, or cannot be reached"
        return _REASONS.get(code or "", refusal)


def _refuse_table_name(address: Address) -> None:
    if any(name is not None and len(name.encode()) > _LONGEST_NAME for name in (address.schema, address.table)):
        raise OutputError(
            f"{address.name} cannot be written: PostgreSQL has no names of more than {_LONGEST_NAME} bytes: choose a "
            "shorter one"
        )


def _refuse_column_names(frame: pl.DataFrame) -> None:
    for name in frame.columns:
        if not name or len(name.encode()) > _LONGEST_NAME:
            raise DataError(
                f"column {name!r} cannot be written: names of PostgreSQL have 1 to {_LONGEST_NAME} bytes: rename it"
            )
        if name in _SYSTEM_COLUMNS:
            raise DataError(f"column {name!r} cannot be written: every table of PostgreSQL has one already: rename it")


def _as_frame(table: Any) -> pl.DataFrame:
    """Return an Arrow table of the driver as a frame: numerics are numbers, and what Arrow has no type for is text."""
    for place, field in enumerate(table.schema):
        kind = getattr(field.type, "extension_name", None)
        if kind == "arrow.uuid":
            texts = [None if value is None else str(value) for value in table.column(place).to_pylist()]
            table = table.set_column(place, field.name, [texts])
        elif kind == "arrow.opaque":
            stored = table.column(place).cast(field.type.storage_type)
            number = field.type.type_name == "numeric"
            table = table.set_column(place, field.name, stored.cast("double") if number else stored)
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _signed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame of types that the server has: no integers without a sign or of a single byte."""
    wider = ((pl.Int8, pl.Int16), (pl.UInt8, pl.Int16), (pl.UInt16, pl.Int32), (pl.UInt32, pl.Int64))
    small = frame.with_columns(pl.col(dtype).cast(larger) for dtype, larger in wider)
    return small.with_columns(pl.col(pl.UInt64).cast(pl.Decimal(20, 0)))
