"""Ordinal categories: ranks in the order that the plan declares, or that the column's type has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, counted
from shoal.frames import Categories, Table
from shoal.kinds.categories import CategoricalKind
from shoal.kinds.column import Column, Spec, first_row
from shoal.kinds.stream_column import StreamColumn
from shoal.kinds.vocabulary import Kind, Missing


class OrdinalColumn(StreamColumn):
    """Ranks of a stream. Where missing is a category, it has rank 0, as in tables, and the others follow."""

    def __init__(self, spec: Spec, **how: Any) -> None:
        super().__init__(spec, **how)
        if spec.order is None:
            raise PlanError(
                f"attributes.{spec.name}.order is required in a stream: the categories are not known before they come"
            )
        self.order = DeclaredOrder(spec.order)
        self.first = 1 if spec.missing is Missing.CATEGORY else 0

    @property
    def levels(self) -> int:
        """How many ranks there are."""
        return len(self.order.categories) + self.first

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
        # Where missing is a category, -1 becomes its rank.
        return self._with_gaps(in_declared_order(table, self.name, self.spec.order).codes + self.first)

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


class OrdinalKind(CategoricalKind):
    """Categories with an order."""

    name = Kind.ORDINAL
    streamed = OrdinalColumn

    def categories(self, table: Table, spec: Spec) -> Categories:
        """Return the categories of a column, lowest first."""
        return in_declared_order(table, spec.name, spec.order)

    def with_missing(self, categories: Categories, absent: NDArray[np.bool_], spec: Spec) -> Column:
        """Return a column in which missing stands below the lowest category."""
        return Column(spec.name, spec, categories.codes + np.int32(1), None, (None, *categories.labels))


KIND = OrdinalKind()


def in_declared_order(table: Table, name: str, order: Sequence[str | int | float | bool] | None) -> Categories:
    """Return the categories of an ordinal column, lowest first, and the rank of each record (-1 where missing)."""
    categories = table.categories(name)
    labels, codes = categories.labels, categories.codes
    if order is None:
        if table.has_order(name):
            return categories
        raise DataError(
            f'column {name!r} is ordinal text, so the plan must say its order: order = ["lowest", ..., "highest"]'
        )
    kind = table.dtype(name)
    key = _KEYS.get(kind, str)
    rank = _ranks(order, key)
    if None in rank:
        raise DataError(f"column {name!r} holds {table.holds(name)}, and its declared order lists something else")
    outside = len(order)
    ranks = np.array([*(rank.get(key(label), outside) for label in labels), -1], dtype=np.int32)[codes]
    strange = ranks == outside
    if strange.any():
        raise DataError(
            f"column {name!r} has {counted(int(strange.sum()), 'value')} outside its declared order, the first in row "
            f"{first_row(strange)}: add the category to order, or mend the data"
        )
    written = {key(label): label for label in labels}
    unknown = [category for category in order if key(category) not in written]
    if unknown and kind == "categorical" and table.has_order(name):
        raise DataError(
            f"column {name!r} has ordered categories of its own, and {unknown[0]!r} of the declared order is none of "
            "them: leave order out, or add the category to the column's type"
        )
    write = _WRITERS.get(kind, str)
    return replace(categories, codes=ranks, labels=tuple(written.get(word, write(word)) for word in map(key, order)))


class DeclaredOrder:
    """The declared order, lowest first, for single values, as `in_declared_order` reads it for a column.

    >>> order = DeclaredOrder([1, 2, 3])
    >>> [order.rank(value) for value in (2, 2.0, "2", "two")], order.category(0, like=2.0)
    ([1, 1, 1, None], 1.0)
    >>> DeclaredOrder(["none", 1, 1.5]).category(2, like=1), DeclaredOrder(["none", 1]).category(0, like=1)
    (1.5, 'none')
    """

    def __init__(self, order: Sequence[str | int | float | bool]) -> None:
        self.categories = tuple(order)
        self._by_text = _ranks(order, str)
        self._by_number = {number: rank for number, rank in _ranks(order, _number).items() if number is not None}

    def rank(self, value: Any) -> int | None:
        """Return the rank of a value, None where it is none of the categories."""
        rank = self._by_text.get(str(value))
        if rank is not None or isinstance(value, str | bool):
            return rank
        return self._by_number.get(_number(value))

    def category(self, rank: int, *, like: Any) -> Any:
        """Return a category in the type of another value of the column."""
        category = self.categories[rank]
        if isinstance(like, str):
            return str(category)
        number = _number(category) if type(like) in (int, float, Decimal) else None
        if number is None or not number.is_finite():  # words may stand among numbers
            return category
        if isinstance(like, Decimal):
            return number
        return int(number) if type(like) is int and number == number.to_integral_value() else float(number)


def _ranks(order: Sequence[Any], key: Callable[[Any], Any]) -> dict[Any, int]:
    return {key(category): rank for rank, category in enumerate(order)}


def _number(category: Any) -> Decimal | None:
    """Read a category as a number: 1, 1.0 and "1" are one."""
    try:
        return Decimal(str(category))
    except InvalidOperation:
        return None


def _whole_number(category: Any) -> Decimal | None:
    number = _number(category)
    return number if number is not None and number == number.to_integral_value() else None


# In columns of numbers a category is a number; in text, what counts is how it is written.
_KEYS: dict[str, Callable[[Any], Any]] = {"integer": _whole_number, "float": _number, "decimal": _number}
_WRITERS: dict[str, Callable[[Any], Any]] = {"integer": int, "float": float}
