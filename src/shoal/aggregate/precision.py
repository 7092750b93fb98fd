"""The precision a column was recorded with, and rounding to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_DECIMALS = 12
"""The most decimals that a precision is told in: a double of ordinary size holds no more."""


def decimals_of(values: NDArray[np.float64]) -> int | None:
    """Return the fewest decimals that write every value exactly, or None where twelve are not enough.

    Examples
    --------
    >>> decimals_of(np.array([1.5, 2.25])), decimals_of(np.array([3.0])), decimals_of(np.array([1 / 3]))
    (2, 0, None)
    """
    with np.errstate(over="ignore"):  # a number of 300 digits has no room for decimals: it differs, and that is all
        for decimals in range(MOST_DECIMALS + 1):
            if (np.round(values, decimals) == values).all():
                return decimals
    return None
