"""Projected microaggregation, step by step: the axis as textbooks have it, the path in exact arithmetic."""

from __future__ import annotations

from math import fsum, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference.cheapest_runs import cheapest_runs
from reference.univariate import labels_of_runs


def sum_of_zscores(table: NDArray[np.float64]) -> list[float]:
    """Add up the z-scores of each record."""
    columns = []
    for column in table.T.tolist():
        mean = fsum(column) / len(column)
        deviation = sqrt(fsum((x - mean) ** 2 for x in column) / (len(column) - 1))
        columns.append([(x - mean) / deviation if deviation else 0.0 for x in column])
    return [fsum(record) for record in zip(*columns, strict=True)]


def principal_component(table: NDArray[np.float64]) -> list[float]:
    """Project on the first right singular vector, its largest loading positive."""
    centred = table - [fsum(column) / len(column) for column in table.T.tolist()]
    loadings = np.linalg.svd(centred, full_matrices=False)[2][0]
    loadings *= np.sign(loadings[np.argmax(np.abs(loadings))])
    return [fsum(record) for record in (centred * loadings).tolist()]


def projected(
    table: NDArray[np.float64],
    line: list[float],
    k: int,
    subjects: ArrayLike | None = None,
    *,
    uncut: bool = False,
) -> NDArray[np.int64]:
    """Label each record, given its place on the axis."""
    order = sorted(range(len(table)), key=lambda row: (line[row], row))
    whose = None if subjects is None else np.asarray(subjects)[order].tolist()
    return labels_of_runs(order, cheapest_runs(table[order], k, whose, uncut=uncut))
