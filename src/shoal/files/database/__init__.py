"""Tables in databases: read by a table's name or a query, written in one transaction with the files of a run."""

from shoal.files.database.address import Address, is_address, shown
from shoal.files.database.database import Database, Transaction, database_of, read_database

__all__ = [
    "Address",
    "Database",
    "Transaction",
    "database_of",
    "is_address",
    "read_database",
    "shown",
]
