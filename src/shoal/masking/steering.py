"""The artificial attributes that a plan asks for: columns to a steering."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Scale
from shoal.masking.gaps import beside_gaps
from shoal.masking.inputs import Inputs
from shoal.plan import Plan
from shoal.plan.steer_tables import BucketSteer, ColumnSteer, PositionSteer
from shoal.points import Points
from shoal.steer import Steering, buckets, column, dependence, position


def steering_of(inputs: Inputs, plan: Plan) -> Steering:
    """Return what the plan's ``[dependence]`` and ``[[steer]]`` tables add to the points; without them, nothing.

    Notes
    -----
    Confidential attributes are compared as quasi-identifiers are: by the plan's scale, by rank or by equality
    (Rebollo-Monedero et al. 2016, with the distances of Domingo-Ferrer and Torra 2005). Columns that steer span [0, ω]
    (Domingo-Ferrer and Soria-Comas 2017, section III).
    """
    return sum(_parts(inputs, plan), Steering())


def steered_points(inputs: Inputs, plan: Plan) -> Points:
    """Return the points of all quasi-identifiers, as they are grouped where they form one block."""
    columns = inputs.quasi_identifiers
    return steering_of(inputs, plan)(beside_gaps(inputs.encoder.apply(columns), columns, plan))


def _parts(inputs: Inputs, plan: Plan) -> Iterable[Steering]:
    names = plan.dependence_names()
    if plan.dependence is not None and names:
        columns = [inputs.steering[name] for name in names]
        encoder = inputs.steering_encoder(columns)
        yield dependence(encoder.apply(columns), plan.dependence.weight)
    for table in plan.steer:
        match table:
            case PositionSteer():
                yield position(table.weight)
            case ColumnSteer():
                yield column(_on_unit_range(inputs, table.column), table.weight)
            case BucketSteer():
                values = _order(_on_unit_range(inputs, table.column))
                yield buckets(values, table.weight, k=plan.k, t=table.t)


def _on_unit_range(inputs: Inputs, name: str) -> Points:
    columns = [inputs.steering[name]]
    return inputs.steering_encoder(columns, scale=Scale.MINMAX).apply(columns)


def _order(points: Points) -> NDArray[np.float64]:
    """Return one attribute as numbers that sort as it does; categories without an order sort as they are listed."""
    numbers = points.codes if points.has_nominal else points.numeric()
    return numbers[:, 0].astype(np.float64)
