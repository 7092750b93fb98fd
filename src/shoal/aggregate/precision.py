"""The precision a column was recorded with, and rounding to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_DECIMALS = 12


def decimals_of(values: NDArray[np.float64]) -> int | None:
    """Return the fewest decimals that write every value exactly, or None where twelve are not enough.

    Examples
    --------
    >>> decimals_of(np.array([1.5, 2.25])), decimals_of(np.array([3.0])), decimals_of(np.array([1 / 3]))
    (2, 0, None)
    """
    for decimals in range(MOST_DECIMALS + 1):
        if (np.round(values, decimals) == values).all():
            return decimals
    return None
