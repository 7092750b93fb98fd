"""Mixing: the masked columns of a value method, which has no groups of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import finish
from shoal.encode import Column, encode
from shoal.encode.coordinates import scaling_of
from shoal.errors import GuaranteeError
from shoal.frames import Column as FrameColumn
from shoal.kinds import CONTINUOUS
from shoal.partition.registry import METHODS, options_of
from shoal.plan import Plan
from shoal.pool import Progress, in_threads
from shoal.run.release import Partition
from shoal.stages.blocks import attribute_blocks
from shoal.stages.groups import alike, strata_rows
from shoal.stages.inputs import Inputs
from shoal.stages.released import to_frame_column


def mix_records(
    inputs: Inputs, plan: Plan, progress: Callable[[int, int], None] | None
) -> tuple[Mapping[str, FrameColumn], Partition]:
    """Mask the values of the quasi-identifiers together, those of each block and stratum by themselves.

    Returns
    -------
    columns, partition
        The masked columns by name; records share a label where all their masked values are equal.

    Notes
    -----
    Values are mixed as coordinates, by the plan's scale; ordinal ones by rank. A masked rank goes to the nearest
    category, a date to the nearest of its units. A missing cell takes part at the mean or median, and leaves with a
    value like every other.
    """
    blocks = attribute_blocks(inputs.quasi_identifiers, plan)

    def work(block: Sequence[Column], report: Progress) -> list[Column]:
        return _mix(block, inputs.strata, plan, report)

    parts = in_threads(work, blocks, len(inputs) * len(inputs.quasi_identifiers), progress)
    columns = [column for part in parts for column in part]
    labels = alike([column.values.astype(np.float64, copy=False) for column in columns])
    return {column.name: to_frame_column(column, plan) for column in columns}, Partition((), labels)


def _mix(block: Sequence[Column], strata: NDArray[np.int64] | None, plan: Plan, report: Progress) -> list[Column]:
    """Mask one block."""
    places = np.empty((len(block[0]), len(block)), order="F")
    for j, column in enumerate(block):
        places[:, j] = encode([column], plan).numeric()[:, 0]
    method = METHODS[plan.method]
    options = options_of(plan.method, plan)
    if strata is None:
        places = method.partition(places, plan.k, progress=report, **options)
    else:
        done = 0
        for rows in strata_rows(strata):
            part = places[rows]
            if part.size < plan.k:
                raise GuaranteeError(
                    f"by = {plan.by!r} has a value with fewer than k = {plan.k} values to mix, {part.size}: lower k, "
                    "merge its values, or leave by out",
                    reached=part.size,
                )
            places[rows] = method.partition(part, plan.k, **options)
            done += part.size
            report(done, places.size)
    return [_back(column, places[:, j], plan) for j, column in enumerate(block)]


def _back(column: Column, places: NDArray[np.float64], plan: Plan) -> Column:
    """Turn masked coordinates of a column into its values."""
    if column.kind in CONTINUOUS:
        values = scaling_of(column, column.attribute.scale or plan.scale).back(places)
        each = np.ones(len(values), dtype=np.int64)
        return replace(column, values=finish(values, each, column, plan), missing=None)
    ranks = np.clip(np.rint(places * max(1, len(column.levels))), 0, max(0, len(column.levels) - 1))
    return replace(column, values=ranks.astype(np.int32), missing=None)
