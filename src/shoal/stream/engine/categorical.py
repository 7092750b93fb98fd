"""Categorical columns of a stream: values to ranks or codes, group values back to labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.encode import DeclaredOrder, Spec, category_text, in_declared_order
from shoal.errors import DataError, type_in_words
from shoal.frames import Categories, Table
from shoal.kinds import Missing
from shoal.stream.engine.stream_column import StreamColumn

MISSING_CODE = float(2**52)
"""The code of missing cells where they are a category: last among names, as in tables; codes of texts are below it."""


class OrdinalColumn(StreamColumn):
    """Ranks in the declared order. Where missing is a category, it has rank 0, as in tables, and the others follow."""

    def __init__(self, spec: Spec, *, text: bool = False, confidential: bool = False) -> None:
        super().__init__(spec, text=text, confidential=confidential)
        assert spec.order is not None, "a stream's plan declares the order of ordinal columns"
        self.order = DeclaredOrder(spec.order)
        self.first = 1 if spec.missing is Missing.CATEGORY else 0

    @property
    def levels(self) -> int:
        """How many ranks there are."""
        return len(self.order) + self.first

    def cell(self, value: Any) -> float:
        """Return the rank of a category."""
        if self.is_missing(value):
            return 0.0 if self.spec.missing is Missing.CATEGORY else self.missing_cell()
        rank = self.order.rank(value)
        if rank is None:
            raise DataError(f"column {self.name!r} has a value outside its declared order")
        return float(rank + self.first)

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return the ranks of a column."""
        _, ranks = in_declared_order(table, table.categories(self.name), self.name, self.spec.order)
        absent = ranks < 0
        cells = (ranks + self.first).astype(np.float64)
        if self.spec.missing is Missing.CATEGORY:
            cells[absent] = 0.0
        elif absent.any():
            self._admit_missing(absent)
            cells[absent] = math.nan
        return cells

    def to_record(self, rank: int, members: Iterable[Any]) -> Any:
        """Return a group's category, in the type of the first of its members that has one."""
        if rank < self.first:  # -1 where no record of the group has the cell, 0 where missing is the category
            return None
        like = next((value for value in members if not self.is_missing(value)), None)
        return self.order.category(rank - self.first, like=like)

    def to_column(self, ranks: NDArray[np.int32]) -> Categories:
        """Return ranks as labels."""
        codes = np.maximum(ranks - self.first, -1).astype(np.int32)
        return Categories(codes, self.order.categories)


class NominalColumn(StreamColumn):
    """Codes of the categories' texts: equal texts, equal codes, in every process."""

    def cell(self, value: Any) -> float:
        """Return the code of a category."""
        if self.is_missing(value):
            return MISSING_CODE if self.spec.missing is Missing.CATEGORY else self.missing_cell()
        return float(text_code(value, self.name))

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return the codes of a column."""
        codes = column_codes(table, self.name)
        absent = codes < 0
        cells = codes.astype(np.float64)
        if self.spec.missing is Missing.CATEGORY:
            cells[absent] = MISSING_CODE
        elif absent.any():
            self._admit_missing(absent)
            cells[absent] = math.nan
        return cells


def text_code(value: Any, name: str) -> int:
    """Return the number of a value's text."""
    if isinstance(value, dict | list | tuple | set):
        raise DataError(f"column {name!r} must be one value, not {type_in_words(value)}")
    try:
        return _core.text_code(category_text(value))
    except UnicodeEncodeError:
        raise DataError(f"column {name!r} has a text that is not valid Unicode") from None


def column_codes(table: Table, name: str) -> NDArray[np.int64]:
    """Return the numbers of a column's texts, -1 where missing."""
    series = table.frame[name]
    kind = table.dtype(name)
    if kind in ("duration", "other"):
        table.categories(name)  # says why it cannot be categories
    if kind in ("string", "categorical"):
        texts = series.cast(nw.String()).to_list()
    else:
        texts = [None if value is None or value != value else category_text(value) for value in series.to_list()]
    try:
        return _core.text_codes(texts)
    except UnicodeEncodeError:
        raise DataError(f"column {name!r} has a text that is not valid Unicode") from None
