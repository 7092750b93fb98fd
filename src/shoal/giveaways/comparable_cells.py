"""Cells: the values of a column in a form in which two columns can be compared, cell by cell or in their order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.frames.exact_names import column_of
from shoal.kinds import Kind
from shoal.kinds.ordinal import in_declared_order
from shoal.plan.attribute import Attribute

_FEW = 32
"""Texts that are tried first: most columns of text are neither numbers nor dates, and end here."""

_NUMBER_OR_DATE = re.compile(r"\s*([-+.,]?\d|$)")
"""How both begin; a cell of blanks is a missing one."""


def order_values(table: Table, attribute: Attribute, name: str) -> NDArray[np.float64] | None:
    """Return numbers that stand in the order of a column's values, NaN where missing; None where there is no order.

    Text is read as numbers or dates where all of it can be, as in a file whose plan gives the column no kind, and
    else ordered by its letters.
    """
    dtype = table.dtype(name)
    if dtype == "other":
        return None
    if dtype == "duration":
        return durations(table, name)
    if attribute.kind == "ordinal" and attribute.order is not None:
        try:
            ranks = in_declared_order(table, name, attribute.order).codes
        except DataError:  # which stops a run only where the order is needed
            return None
        return np.where(ranks < 0, np.nan, ranks)
    if dtype in ("date", "datetime"):
        instants = table.instants(name)
        values = instants.values.astype(np.float64)
        return values if instants.missing is None else np.where(instants.missing, np.nan, values)
    if dtype in ("string", "categorical"):
        categories = table.categories(name)
        places = np.arange(len(categories.labels), dtype=np.float64)
        if not table.has_order(name):
            read = _read([str(label) for label in categories.labels])
            places = places if read is None else read.values
        return np.append(places, np.nan)[categories.codes]  # code -1, missing, reads the last entry
    return table.numbers(name).values


def durations(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column of durations in microseconds, NaN where missing."""
    return np.asarray(column_of(table.frame, name).dt.total_microseconds().to_numpy().astype(np.float64))


def guessed_kind(table: Table, name: str) -> Kind:
    """Return the kind that a column without one seems to be of, as `shoal init` would propose it."""
    dtype = table.dtype(name)
    if dtype == "categorical" and table.has_order(name):
        return Kind.ORDINAL
    if dtype == "string":
        read = _read([str(label) for label in table.categories(name).labels])
        return Kind.NOMINAL if read is None else read.kind
    return Kind.of_dtype(dtype)


class _Reading(NamedTuple):
    """What texts are read as: their kind, and the number that each stands for."""

    kind: Kind
    values: NDArray[np.float64]


def _read(texts: Sequence[str]) -> _Reading | None:
    """Read texts as numbers or as dates; None where they are neither."""
    if not all(map(_NUMBER_OR_DATE.match, texts[:_FEW])):
        return None
    # Only text needs polars: a user of another library does not wait for it where there is none.
    import polars as pl

    from shoal.files.csv.dialect import Dialect
    from shoal.files.csv.parse import guess_kind, parse_columns

    column, dialect = pl.Series("text", texts, dtype=pl.String), Dialect(delimiter=";")  # so a comma may be decimal
    kind = guess_kind(column.gather_every(max(1, len(column) // _FEW)), dialect)
    if kind == Kind.NOMINAL:
        return None
    try:
        parsed = parse_columns(column.to_frame(), {"text": kind}, dialect, line_of=lambda row: row).frame
    except DataError:
        return None
    return _Reading(Kind(kind), parsed["text"].to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy())


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column."""

    values: NDArray[Any]  # numbers, times, or numbers that stand for text; equal where the cells are
    missing: NDArray[np.bool_]  # where there is no value
    family: str  # only columns of one family have cells that could be equal

    @classmethod
    def of(cls, table: Table, name: str) -> Cells:
        """Read a column whose values can be compared."""
        dtype = table.dtype(name)
        if dtype == "duration":
            lengths = durations(table, name)
            return cls(lengths, np.isnan(lengths), "duration")
        if dtype in ("date", "datetime"):
            instants = table.instants(name)
            times = instants.values.view(f"datetime64[{instants.unit}]").astype("datetime64[us]")
            return cls(times.view(np.int64), np.isnat(times), "time")
        if dtype in ("string", "categorical"):
            categories = table.categories(name)
            texts = np.array([*(hash(str(label)) for label in categories.labels), 0], dtype=np.int64)
            return cls(texts[categories.codes], categories.codes < 0, "text")
        numbers = table.numbers(name).values
        return cls(numbers, np.isnan(numbers), "number")

    def take(self, rows: NDArray[np.int64]) -> Cells:
        """Return the cells of some records."""
        return Cells(self.values[rows], self.missing[rows], self.family)

    @property
    def present(self) -> int:
        """Number of cells that are there."""
        return int((~self.missing).sum())

    def equal(self, other: Cells) -> int:
        """Count the cells that are there in both columns, and equal."""
        if self.family != other.family:
            return 0
        return int(((self.values == other.values) & ~self.missing & ~other.missing).sum())

    @cached_property
    def digest(self) -> bytes:
        """A hash of all cells."""
        hashed = hashlib.blake2b(self.family.encode(), digest_size=16)
        hashed.update(self.missing.tobytes())
        hashed.update(np.where(self.missing, self.values.dtype.type(0), self.values).tobytes())
        return hashed.digest()
