"""The mean direction of a group: a place on the globe, or a value that wraps around."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind
from shoal.kinds.column import Column
from shoal.kinds.direction import from_vectors, unit_vectors
from shoal.kinds.precision import decimals_of


def group_direction(
    column: Column,
    values: NDArray[Any],
    labels: NDArray[np.int64],
    count: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Return the (weighted) mean direction of each group, rounded where the column says so.

    Parameters
    ----------
    column
        Says what values are, and how they are rounded.
    values, labels, count
        The observed values, their groups, and how many groups there are.
    weights
        Sampling weights, one per value.

    Notes
    -----
    The direction of the mean of unit vectors (Mardia and Jupp 2000, sections 2.2 and 9.2), which is the nearest to all
    members by the sum of squared chords. A group of equal values keeps them to the last bit; members that cancel out
    leave as 0, from which they are as far as from any other value.

    Examples
    --------
    >>> from shoal.encode import Spec
    >>> hours = Column("hour", Spec(name="hour", kind=Kind.CYCLIC, period=24.0), np.array([23.0, 1.0, 5.0, 5.0]))
    >>> group_direction(hours, hours.values, np.array([0, 0, 1, 1]), 2).tolist()
    [0.0, 5.0]
    """
    kind, period = column.kind, column.spec.period
    vectors = unit_vectors(values, kind, period)
    if weights is not None:  # in units of the group's largest, as for other means
        largest = np.zeros(count)
        np.maximum.at(largest, labels, weights)
        weights = weights / largest[labels]
    total = np.maximum(np.bincount(labels, weights, minlength=count), np.finfo(np.float64).tiny)
    means = np.empty((count, vectors.shape[1]))
    for j in range(vectors.shape[1]):
        part = vectors[:, j] if weights is None else vectors[:, j] * weights
        means[:, j] = np.bincount(labels, part, minlength=count) / total
    centres = _rounded(from_vectors(means, kind, period), column)
    first = np.zeros(count, dtype=values.dtype)
    first[labels] = values
    alike = np.ones(count, dtype=np.bool_)
    alike[labels[values != first[labels]]] = False
    return np.where(alike, first, _in_window(centres, column))


def _rounded(centres: NDArray[Any], column: Column) -> NDArray[Any]:
    if not column.spec.round:
        return centres
    if column.kind is Kind.CYCLIC:
        return _round(centres, column.observed)
    result: NDArray[Any] = _round(centres.real, column.observed.real) + 1j * _round(centres.imag, column.observed.imag)
    return result


def _round(centres: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    decimals = decimals_of(observed)
    return centres if decimals is None else np.round(centres, decimals)


def _in_window(centres: NDArray[Any], column: Column) -> NDArray[Any]:
    """Write values as the column does: the end of a cycle as 0, or as the period where the column has no 0 but that."""
    observed, period = column.observed, column.spec.period
    if column.kind is Kind.CYCLIC:
        centres = np.remainder(centres, period)
        ends = bool((observed == period).any() and not (observed == 0).any())
        return np.where(centres == 0, period, centres) if ends else centres
    if (observed.imag > 180).any():  # counted from 0 to 360
        return np.asarray(centres.real + 1j * np.remainder(centres.imag, 360.0))
    return centres
