"""Division: the quasi-identifiers of a table in the blocks that the plan asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.encode import Column, encode
from shoal.kinds import Kind
from shoal.partition._blocks import make_blocks
from shoal.partition.axis import correlations
from shoal.partition.registry import METHODS
from shoal.plan import Plan
from shoal.plan.blocks import MadeBlocks, number_of_blocks


def attribute_blocks(columns: Sequence[Column], plan: Plan) -> tuple[tuple[Column, ...], ...]:
    """Return the columns that are masked together, block by block; one block of all where the plan says nothing."""
    if METHODS[plan.method].attributes == "each":
        return tuple((column,) for column in columns)
    if plan.blocks is None:
        return (tuple(columns),)
    if isinstance(plan.blocks, MadeBlocks):
        made = make_blocks(_strengths(columns, plan), plan.blocks.make, number_of_blocks(plan))
        return tuple(tuple(columns[attribute] for attribute in block) for block in made)
    by_name = {column.name: column for column in columns}
    return tuple(tuple(by_name[name] for name in block) for block in plan.blocks)


def _strengths(columns: Sequence[Column], plan: Plan) -> np.ndarray:
    """Return the absolute correlation of each column with each; a nominal one has none."""
    ordered = [i for i, column in enumerate(columns) if column.kind is not Kind.NOMINAL]
    strengths = np.zeros((len(columns), len(columns)))
    if ordered:
        table = np.column_stack([encode([columns[i]], plan).numeric() for i in ordered])
        strengths[np.ix_(ordered, ordered)] = np.abs(correlations(table))
    return strengths
