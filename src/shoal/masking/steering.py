"""The artificial attributes that a plan asks for: columns to a steering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.frames import Mask
from shoal.kinds import Missing, Scale
from shoal.kinds.column import Column
from shoal.masking.inputs import Inputs
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.steer_tables import BucketSteer, ColumnSteer, PositionSteer
from shoal.points import Points
from shoal.steer import Steering, buckets, column, dependence, position


def kept_gaps(columns: Sequence[Column]) -> dict[str, Mask]:
    """Return where columns have gaps that are to stay, by name."""
    return {
        column.name: column.missing
        for column in columns
        if column.spec.missing is Missing.KEEP and column.missing is not None
    }


def beside_gaps(points: Points, columns: Sequence[Column], plan: Plan) -> Points:
    """Return points in which a gap that is to stay lies as far from a value as two values lie apart on average.

    A missing cell stands at the mean, one squared deviation from the values on average, while two values are two apart:
    the other one is a nominal coordinate, missing or not, with the weight of the column. Methods that take no nominal
    attribute do without.
    """
    gaps = kept_gaps(columns)
    if not gaps or not METHODS[plan.method].nominal:
        return points
    weights = [column.spec.weight for column in columns if column.name in gaps]
    codes = np.column_stack(list(gaps.values())).astype(np.int32)
    return points.joined(Points.build(codes=codes, code_weights=weights, code_levels=[2] * len(weights)))


def steering_of(inputs: Inputs, plan: Plan) -> Steering:
    """Return what the plan's ``[dependence]`` and ``[[steer]]`` tables add to the points; without them, nothing.

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
        yield dependence(_points_of(inputs, names), plan.dependence.weight)
    for table in plan.steer:
        match table:
            case PositionSteer():
                yield position(table.weight)
            case ColumnSteer():
                yield column(_points_of(inputs, [table.column], Scale.MINMAX), table.weight)
            case BucketSteer():
                points = _points_of(inputs, [table.column], Scale.MINMAX)
                # Numbers that sort as the column does; categories without an order sort as they are listed.
                values = (points.codes if points.has_nominal else points.numeric())[:, 0].astype(np.float64)
                yield buckets(values, table.weight, k=plan.k, t=table.t)


def _points_of(inputs: Inputs, names: Sequence[str], scale: Scale | None = None) -> Points:
    columns = [inputs.steering[name] for name in names]
    return inputs.steering_encoder(columns, scale=scale).apply(columns)
