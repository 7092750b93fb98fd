"""Centroids: the average record of each subject or group, and how far records lie from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


def subject_averages(points: Points) -> Points:
    """Return one point per subject: the mean of its coordinates, the median of its ranks, the mode of its codes."""
    subjects, count = points.subjects, points.subject_count
    sizes = np.bincount(subjects, minlength=count)
    coords = np.empty((count, points.coords.shape[1]))
    for j in range(coords.shape[1]):
        column = points.coords[:, j]
        mean = np.bincount(subjects, column, count) / sizes
        # Rounding must not part subjects who are alike: what is constant stays what it is.
        first = np.empty(count)
        first[subjects] = column
        constant = np.ones(count, dtype=np.bool_)
        constant[subjects[column != first[subjects]]] = False
        coords[:, j] = np.where(constant, first, mean)
    ranks = [_median(subjects, points.ranks[:, j], sizes) for j in range(points.ranks.shape[1])]
    codes = [_mode(subjects, points.codes[:, j], count) for j in range(points.codes.shape[1])]
    return Points.build(
        coords=coords,
        ranks=np.column_stack(ranks) if ranks else None,
        rank_steps=points.rank_steps,
        rank_levels=points.rank_levels,
        rank_convex=points.rank_convex,
        codes=np.column_stack(codes) if codes else None,
        code_weights=points.code_weights,
        code_levels=points.code_levels,
    )


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
