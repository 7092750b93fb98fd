"""Blocks: the quasi-identifiers of a table as the plan divides them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column
from shoal.kinds import Kind
from shoal.partition import METHODS
from shoal.partition._blocks import make_blocks
from shoal.partition.axis import correlations
from shoal.plan import Plan
from shoal.plan.blocks import MadeBlocks, number_of_blocks
from shoal.run.inputs import Inputs


def attribute_blocks(inputs: Inputs, plan: Plan) -> tuple[tuple[Column, ...], ...]:
    """Return the columns that are masked together, block by block; one block of all where the plan says nothing."""
    columns = inputs.quasi_identifiers
    if METHODS[plan.method].attributes == "each":
        return tuple((column,) for column in columns)
    if plan.blocks is None:
        return (columns,)
    if isinstance(plan.blocks, MadeBlocks):
        made = make_blocks(_strengths(inputs), plan.blocks.make, number_of_blocks(plan))
        return tuple(tuple(columns[attribute] for attribute in block) for block in made)
    return tuple(tuple(inputs.columns[name] for name in block) for block in plan.blocks)


def _strengths(inputs: Inputs) -> NDArray[np.float64]:
    """Return the absolute correlation of each column with each; a nominal one has none."""
    columns = inputs.quasi_identifiers
    ordered = [i for i, column in enumerate(columns) if column.kind is not Kind.NOMINAL]
    strengths = np.zeros((len(columns), len(columns)))
    if ordered:
        table = np.column_stack([inputs.encoder.only([columns[i].name]).apply([columns[i]]).numeric() for i in ordered])
        strengths[np.ix_(ordered, ordered)] = np.abs(correlations(table))
    return strengths
