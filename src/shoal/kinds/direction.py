"""Directions: places on the globe and values that wrap around, as unit vectors, and the way back.

A place is a complex number of degrees, latitude + longitude·i, so that a column of places is one array like any other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind

NOWHERE = 1e-9
"""A mean of unit vectors that is shorter than this points nowhere: members cancel each other out."""

_DIGITS = 12  # of a turn: what sines and cosines of different machines agree on


def unit_vectors(values: NDArray[Any], kind: Kind, period: float) -> NDArray[np.float64]:
    """Return values as points of the unit circle or sphere: (n, 2) or (n, 3), column-major.

    Examples
    --------
    >>> unit_vectors(np.array([0.0, 6.0]), Kind.CYCLIC, 24.0).round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> unit_vectors(np.array([90 + 0j, 0 + 90j]), Kind.PLACE, 0.0).round(9).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    if kind is Kind.CYCLIC:
        turns = np.remainder(values, period) * (2 * math.pi / period)
        return np.asfortranarray(np.column_stack([np.cos(turns), np.sin(turns)]))
    latitude, longitude = np.radians(values.real), np.radians(values.imag)
    flat = np.cos(latitude)
    return np.asfortranarray(np.column_stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)]))


def from_vectors(vectors: NDArray[np.float64], kind: Kind, period: float) -> NDArray[Any]:
    """Return the values that vectors point at, whatever their length; one that points nowhere is 0.

    Latitudes are from -90 to 90, longitudes from -180 to 180, cycles from 0 to the period.

    Notes
    -----
    Where a mean of unit vectors is 0, every direction is as far from the members as any other, by the sum of squared
    distances: Σ‖x − vᵢ‖² = 2n − 2n x·v̄. So a fixed one loses nothing, and tells nothing of a member.

    Examples
    --------
    >>> from_vectors(np.array([[0.0, 2.0], [0.0, 0.0]]), Kind.CYCLIC, 24.0).tolist()
    [6.0, 0.0]
    """
    vectors = np.where(np.abs(vectors).max(axis=1, keepdims=True, initial=0.0) < NOWHERE, 0.0, vectors)
    turned = np.arctan2(vectors[:, 1], vectors[:, 0])
    if kind is Kind.CYCLIC:
        digits = _DIGITS - math.ceil(math.log10(period))
        found = np.remainder(np.round(turned * (period / (2 * math.pi)), digits), period)
        return np.asarray(found)
    raised = np.arctan2(vectors[:, 2], np.hypot(vectors[:, 0], vectors[:, 1]))
    result: NDArray[Any] = np.round(np.degrees(raised), _DIGITS - 3) + 1j * np.round(np.degrees(turned), _DIGITS - 3)
    return result
