"""Values of continuous columns as plain numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.moments import moments

SECONDS = {"D": 86_400.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""How long the units of dates are."""


def as_numbers(column: Column) -> NDArray[np.float64]:
    """Return the observed values as numbers; dates as seconds from 1970."""
    return in_seconds(column, column.observed)


def in_seconds(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return values of a column as numbers; dates as seconds from 1970."""
    numbers = values.astype(np.float64)
    return (numbers + column.origin) * SECONDS[column.unit] if column.kind.is_date else numbers


def whole_days(column: Column) -> bool:
    """Tell a column of dates that have no time of day: neither has a mean of them, for people."""
    if not column.kind.is_date:
        return False
    return column.unit == "D" or not bool((as_numbers(column) % SECONDS["D"]).any())


def mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and the standard deviation (n - 1), also of numbers whose squares would overflow.

    Examples
    --------
    >>> mean_and_deviation(np.array([1.0, 3.0, 5.0])), mean_and_deviation(np.array([-1e300, 1e300]))[0]
    ((3.0, 2.0), 0.0)
    """
    exponent = math.frexp(float(np.abs(values).max(initial=0.0)))[1]
    found = moments([np.ldexp(values, -exponent)])
    mean, deviation = np.ldexp([found.mean[0], found.deviation[0]], exponent)
    return float(mean), float(deviation)
