"""Cells: the values of a column in a form in which two columns can be compared cell by cell."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.giveaways.column_order import durations


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column.

    Parameters
    ----------
    values
        Numbers, times, or numbers that stand for text; equal where the cells are.
    missing
        True where there is no value.
    family
        Only columns of one family have cells that could be equal.
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_]
    family: str

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
