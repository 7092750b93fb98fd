"""Categories: what ordinal and nominal columns have in common, with or without a tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import Categories, FrameColumn, Table
from shoal.kinds.attribute_kind import AttributeKind
from shoal.kinds.column import Column, Spec, admit_missing, first_row
from shoal.kinds.text import category_text
from shoal.kinds.vocabulary import Form, Missing, Operator, Scale

_NO_CATEGORY = "\x00"
"""The text of missing cells, where they are a category."""


@dataclass(frozen=True)
class Categorical:
    """An ordinal or nominal column: its categories, and where a missing cell stands."""

    # name, weight: the column, and what multiplies squared differences
    name: str
    weight: float
    # the categories in category order; None among them is the category of missing cells
    levels: tuple[Any, ...] = field(repr=False)
    stand_in: int  # the median rank or most frequent code of the observed cells
    ordered: bool  # the column is ordinal
    convex: bool = False  # ranks are averaged by the convex median

    width = 1

    @classmethod
    def fit(cls, column: Column, records: NDArray[np.int64] | None = None) -> Self:
        """Learn categories and stand-in from the observed cells, each of which may stand for several records."""
        counts = count_levels(column, records)
        ordered = column.kind.is_ordinal
        centre = np.searchsorted(counts.cumsum(), (counts.sum() + 1) // 2) if ordered else counts.argmax()
        convex = column.spec.operator is Operator.CONVEX_MEDIAN
        return cls(column.name, column.spec.weight, column.levels, int(centre), ordered, convex)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what was learnt, of the plain values of its fields."""
        return cls(**{**values, "levels": tuple(values["levels"])})

    @property
    def form(self) -> Form:
        """Ranks or codes."""
        return Form.RANK if self.ordered else Form.CODE

    @property
    def count(self) -> int:
        """How many categories there are, at least one."""
        return max(1, len(self.levels))

    @property
    def code_weights(self) -> list[float]:
        """What a difference of codes adds to a squared distance."""
        return [self.weight]

    @property
    def code_levels(self) -> list[int]:
        """How many codes there are."""
        return [self.count]

    def codes(self, column: Column) -> list[NDArray[np.int32]]:
        """Return the codes of a column."""
        return [self.apply(column)]

    def apply(self, column: Column) -> NDArray[np.int32]:
        """Return the ranks or codes of a column; names that were not there before have codes after all others."""
        places = self._places(column)
        if column.missing is None:
            return places
        return np.where(column.missing, np.int32(self.stand_in), places)

    def joined(self, levels: Sequence[Any]) -> tuple[Any, ...]:
        """Return the categories with those of other records after them, by the codes that `apply` gives."""
        by_text = {_written(level): level for level in self.levels}
        for level in levels:
            by_text.setdefault(_written(level), level)
        return tuple(by_text.values())

    def _places(self, column: Column) -> NDArray[np.int32]:
        if column.levels is self.levels:  # equal is not enough: True equals 1, and is written otherwise
            return column.values
        place_of = {_written(level): place for place, level in enumerate(self.levels)}
        moved = np.array(
            [place_of.setdefault(_written(level), len(place_of)) for level in column.levels] or [0], np.int32
        )
        observed = column.values if column.missing is None else np.where(column.missing, 0, column.values)
        places: NDArray[np.int32] = moved[observed]
        strange = places >= len(self.levels)
        if column.missing is not None:
            strange &= ~column.missing
        if self.ordered and strange.any():
            raise DataError(
                f"column {self.name!r} has {counted(int(strange.sum()), 'value')} of categories that were not there "
                f"when its order was learnt, the first in row {first_row(strange)}: declare the order of its categories"
            )
        return places


def _written(level: Any) -> str | None:
    """Return how a category is written; missing is not."""
    return None if level is None else category_text(level)


def count_levels(column: Column, records: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Count the records of each category; without a number of records for each cell, a cell is one."""
    count = max(1, len(column.levels))
    if records is None:
        return np.bincount(column.observed, minlength=count)
    present = records if column.missing is None else records[~column.missing]
    counts = np.zeros(count, dtype=np.int64)
    np.add.at(counts, column.observed, present)  # whole numbers, which doubles might not hold
    return counts


class CategoricalKind(AttributeKind):
    """Categories as places among levels."""

    encoded: ClassVar[type[Any]] = Categorical
    dtype = np.int32

    def categories(self, table: Table, spec: Spec) -> Categories:
        """Return the categories of a column, checked, in the order of the kind."""
        return table.categories(spec.name)

    @abstractmethod
    def with_missing(self, categories: Categories, absent: NDArray[np.bool_], spec: Spec) -> Column:
        """Return a column whose missing cells are a category of their own."""

    def read(self, table: Table, spec: Spec) -> Column:
        """Read categories."""
        categories = self.categories(table, spec)
        absent = categories.missing
        if spec.missing is Missing.CATEGORY and absent is not None:
            return self.with_missing(categories, absent, spec)
        return Column(spec.name, spec, categories.codes, admit_missing(spec, absent), categories.labels)

    def to_frame(self, column: Column) -> dict[str, FrameColumn]:
        """Return labels; the category of missing cells leaves as missing."""
        codes, labels = column.values, column.levels
        if column.missing is not None:
            codes = np.where(column.missing, np.int32(-1), codes)
        if None in labels:
            absent = labels.index(None)
            codes = np.where(codes == absent, np.int32(-1), np.where(codes > absent, codes - 1, codes)).astype(np.int32)
            labels = tuple(label for label in labels if label is not None)
        return {column.name: self.to_categories(codes, labels, column)}

    def to_categories(self, codes: NDArray[np.int32], labels: tuple[Any, ...], column: Column) -> FrameColumn:
        """Return codes, -1 where missing, with their labels."""
        return Categories(codes, labels, scale=column.kind.is_ordinal)

    def fit(self, column: Column, scale: Scale, records: NDArray[np.int64] | None = None) -> Any:
        """Learn categories and stand-in from the observed cells."""
        return self.encoded.fit(column, records)

    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write categories as texts."""
        levels = [_NO_CATEGORY if level is None else category_text(level) for level in column.levels]
        return [levels[code] for code in values.tolist()]
