"""Average points: the average record of each subject or group, and how far records lie from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


def subject_averages(points: Points) -> Points:
    """Return one point per subject: the mean of its coordinates, the median of its ranks, the mode of its codes."""
    subjects, count = points.subjects, points.subject_count
    sizes = np.bincount(subjects, minlength=count)
    coords = np.empty((count, points.coords.shape[1]), order="F")
    ranks = np.empty((count, points.ranks.shape[1]), np.int32, order="F")
    codes = np.empty((count, points.codes.shape[1]), np.int32, order="F")
    for j, column in enumerate(points.coords.T):
        mean = np.bincount(subjects, column, count) / sizes
        # Rounding must not part subjects who are alike: what is constant stays what it is.
        first = np.empty(count)
        first[subjects] = column
        constant = np.ones(count, dtype=np.bool_)
        constant[subjects[column != first[subjects]]] = False
        coords[:, j] = np.where(constant, first, mean)
    for j, column in enumerate(points.ranks.T):
        ranks[:, j] = _median(subjects, column, sizes)
    for j, column in enumerate(points.codes.T):
        codes[:, j] = _mode(subjects, column, count)
    return replace(points, coords=coords, ranks=ranks, codes=codes, subjects=subjects[:0])


def _median(subjects: NDArray[np.int32], ranks: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the lower median of each subject's ranks."""
    order = np.lexsort((ranks, subjects))
    starts = np.cumsum(sizes) - sizes
    return np.asarray(ranks[order][starts + (sizes - 1) // 2])


def _mode(subjects: NDArray[np.int32], codes: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the most frequent code of each subject; of equally frequent ones, the lowest."""
    pairs, numbers = np.unique(np.column_stack([subjects, codes]), axis=0, return_counts=True)
    order = np.lexsort((-pairs[:, 1], numbers, pairs[:, 0]))  # the last of each subject wins
    mode = np.empty(count, dtype=np.int32)
    mode[pairs[order, 0]] = pairs[order, 1]
    return mode


def group_averages(points: Points, labels: NDArray[np.int64]) -> Points:
    """Return the average record of each group: means, lower medians, commonest categories."""
    return subject_averages(replace(points, subjects=labels.astype(np.int32)))
