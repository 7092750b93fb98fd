"""The artificial attributes that a plan asks for: columns to a steering."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column, encode
from shoal.kinds import Scale
from shoal.plan import Plan
from shoal.plan.steering import BucketSteer, ColumnSteer, PositionSteer
from shoal.points import Points
from shoal.stages.inputs import Inputs
from shoal.steer import Steering, buckets, column, dependence, position


def steering_of(inputs: Inputs, plan: Plan) -> Steering:
    """Return what the plan's ``[dependence]`` and ``[[steer]]`` tables add to the points; without them, nothing.

    Notes
    -----
    Confidential attributes are compared as quasi-identifiers are: by the plan's scale, by rank or by equality (P3 with
    the distances of P0). Columns that steer span [0, ω] (P4 §III).
    """
    return sum(_parts(inputs, plan), Steering())


def _parts(inputs: Inputs, plan: Plan) -> Iterable[Steering]:
    names = plan.dependence_names()
    if plan.dependence is not None and names:
        yield dependence(encode([inputs.steering[name] for name in names], plan), plan.dependence.weight)
    for table in plan.steer:
        match table:
            case PositionSteer():
                yield position(table.weight)
            case ColumnSteer():
                yield column(_spread(inputs.steering[table.column], plan), table.weight)
            case BucketSteer():
                values = _order(_spread(inputs.steering[table.column], plan))
                yield buckets(values, table.weight, k=plan.k, t=table.t)


def _spread(given: Column, plan: Plan) -> Points:
    return encode([given], plan, scale=Scale.MINMAX)


def _order(points: Points) -> NDArray[np.float64]:
    """Return one attribute as numbers that sort as it does; categories without an order sort as they are listed."""
    numbers = points.codes if points.has_nominal else points.numeric()
    return numbers[:, 0].astype(np.float64)
