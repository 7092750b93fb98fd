"""The precision that values were recorded with, and rounding to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_DECIMALS = 12
"""The most decimals that a precision is told in: a double of ordinary size holds no more."""

UNLIMITED = 127
"""The decimals of values that twelve are not enough for: they are not rounded."""


def decimals_of(values: NDArray[np.float64]) -> int | None:
    """Return the fewest decimals that write every value exactly, or None where twelve are not enough.

    >>> decimals_of(np.array([1.5, 2.25])), decimals_of(np.array([3.0])), decimals_of(np.array([1 / 3]))
    (2, 0, None)
    """
    if len(values) == 0:
        return 0
    decimals = int(decimals_of_runs(values, np.zeros(1, dtype=np.int64))[0])
    return None if decimals == UNLIMITED else decimals


def decimals_of_runs(values: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the fewest decimals that write every value of a run exactly, of runs that begin at ``starts``.

    NaN needs none.

    >>> decimals_of_runs(np.array([1.5, 2.25, 7.0, np.nan, 1 / 3]), np.array([0, 2, 4])).tolist()
    [2, 0, 127]
    """
    fewest = np.full(len(starts), UNLIMITED, dtype=np.int8)
    if len(values) == 0:
        return fewest
    absent = np.isnan(values)
    with np.errstate(over="ignore"):  # a number of 300 digits has no room for decimals: it differs, and that is all
        for decimals in range(MOST_DECIMALS + 1):
            exact = np.logical_and.reduceat((np.round(values, decimals) == values) | absent, starts)
            fewest[exact & (fewest == UNLIMITED)] = decimals
            if (fewest != UNLIMITED).all():
                break
    return fewest


def round_like(values: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round numbers of a table to the fewest decimals that write the observed ones exactly."""
    decimals = decimals_of(observed)
    return values if decimals is None else np.round(values, decimals)


def rounded(values: NDArray[np.float64], decimals: NDArray[np.int8]) -> NDArray[np.float64]:
    """Round each value of a stream to the decimals of its group.

    >>> rounded(np.array([1.25, 2.6, 1 / 3]), np.array([1, 0, UNLIMITED], dtype=np.int8)).tolist()
    [1.2, 3.0, 0.3333333333333333]
    """
    result = values.copy()
    for places in np.unique(decimals[decimals != UNLIMITED]):
        chosen = decimals == places
        result[chosen] = np.round(values[chosen], int(places))
    return result
