"""What stands for a group: mean, median, convex median (mode and draw: `shoal.kinds.modes`).

Each operator takes the present values of a column with their groups and gives one value per group; a group with no
present value gets whatever fills the array, and the caller marks it missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    frequency at or below it and the largest at or above it; then the (lower) median. Lifted frequencies are equal from
    one category of the group to the next, so the work does not depend on the number of categories.

    Examples
    --------
    >>> group_convex_median(np.array([0, 4], dtype=np.int32), np.array([0, 0]), 1, 5).tolist()
    [2]
    """
    cells, frequencies = np.unique(labels * levels + ranks, return_counts=True)
    groups, categories = np.divmod(cells, levels)
    medians = np.zeros(count, dtype=np.int64)
    if len(cells) == 0:
        return medians
    below, above = _greatest_so_far(groups, frequencies), _greatest_so_far(groups[::-1], frequencies[::-1])[::-1]
    last = np.append(groups[1:] != groups[:-1], True)
    # A category that the group has, then those up to the next one that it has: runs of equal lifted frequencies.
    lifted = np.column_stack([np.minimum(below, above), np.minimum(below, np.append(above[1:], 0))]).ravel()
    following = np.where(last, 0, np.append(categories[1:], 0) - categories - 1)
    lengths = np.column_stack([np.ones_like(following), following]).ravel()
    reached = np.cumsum(lifted * lengths)
    ends = reached[1::2][last]
    starts = np.append(0, ends[:-1])
    middles = starts + (ends - starts + 1) // 2
    runs = np.searchsorted(reached, middles)
    inside = (middles - (reached[runs] - lifted[runs] * lengths[runs]) - 1) // lifted[runs]
    medians[groups[last]] = categories[runs // 2] + runs % 2 + inside
    return medians


def _greatest_so_far(groups: NDArray[np.int64], frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the greatest of the frequencies of its group up to each; the groups stand one after the other."""
    turns = np.cumsum(np.append(0, groups[1:] != groups[:-1]))
    above_all = int(frequencies.max()) + 1
    greatest: NDArray[np.int64] = np.maximum.accumulate(frequencies + turns * above_all) - turns * above_all
    return greatest
