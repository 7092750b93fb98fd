"""Address: which table of which database, or what query. What stands in it besides is never shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from shoal.errors import DataError, printable

_SHORT = "postgres://"
"""What libpq takes for ``postgresql://``, too."""

_STARTS = ("duckdb://", "postgresql://", _SHORT)
"""What addresses begin with."""

_GRAMMAR = {
    "duckdb": "duckdb://FILE/TABLE or duckdb://FILE?query=SELECT …",
    "postgresql": "postgresql://[USER@]HOST[:PORT]/DATABASE/TABLE or postgresql://[USER@]HOST/DATABASE?query=SELECT …",
}


@dataclass(frozen=True)
class Address:
    """A table or a query of a database."""

    scheme: str  # the kind of database
    place: str = field(repr=False)  # the file, or what the driver connects by. It may hold a password: it is not shown
    # schema, table: the table; the schema is the database's own if None
    schema: str | None = None
    table: str | None = None
    # what is read instead of a table. It may hold values: it is not shown
    query: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address.

        Raises
        ------
        DataError
            It is none. The message does not show it.

        Examples
        --------
        >>> Address.parse("duckdb://clinic.db/main.visits")
        Address(scheme='duckdb', schema='main', table='visits')
        >>> Address.parse("postgresql://ann:secret@db.example.org/clinic/visits").name
        'table visits of a PostgreSQL database'
        """
        text = f"postgresql://{text.removeprefix(_SHORT)}" if text.startswith(_SHORT) else text
        scheme = text.partition("://")[0]
        # The query comes last, and may hold anything.
        before, mark, query = text.partition("?query=" if "?query=" in text else "&query=")
        query = unquote(query)
        try:
            if scheme == "duckdb":
                place = before.removeprefix("duckdb://")
                place, _, table = (place, "", "") if mark else place.rpartition("/")
            else:
                parts = urlsplit(before)
                _ = parts.port  # which raises where it is no number
                database, _, table = parts.path.removeprefix("/").partition("/")
                place = urlunsplit(parts._replace(path=f"/{database}")) if database else ""
            if not place or "/" in table or bool(table) is bool(mark) or (mark and not query.strip()):
                raise ValueError
        except ValueError:
            raise DataError(f"the address of a {scheme} table must be {_GRAMMAR[scheme]}") from None
        if mark:
            return cls(scheme, place, query=query)
        schema, _, name = unquote(table).rpartition(".")
        return cls(scheme, place, schema or None, name)

    @property
    def name(self) -> str:
        """What to call it in messages and manifests."""
        where = printable(Path(self.place).name) if self.scheme == "duckdb" else "a PostgreSQL database"
        return f"a query of {where}" if self.table is None else f"table {printable(self.table)} of {where}"

    @property
    def quoted(self) -> str:
        """The table as SQL writes it."""
        assert self.table is not None, "there is a table where there is no query"
        return ".".join(quoted(part) for part in (self.schema, self.table) if part)

    @property
    def sql(self) -> str:
        """What to read."""
        return self.query if self.query is not None else f"SELECT * FROM {self.quoted}"


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def is_address(text: object) -> bool:
    """Whether a name is the address of a database, not that of a file.

    Examples
    --------
    >>> is_address("duckdb://clinic.db/visits"), is_address("visits.csv")
    (True, False)
    """
    return isinstance(text, str) and text.startswith(_STARTS)


def shown(target: str) -> str:
    """Return a target as messages may show it: a file by its name, a database without what stands in its address."""
    return Address.parse(target).name if is_address(target) else target
