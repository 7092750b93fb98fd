"""Artificial attributes of any origin: the position in the table, or a column the user brings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from shoal.points import Points
from shoal.scaling import finite_columns, unit_range
from shoal.steer.steering import Artificial, Steering, require_records, require_weight


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
