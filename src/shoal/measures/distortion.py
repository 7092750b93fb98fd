"""Distortion of the quasi-identifiers, and how badly the release predicts the confidential attributes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.measures.confidential_column import ConfidentialColumn, Counts
from shoal.measures.declaration import LOSS, ConfidentialColumns, QuasiIdentifiers, Value, declare_measure
from shoal.measures.pair import Pair
from shoal.measures.squared_error import il_percent


@declare_measure(
    "d_x",
    "Distortion of the quasi-identifiers: SSE / SST on standardised values (il_percent / 100).",
    title="distortion of the quasi-identifiers",
    **LOSS,
)
def d_x(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the distortion of the quasi-identifiers.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section III.A.

    Examples
    --------
    >>> round(d_x(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 6)  # 4 / 104
    0.038462
    """
    loss = il_percent(pair)
    attributes = {name: value / 100.0 for name, value in loss.attributes.items()}
    return Value(loss.value / 100.0, attributes=attributes)


@declare_measure(
    "d_y",
    "Distortion of the confidential attributes when each is predicted from the released quasi-identifiers by the "
    "average of its equivalence class (mean, mean rank, mode): SSE / SST on standardised values; 0 when the release "
    "tells them exactly, 1 when it tells nothing.",
    title="loss of what they tell of the confidential side",
    high=1.0,
    role="confidential",
    external="release",
    **LOSS,
)
def d_y(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return how much of the confidential attributes the released quasi-identifiers do not explain.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section III.B: a small value keeps the dependence between quasi-identifiers and
    confidential attributes for analysts, and makes the confidential attributes easier to guess for everybody. Read it
    beside `emd_max` and the diversities.

    Examples
    --------
    Two classes with the confidential values 1, 3 and 5, 7: squared errors 4 around 2 and 6, 20 around the mean 4.

    >>> pair = Pair.of([0.0, 1.0, 8.0, 9.0], [0.5, 0.5, 8.5, 8.5], confidential=[1.0, 3.0, 5.0, 7.0])
    >>> round(d_y(pair).value, 6)
    0.2
    """
    labels, everyone = pair.classes, np.zeros(len(pair), dtype=np.int64)
    errors = {column.name: _squared_error(column, labels) for column in columns}
    totals = {column.name: _squared_error(column, everyone) for column in columns}
    total = math.fsum(totals.values())
    return Value(
        math.fsum(errors.values()) / total if total else 0.0,
        attributes={name: errors[name] / totals[name] if totals[name] else 0.0 for name in errors},
    )


def _squared_error(column: ConfidentialColumn, labels: NDArray[np.int64]) -> float:
    """Sum of squared distances of values to the average of their group."""
    if column.kind.is_nominal:
        counts = Counts.of(labels, column.codes)
        return float(len(labels) - np.maximum.reduceat(counts.count, counts.starts).sum())
    # A prediction need not be a category: the mean rank predicts ranks best, and keeps the ratio below 1.
    values = column.standardised if column.is_continuous else column.codes / (int(column.codes.max()) + 1)
    means = np.bincount(labels, weights=values) / np.bincount(labels)
    return float(np.sum((values - means[labels]) ** 2))
