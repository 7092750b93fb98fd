"""Value methods: the masked columns of a block whose values are mixed, so that there are no groups of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import adjust
from shoal.errors import GuaranteeError
from shoal.kinds.categories import Categorical
from shoal.kinds.column import Column
from shoal.kinds.numeric import Continuous
from shoal.kinds.registry import Encoded
from shoal.labels import rows_of_each
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.inputs import Inputs
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.points import Points
from shoal.progress import Progress


def mask_values(
    block: Sequence[Column], division: AttributeBlocks, inputs: Inputs, plan: Plan, progress: Progress
) -> list[Column]:
    """Mask the values of a block together, those of each domain by themselves.

    Values are mixed as coordinates, by the plan's scale; ordinal ones by rank. A masked rank goes to the nearest
    category, a date to the nearest of its units. A missing cell takes part at the mean or median, and leaves with a
    value like every other. Where records have subjects, a run takes values of k of them, and a value that is the same
    in all records of a subject takes part once.
    """
    encoder = division.encoder.only([column.name for column in block])
    places = np.empty((len(inputs), len(block)), order="F")
    for j, column in enumerate(block):
        places[:, j] = division.points_of([column]).numeric()[:, 0]
    places = _mixed(places, [column.name in inputs.constant for column in block], inputs, plan, progress)
    pairs = zip(encoder.attributes, block, places.T, strict=True)
    return [_back(attribute, column, coordinates, plan) for attribute, column, coordinates in pairs]


def _mixed(
    places: NDArray[np.float64], constant: Sequence[bool], inputs: Inputs, plan: Plan, progress: Progress
) -> NDArray[np.float64]:
    subjects = None if inputs.subjects is None else inputs.subjects.numbers
    if inputs.domains is None:
        return _mixed_together(places, constant, subjects, plan, progress)
    done = 0
    for rows in rows_of_each(inputs.domains):
        part = places[rows]
        if subjects is None and part.size < plan.k:
            raise GuaranteeError(
                f"by = {plan.by!r} has a value with fewer than k = {plan.k} values to mix, {part.size}: lower k, "
                "merge its values, or leave by out",
                reached=part.size,
            )
        places[rows] = _mixed_together(part, constant, None if subjects is None else subjects[rows], plan, None)
        done += part.size
        progress(done, places.size)
    return places


def _mixed_together(
    places: NDArray[np.float64],
    constant: Sequence[bool],
    subjects: NDArray[np.int32] | None,
    plan: Plan,
    progress: Progress | None,
) -> NDArray[np.float64]:
    """Mix values, or those of k subjects: of a column that is constant per subject, once for each."""
    mix, options = METHODS[plan.method].partition, {"progress": progress, **plan.method_options()}
    if subjects is None:
        return mix(places, plan.k, **options)
    _, first, whose = np.unique(subjects, return_index=True, return_inverse=True)
    taken = [places[first if once else slice(None), j] for j, once in enumerate(constant)]
    about = [subjects[first] if once else subjects for once in constant]
    line = Points.of(np.concatenate(taken)).about(np.concatenate(about))
    parts = np.split(mix(line, plan.k, **options)[:, 0], np.cumsum([len(values) for values in taken])[:-1])
    return np.column_stack([part[whose] if once else part for part, once in zip(parts, constant, strict=True)])


def _back(attribute: Encoded, column: Column, places: NDArray[np.float64], plan: Plan) -> Column:
    """Turn masked coordinates of a column into its values."""
    assert isinstance(attribute, Continuous | Categorical), "the plan refuses columns that are no single number"
    if isinstance(attribute, Continuous):
        values = attribute.scaling.back(places)
        each = np.ones(len(values), dtype=np.int64)
        masked = adjust(values, each, column, preserve_variance=plan.preserve_variance)
        return replace(column, values=masked, missing=None)
    ranks = np.clip(np.rint(places * attribute.count), 0, max(0, len(attribute.levels) - 1))
    return replace(column, values=ranks.astype(np.int32), missing=None)
