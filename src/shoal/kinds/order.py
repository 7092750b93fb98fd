"""The order of an ordinal column: declared in the plan, or the column type's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import Categories, Table


def in_declared_order(
    table: Table, categories: Categories, name: str, order: Sequence[str | int | float | bool] | None
) -> tuple[tuple[Any, ...], NDArray[np.int32]]:
    """Return the categories of an ordinal column, lowest first, and the rank of each record (-1 where missing)."""
    labels, codes = categories.labels, categories.codes
    if order is None:
        if table.has_order(name):
            return labels, codes
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
            f"{int(np.argmax(strange)) + 1}: add the category to order, or mend the data"
        )
    written = {key(label): label for label in labels}
    unknown = [category for category in order if key(category) not in written]
    if unknown and kind == "categorical" and table.has_order(name):
        raise DataError(
            f"column {name!r} has ordered categories of its own, and {unknown[0]!r} of the declared order is none of "
            "them: leave order out, or add the category to the column's type"
        )
    write = _WRITERS.get(kind, str)
    return tuple(written.get(word, write(word)) for word in map(key, order)), ranks


class DeclaredOrder:
    """The declared order for single values, as `in_declared_order` reads it for a column.

    Parameters
    ----------
    order
        The categories, lowest first.

    Examples
    --------
    >>> order = DeclaredOrder([1, 2, 3])
    >>> [order.rank(value) for value in (2, 2.0, "2", "two")], order.category(0, like=2.0)
    ([1, 1, 1, None], 1.0)
    >>> DeclaredOrder(["none", 1, 1.5]).category(2, like=1), DeclaredOrder(["none", 1]).category(0, like=1)
    (1.5, 'none')
    """

    def __init__(self, order: Sequence[str | int | float | bool]) -> None:
        self._order = tuple(order)
        self._by_text = _ranks(order, str)
        self._by_number = {number: rank for number, rank in _ranks(order, _number).items() if number is not None}

    def __len__(self) -> int:
        return len(self._order)

    @property
    def categories(self) -> tuple[str | int | float | bool, ...]:
        """The categories as declared."""
        return self._order

    def rank(self, value: Any) -> int | None:
        """Return the rank of a value, None where it is none of the categories."""
        rank = self._by_text.get(str(value))
        if rank is not None or isinstance(value, str | bool):
            return rank
        return self._by_number.get(_number(value))

    def category(self, rank: int, *, like: Any) -> Any:
        """Return a category in the type of another value of the column."""
        category = self._order[rank]
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
