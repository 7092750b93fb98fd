"""What stands for a group: mean, median, convex median (mode and draw: `shoal.aggregate.categories`).

Each operator takes the present values of a column with their groups and gives one value per group; a group with no
present value gets whatever fills the array, and the caller marks it missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_CELLS = 1 << 22  # histogram cells held at once by the convex median


def group_mean(
    values: NDArray[np.float64],
    labels: NDArray[np.int64],
    count: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the (weighted) mean of each group.

    Notes
    -----
    Sums are taken of differences to one value of the group, so a constant group keeps its value to the last bit and
    a large common offset does not eat digits. Weights are told in units of the group's largest, so that neither huge
    nor tiny ones leave the range of numbers.

    Examples
    --------
    >>> group_mean(np.array([1.0, 3.0, 10.0]), np.array([0, 0, 1]), 2).tolist()
    [2.0, 10.0]
    """
    base = np.zeros(count)
    base[labels] = values
    differences = values - base[labels]
    if weights is not None:
        largest = np.zeros(count)
        np.maximum.at(largest, labels, weights)
        weights = weights / largest[labels]
        differences *= weights
    total: NDArray[Any] = np.bincount(labels, weights, minlength=count)
    sums = np.bincount(labels, differences, minlength=count)
    means: NDArray[np.float64] = base + np.divide(sums, total, out=np.zeros(count), where=total > 0)
    return means


def group_median(values: NDArray[np.float64], labels: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return the lower median of each group.

    Examples
    --------
    >>> group_median(np.array([4.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 0]), 1).tolist()
    [2.0]
    """
    order = np.lexsort((values, labels))
    sizes = np.bincount(labels, minlength=count)
    middle = np.cumsum(sizes) - sizes + np.maximum(sizes - 1, 0) // 2
    medians = np.zeros(count, dtype=values.dtype)
    medians[sizes > 0] = values[order][middle[sizes > 0]]
    return medians


def group_convex_median(
    ranks: NDArray[np.int32], labels: NDArray[np.int64], count: int, levels: int
) -> NDArray[np.int64]:
    """Return the convex median of each group, which may be a category that nobody in the group has.

    Notes
    -----
    Domingo-Ferrer and Torra 2005: the frequency of a category becomes the smaller of the largest
    frequency at or below it and the largest at or above it; then the (lower) median.

    Examples
    --------
    >>> group_convex_median(np.array([0, 4], dtype=np.int32), np.array([0, 0]), 1, 5).tolist()
    [2]
    """
    medians = np.zeros(count, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(count + 1))
    step = max(1, _CELLS // levels)
    for start in range(0, count, step):
        stop = min(start + step, count)
        rows = order[bounds[start] : bounds[stop]]
        cells = (labels[rows] - start) * levels + ranks[rows]
        frequency = np.bincount(cells, minlength=(stop - start) * levels).reshape(stop - start, levels)
        below = np.maximum.accumulate(frequency, axis=1)
        above = np.maximum.accumulate(frequency[:, ::-1], axis=1)[:, ::-1]
        cumulated = np.minimum(below, above).cumsum(axis=1)
        middle = (cumulated[:, -1:] + 1) // 2
        medians[start:stop] = (cumulated < middle).sum(axis=1)
    return np.minimum(medians, levels - 1)
