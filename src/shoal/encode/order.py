"""The order of an ordinal column: declared in the plan, or the column type's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import DTYPE_WORDS, Categories, Table


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
    rank = {key(category): i for i, category in enumerate(order)}
    if None in rank:
        raise DataError(f"column {name!r} holds {DTYPE_WORDS[kind]}, and its declared order lists something else")
    outside = len(order)
    ranks = np.array([*(rank.get(key(label), outside) for label in labels), -1], dtype=np.int32)[codes]
    strange = ranks == outside
    if strange.any():
        raise DataError(
            f"column {name!r} has {int(strange.sum())} values outside its declared order, the first in row "
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
