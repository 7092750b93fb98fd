"""Axes: one coordinate for records of many, so that they can be sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

_DIGITS = 9  # eigenvalues and loadings that agree so far are equal
_BITS = 2.0**40  # loadings are kept to so much: below it, the linear algebra of two machines may differ


def principal_component(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project records (n, d) on the direction of largest variance.

    Attributes are taken in their own units. Where variances are equal, `_break_tie` chooses among the directions.

    >>> line = principal_component(np.array([[0.0, 0.0], [1.0, -2.0], [2.0, -4.0]]))
    >>> np.argsort(line).tolist()  # the second attribute varies most
    [2, 1, 0]
    """
    exponent = _range_exponents(table).max()
    centred = _centred(table, exponent)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    loadings = _break_tie(directions[:, variances >= variances[-1] * (1 - 10.0**-_DIGITS)])
    return _weighted_sum(centred, np.round(loadings * _BITS) / _BITS)


def _break_tie(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction nearest to an attribute, the first of several, so that it is the same everywhere.

    It points the way of that attribute, also where there is one line and no tie.
    """
    # Column j is the attribute's own direction, cast on the directions of largest variance; its length is how near.
    shadows = directions @ directions.T
    nearest = int(np.argmax(np.round(np.diag(shadows), _DIGITS)))
    return np.asarray(shadows[:, nearest] / np.sqrt(shadows[nearest, nearest]))


def sum_of_zscores(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the z-scores of each record (n, d); a constant attribute adds nothing.

    >>> sum_of_zscores(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]])).tolist()
    [-1.0, 0.0, 1.0]
    """
    exponents = _range_exponents(table)
    centred = _centred(table, exponents)
    deviations = np.sqrt((centred**2).sum(axis=0) / max(len(table) - 1, 1))
    mantissas, exponents = np.frexp(np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0))
    return _weighted_sum(centred, np.ldexp(np.round(mantissas * _BITS) / _BITS, exponents))


Axis = Literal["pcp", "zscores"]

AXES: dict[Axis, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "pcp": principal_component,
    "zscores": sum_of_zscores,
}


def _range_exponents(table: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return, for each attribute, the power of two above its range."""
    with np.errstate(over="ignore"):
        ranges = table.max(axis=0) - table.min(axis=0)
    return np.where(np.isinf(ranges), 1025, np.frexp(ranges)[1]).astype(np.int32)


def _centred(table: NDArray[np.float64], exponents: NDArray[np.int32]) -> NDArray[np.float64]:
    """Take the mean out of each attribute, in units of a power of two: no offset or size costs digits."""
    centred = np.ldexp(table, -exponents)
    centred -= centred.min(axis=0)
    centred -= centred.mean(axis=0)
    return centred


def _weighted_sum(table: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add attribute after attribute, so that equal records have equal sums to the last bit."""
    total = np.zeros(len(table))
    for column, weight in zip(table.T, weights, strict=True):
        total += column * weight
    return total


def correlations(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of each attribute with each; a constant attribute is correlated with none.

    >>> correlations(np.array([[0.0, 0.0, 5.0], [1.0, -2.0, 5.0], [2.0, -4.0, 5.0]])).round(6).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    centred = _centred(table, _range_exponents(table))
    lengths = np.sqrt((centred**2).sum(axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return np.round(centred.T @ centred, _DIGITS)
