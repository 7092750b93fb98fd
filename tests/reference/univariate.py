"""Optimal univariate microaggregation, in exact arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference.cheapest_runs import cheapest_runs


def labels_of_runs(order: list[int], ends: list[int]) -> NDArray[np.int64]:
    """Number the runs of an ordering of the records."""
    labels = np.empty(len(order), dtype=np.int64)
    begin = 0
    for run, end in enumerate(ends):
        labels[order[begin:end]] = run
        begin = end
    return labels


def univariate(
    values: ArrayLike, k: int, subjects: ArrayLike | None = None, *, uncut: bool = False
) -> NDArray[np.int64]:
    """Label each record with its group; equal values are in the order of their rows."""
    values = np.asarray(values, dtype=np.float64)
    order = sorted(range(len(values)), key=lambda row: (values[row], row))
    whose = None if subjects is None else np.asarray(subjects)[order].tolist()
    return labels_of_runs(order, cheapest_runs(values[order][:, None], k, whose, uncut=uncut))
