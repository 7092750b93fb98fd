"""Steering: artificial attributes and how they join the points: positions in the table, columns, dependence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError, PlanError
from shoal.points import Points
from shoal.scaling import finite_columns, unit_range, zscores


@dataclass(frozen=True, eq=False)
class Artificial:
    """One artificial attribute, or several that belong together."""

    # from the quasi-identifiers' points to the attributes to add, weighted; None adds nothing
    make: Callable[[Points], Points | None]
    alone: bool = False  # the attribute takes the place of the quasi-identifiers instead of standing beside them


@dataclass(frozen=True, eq=False)
class Steering:
    """Artificial attributes that steer a partitioner; called with points, it returns points to partition.

    Steerings add up: ``position(0.5) + column(score, 2.0)``. Each artificial attribute is made from the plain points,
    so the order of the sum changes the order of the coordinates and nothing else.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section III, Definition 3: SM(D, k, M, A, Ω) runs any partitioner M on the data
    with the attributes A added, each with its weight in Ω. A weight multiplies distances: an artificial attribute spans
    [0, ω] where quasi-identifiers span [0, 1].

    Examples
    --------
    >>> from shoal.partitioners import mdav
    >>> from shoal.steer import position
    >>> heights = [[0.1], [0.9], [0.2], [0.8], [0.15], [0.85]]
    >>> mdav(heights, 3).tolist(), mdav(position(9.0)(heights), 3).tolist()
    ([0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1])
    """

    attributes: tuple[Artificial, ...] = ()

    def __add__(self, other: Steering) -> Steering:
        return Steering((*self.attributes, *other.attributes))

    def __call__(self, points: ArrayLike | Points) -> Points:
        """Return the points with the artificial attributes beside the quasi-identifiers, or in their place."""
        plain = Points.of(points)
        plain_parts = [] if any(attribute.alone for attribute in self.attributes) else [plain]
        steered, *rest = [*plain_parts, *filter(None, (attribute.make(plain) for attribute in self.attributes))]
        for extra in rest:
            steered = steered.joined(extra)
        return steered if plain_parts else replace(steered, subjects=plain.subjects)

    def before(self, partition: Callable[..., NDArray[np.int64]]) -> Callable[..., NDArray[np.int64]]:
        """Return the partitioner that steers first, for functions that take a partitioner, such as `blocked`.

        Examples
        --------
        >>> from shoal.partitioners import blocked, mdav
        >>> from shoal.steer import dependence
        >>> table, pay = [[0.0, 9.0], [0.1, 1.0], [5.0, 9.1], [5.1, 1.1]], [1.0, 2.0, 2.0, 1.0]
        >>> blocked(table, 2, blocks=[[0], [1]], partition=dependence(pay, 1.0).before(mdav)).tolist()
        [[0, 0], [1, 1], [1, 1], [0, 0]]
        """

        def steered(points: ArrayLike | Points, k: int, **options: Any) -> NDArray[np.int64]:
            return partition(self(points), k, **options)

        return steered


def require_records(count: int, points: Points, name: str) -> None:
    """Refuse an artificial attribute of other records."""
    if count != len(points):
        raise DataError(f"{name} has {count} records but the points have {len(points)}: they must match one to one")


def require_weight(weight: float) -> None:
    """Refuse a weight that is not a distance."""
    if not 0 <= weight < float("inf"):
        raise PlanError(f"weight must be a finite number of at least 0, not {weight!r}")


def position(weight: float) -> Steering:
    """Let records that stand near each other in the table share a group.

    Parameters
    ----------
    weight
        ω: positions span [0, ω], quasi-identifiers [0, 1]. 0 changes nothing.

    Returns
    -------
    Steering
        Adds the row number, scaled to [0, ω].

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section V uses it to keep the order of a stream; in a table it keeps whatever
    the order means, such as time.

    Examples
    --------
    >>> position(2.0)([[0.5], [0.5], [0.5]]).coords.tolist()
    [[0.5, 0.0], [0.5, 1.0], [0.5, 2.0]]
    """
    require_weight(weight)

    def make(points: Points) -> Points | None:
        return Points.of(unit_range(np.arange(len(points))) * weight) if weight else None

    return Steering((Artificial(make),))


def column(values: ArrayLike | Points, weight: float) -> Steering:
    """Let records that are alike in a column of your own share a group.

    Parameters
    ----------
    values
        (n,) or (n, c) numbers or dates, each column of which is scaled to [0, 1]; or `Points`, taken as they are, for
        ordinal and nominal columns.
    weight
        ω: the column spans [0, ω], quasi-identifiers [0, 1]. 0 changes nothing.

    Returns
    -------
    Steering
        Adds the column, scaled to [0, ω]. It takes no part in the release.

    Examples
    --------
    >>> column([10.0, 30.0, 20.0], 4.0)([[0.5], [0.5], [0.5]]).coords.tolist()
    [[0.5, 0.0], [0.5, 4.0], [0.5, 2.0]]
    """
    require_weight(weight)
    attributes = values if isinstance(values, Points) else Points.of(unit_range(finite_columns(values, "values")))

    def make(points: Points) -> Points | None:
        require_records(len(attributes), points, "values")
        return attributes.stretched(weight) if weight else None

    return Steering((Artificial(make),))


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
