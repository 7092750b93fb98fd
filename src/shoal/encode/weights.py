"""Sampling weights: how much each record counts in the mean of its group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds.column import first_row


def read_weights(table: Table, name: str) -> NDArray[np.float64]:
    """Read the column of sampling weights.

    Raises
    ------
    DataError
        A weight is missing, infinite or not positive.
    """
    weights = table.numbers(name).values
    wrong = ~(np.isfinite(weights) & (weights > 0))  # a missing weight is NaN, and not finite
    if wrong.any():
        raise DataError(f"weights column {name!r} must be positive and finite, and is not in row {first_row(wrong)}")
    return weights
