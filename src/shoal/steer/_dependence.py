"""Dependence: keep what analysts need, the relation between quasi-identifiers and confidential attributes."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from shoal.errors import PlanError
from shoal.points import Points
from shoal.scaling import finite_columns, zscores
from shoal.steer.steering import Artificial, Steering, require_records


def dependence(confidential: ArrayLike | Points, weight: float) -> Steering:
    """Let groups be alike in the confidential attributes too, so that these stay predictable from the release.

    Parameters
    ----------
    confidential
        (n,) or (n, m) numbers or dates, which are standardised here; or `Points`, taken as they are, for ordinal and
        nominal attributes.
    weight
        λ from 0 to 1: how much the confidential side counts. 0 is the plain partition; 1 partitions on the
        confidential attributes alone.

    Returns
    -------
    Steering
        Adds β·Y to the points, β = sqrt(λ/(1−λ) · m_X/m_Y) with m the number of attributes of each side. The
        quasi-identifiers should be standardised as well: `shoal.scaling.zscores` does it.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section IV.A: the Lagrangian cost (1−λ)·D_X + λ·D_Y of a partition is, up to a factor,
    the squared error of the points (X, βY), so any partitioner can minimise it. Ordinal and nominal attributes add β²
    times their squared distance. Only the quasi-identifiers are released masked: nothing of Y is averaged.

    Examples
    --------
    >>> from shoal.partitioners import mdav
    >>> age, pay = [[-1.0], [-0.9], [0.9], [1.0]], [10.0, 30.0, 10.0, 30.0]
    >>> [mdav(dependence(pay, weight)(age), 2).tolist() for weight in (0.0, 1.0)]
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    if not 0 <= weight <= 1:
        raise PlanError(f"the weight of dependence must lie from 0 to 1, not {weight!r}")
    if isinstance(confidential, Points):
        other = confidential
    else:
        other = Points.of(zscores(finite_columns(confidential, "confidential")))
    if other.dimension == 0:
        raise PlanError("confidential must hold at least one attribute")

    def make(points: Points) -> Points | None:
        require_records(len(other), points, "confidential")
        if weight == 0:
            return None
        return other if weight == 1 else other.stretched(beta(weight, points.dimension, other.dimension))

    return Steering((Artificial(make, alone=weight == 1),))


def beta(weight: float, quasi_identifiers: int, confidential: int) -> float:
    """Return what the confidential coordinates are multiplied by, for 0 ≤ λ < 1.

    >>> beta(0.5, 6, 6), round(beta(0.2, 6, 7), 4)
    (1.0, 0.4629)
    """
    return math.sqrt(weight / (1 - weight) * quasi_identifiers / confidential)
