"""Value methods: the masked columns of a block whose values are mixed, so that there are no groups of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import adjust
from shoal.encode import Column
from shoal.encode.encoder import Categorical, Continuous
from shoal.errors import GuaranteeError
from shoal.labels import rows_of_each
from shoal.partition import METHODS
from shoal.plan import Plan
from shoal.pool import Progress
from shoal.run.division import Division
from shoal.run.inputs import Inputs


def mask_values(
    block: Sequence[Column], division: Division, inputs: Inputs, plan: Plan, progress: Progress
) -> list[Column]:
    """Mask the values of a block together, those of each domain by themselves.

    Notes
    -----
    Values are mixed as coordinates, by the plan's scale; ordinal ones by rank. A masked rank goes to the nearest
    category, a date to the nearest of its units. A missing cell takes part at the mean or median, and leaves with a
    value like every other.
    """
    encoder = division.encoder.only([column.name for column in block])
    places = np.empty((len(inputs), len(block)), order="F")
    for j, column in enumerate(block):
        places[:, j] = division.points_of([column]).numeric()[:, 0]
    places = _mixed(places, inputs.domains, plan, progress)
    learnt = zip(encoder.attributes, block, strict=True)
    return [_back(attribute, column, places[:, j], plan) for j, (attribute, column) in enumerate(learnt)]


def _mixed(
    places: NDArray[np.float64], domains: NDArray[np.int64] | None, plan: Plan, progress: Progress
) -> NDArray[np.float64]:
    mix, options = METHODS[plan.method].partition, plan.method_options()
    if domains is None:
        mixed: NDArray[np.float64] = mix(places, plan.k, progress=progress, **options)
        return mixed
    done = 0
    for rows in rows_of_each(domains):
        part = places[rows]
        if part.size < plan.k:
            raise GuaranteeError(
                f"by = {plan.by!r} has a value with fewer than k = {plan.k} values to mix, {part.size}: lower k, "
                "merge its values, or leave by out",
                reached=part.size,
            )
        places[rows] = mix(part, plan.k, **options)
        done += part.size
        progress(done, places.size)
    return places


def _back(attribute: Continuous | Categorical, column: Column, places: NDArray[np.float64], plan: Plan) -> Column:
    """Turn masked coordinates of a column into its values."""
    if isinstance(attribute, Continuous):
        values = attribute.scaling.back(places)
        each = np.ones(len(values), dtype=np.int64)
        masked = adjust(values, each, column, preserve_variance=plan.preserve_variance)
        return replace(column, values=masked, missing=None)
    ranks = np.clip(np.rint(places * attribute.count), 0, max(0, len(attribute.levels) - 1))
    return replace(column, values=ranks.astype(np.int32), missing=None)
