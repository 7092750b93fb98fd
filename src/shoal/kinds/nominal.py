"""Nominal categories: equal or not, nothing between. `categories` reads them from tables, `points` compares them."""

from __future__ import annotations

from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.errors import DataError, type_in_words
from shoal.frames import Categories, Table
from shoal.kinds.categories import CategoricalKind
from shoal.kinds.column import Column, Spec
from shoal.kinds.stream_column import StreamColumn
from shoal.kinds.text import category_text
from shoal.kinds.vocabulary import Kind, Missing

NESTED = (dict, list, tuple, set)
"""What a cell of one value is not."""

MISSING_CODE = float(2**52)
"""The code of missing cells where they are a category: last among names, as in tables; codes of texts are below it."""


class NominalColumn(StreamColumn):
    """Codes of the categories' texts: equal texts, equal codes, in every process."""

    in_the_tree = False
    """Whether what stands for a group is found in a tree, which the engine does not know."""

    @property
    def shares(self) -> tuple[float, ...]:
        """What a difference on each axis adds to the squared distance; together 1."""
        return (1.0,)

    def cell(self, value: Any) -> float:
        """Return the code of a category."""
        if self.is_missing(value):
            return MISSING_CODE if self.spec.missing is Missing.CATEGORY else self.missing_cell()
        if isinstance(value, NESTED):
            raise DataError(f"column {self.name!r} must be one value, not {type_in_words(value)}")
        return float(text_code(category_text(value), self.name))

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return the codes of a column."""
        series, kind = table.frame[self.name], table.dtype(self.name)
        if kind in ("duration", "other"):
            table.categories(self.name)  # says why it cannot be categories
        is_text = kind in ("string", "categorical")
        values, absent = (series.cast(nw.String()) if is_text else series).to_list(), table.missing(self.name)
        texts = [value if is_text else category_text(value) for value in values]
        for row in () if absent is None else np.flatnonzero(absent).tolist():  # pandas has four ways to say missing
            texts[row] = None
        codes = text_codes(texts, self.name)
        if self.spec.missing is Missing.CATEGORY:
            codes = np.where(codes < 0, np.int64(MISSING_CODE), codes)
        return self._with_gaps(codes)


class NominalKind(CategoricalKind):
    """Categories without an order. What stands for a group is the mode: `AttributeKind.average`, `group_mode`."""

    name: ClassVar[str] = Kind.NOMINAL
    streamed: ClassVar[type[StreamColumn]] = NominalColumn

    def with_missing(self, categories: Categories, absent: NDArray[np.bool_], spec: Spec) -> Column:
        """Return a column in which missing stands last."""
        codes = np.where(absent, np.int32(len(categories.labels)), categories.codes)
        return Column(spec.name, spec, codes, None, (*categories.labels, None))


KIND = NominalKind()


def text_code(text: str, name: str) -> int:
    """Return the number of a text in a column, from 0."""
    try:
        return _core.text_code(text)
    except UnicodeEncodeError:
        raise DataError(f"column {name!r} has a text that is not valid Unicode") from None


def text_codes(texts: list[str | None], name: str) -> NDArray[np.int64]:
    """Return the numbers of a column's texts, -1 where missing."""
    try:
        return _core.text_codes(texts)
    except UnicodeEncodeError:
        raise DataError(f"column {name!r} has a text that is not valid Unicode") from None
