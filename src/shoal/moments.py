"""Means and covariances in one pass, stable under large offsets, in the memory of one block of records; quantiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 16_384
"""Records that are worked on at a time: their columns fit in the processor's cache."""


def row_slices(n: int) -> Iterator[slice]:
    """Cut n records into consecutive runs of at most BLOCK."""
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))


class MeanDeviation(NamedTuple):
    """Mean and standard deviation of a column."""

    mean: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and covariance (divided by n − 1) of some columns."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard deviations; exactly 0 for a constant column."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def correlation(self) -> NDArray[np.float64]:
        """Correlations; those of a constant column with any other are 0."""
        deviation = self.deviation
        scale = np.outer(deviation, deviation)
        result = np.divide(self.covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        np.fill_diagonal(result, 1.0)
        return result


def safely_scaled(*columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Scale columns by one power of two where squares of their values would overflow or vanish.

    Every measure of numbers is the same in any unit, and a power of two costs no digit. Missing values are NaN.

    >>> safely_scaled(np.array([1.0, 3.0]))[0].tolist(), safely_scaled(np.array([0.0, 2.0**900]))[0].tolist()
    ([1.0, 3.0], [0.0, 0.5])
    """
    largest = max(
        max(float(np.fmax.reduce(column, initial=0.0)), -float(np.fmin.reduce(column, initial=0.0)))
        for column in columns
    )
    if largest == 0 or 1e-100 < largest < 1e100:
        return columns
    return tuple(np.ldexp(column, -math.frexp(largest)[1]) for column in columns)


def weighted_quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: tuple[float, ...]
) -> NDArray[np.float64]:
    """Return the least values that at least these shares of the weights have or stay below.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), (0.25, 0.5, 1.0)).tolist()
    [1.0, 2.0, 3.0]
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # Rounding may leave the last sum a hair below the share of all.
    places = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
    return np.asarray(values[order][np.minimum(places, len(values) - 1)])


def moments(columns: Sequence[NDArray[Any]]) -> Moments:
    """Return the mean and covariance of columns of finite numbers, of equal length, at least one record.

    Every value is first taken relative to the column's first record, which is within a few deviations of the mean
    compared to a common offset, and makes a constant column exactly constant. Blocks of records are then merged by the
    update of Chan, Golub and LeVeque, so that nothing large is ever subtracted from something large.

    >>> result = moments([np.array([1e9, 1e9 + 1, 1e9 + 2]), np.array([0.0, 1.0, 5.0])])
    >>> result.mean.tolist()
    [1000000001.0, 2.0]
    >>> result.covariance.tolist()
    [[1.0, 2.5], [2.5, 7.0]]
    """
    n, d = len(columns[0]), len(columns)
    first = np.array([column[0] for column in columns], dtype=np.float64)
    mean, scatter = np.zeros(d), np.zeros((d, d))
    for rows in row_slices(n):
        block = np.column_stack([column[rows] for column in columns]) - first
        block_mean = block.mean(axis=0)
        block -= block_mean
        seen, size = rows.start, len(block)
        shift = block_mean - mean
        scatter += block.T @ block + np.outer(shift, shift) * (seen * size / (seen + size))
        mean += shift * (size / (seen + size))
    return Moments(first + mean, scatter / max(n - 1, 1))
