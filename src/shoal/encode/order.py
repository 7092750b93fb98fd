"""The order of an ordinal column: declared in the plan, or the column type's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Categories, Table
from shoal.schema import Attribute


def in_declared_order(
    table: Table, categories: Categories, name: str, attribute: Attribute
) -> tuple[tuple[Any, ...], NDArray[np.int32]]:
    """Return the categories of an ordinal column, lowest first, and the rank of each record (-1 where missing)."""
    labels, codes = categories.labels, categories.codes
    if attribute.order is None:
        if table.has_order(name):
            return labels, codes
        raise DataError(
            f'column {name!r} is ordinal text, so the plan must say its order: order = ["lowest", ..., "highest"]'
        )
    # A CSV holds text where the plan may hold numbers: what counts is how a category is written.
    rank = {str(category): i for i, category in enumerate(attribute.order)}
    outside = len(rank)
    ranks = np.array([*(rank.get(str(label), outside) for label in labels), -1], dtype=np.int32)[codes]
    strange = ranks == outside
    if strange.any():
        raise DataError(
            f"column {name!r} has {int(strange.sum())} values outside its declared order, the first in row "
            f"{int(np.argmax(strange)) + 1}: add the category to order, or mend the data"
        )
    written = {str(label): label for label in labels}
    return tuple(written.get(str(category), category) for category in attribute.order), ranks
