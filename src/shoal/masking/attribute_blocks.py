"""Attribute blocks: the quasi-identifiers of a table in the blocks that the plan asks for, each column encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Encoder
from shoal.errors import PlanError
from shoal.kinds.column import Column
from shoal.masking.inputs import Inputs
from shoal.partitioners import METHODS, make_blocks
from shoal.partitioners.axis import correlations
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute_blocks import MadeBlocks, number_of_blocks
from shoal.points import Points


@dataclass(frozen=True, eq=False)
class AttributeBlocks:
    """The columns that are masked together, block by block."""

    blocks: tuple[tuple[Column, ...], ...]  # one block of all where the plan says nothing
    encoder: Encoder  # how the columns become points
    encoded: Points | None = None  # the points of all columns, where correlations had to be known to divide them

    @classmethod
    def of(cls, inputs: Inputs, plan: Plan) -> AttributeBlocks:
        """Divide the quasi-identifiers of a table."""
        columns, encoder = inputs.quasi_identifiers, inputs.encoder
        if METHODS[plan.method].attributes == "each":
            return cls(tuple((column,) for column in columns), encoder)
        if plan.blocks is None:
            return cls((columns,), encoder)
        if isinstance(plan.blocks, MadeBlocks):
            encoded = encoder.apply(columns)
            strengths = _strengths(encoded, encoder.places([column.name for column in columns]))
            made = make_blocks(strengths, plan.blocks.make, number_of_blocks(plan))
            return cls(tuple(tuple(columns[i] for i in block) for block in made), encoder, encoded)
        return cls(tuple(tuple(inputs.columns[name] for name in block) for block in plan.blocks), encoder)

    def points_of(self, block: Sequence[Column]) -> Points:
        """Return some of the columns as points."""
        names = [column.name for column in block]
        if self.encoded is not None:
            return self.encoded.select([place for span in self.encoder.places(names) for place in span])
        return self.encoder.only(names).apply(block)


def require_groups(plan: Plan) -> None:
    """Refuse plans whose releases have no groups of records that share all their values."""
    if plan.release is ReleaseMode.PERMUTE:
        raise PlanError('a model masks new records by the values of groups, and release = "permute" changes none')
    if METHODS[plan.method].masks_values or METHODS[plan.method].attributes == "each" or plan.blocks is not None:
        raise PlanError(
            "a model masks new records by groups of whole records, and this plan has none: choose a method such as "
            "mdav, and leave blocks out"
        )


def _strengths(points: Points, places: Sequence[range]) -> NDArray[np.float64]:
    """Return the absolute correlation of each column with each, of several coordinates the strongest.

    A nominal column has none.
    """
    numbers = points.numeric()
    ordered = [i for i, span in enumerate(places) if span.stop <= numbers.shape[1]]
    strengths = np.zeros((len(places), len(places)))
    if ordered:
        coordinates = [place for i in ordered for place in places[i]]
        owners = np.array([i for i in ordered for _ in places[i]])
        absolute = np.abs(correlations(numbers[:, coordinates]))
        np.maximum.at(strengths, (owners[:, None], owners[None, :]), absolute)
    return strengths
