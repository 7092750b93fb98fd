"""The columns that leave: masked quasi-identifiers, or permuted confidential records."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.aggregate._mask import mask, rounds
from shoal.aggregate.groups import Groups
from shoal.aggregate.permute import permute_within
from shoal.encode import Column
from shoal.frames import Categories, Instants, Numbers, Rows, Table
from shoal.frames import Column as FrameColumn
from shoal.kinds import Kind
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.run.release import Partition
from shoal.stages.inputs import Inputs


def changed_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns whose released values are not the original ones, row by row."""
    return plan.names(Role.CONFIDENTIAL if plan.release is ReleaseMode.PERMUTE else Role.QUASI_IDENTIFIER)


def released_columns(table: Table, inputs: Inputs, partition: Partition, plan: Plan) -> Mapping[str, FrameColumn]:
    """Return the columns that differ from the original table, by name."""
    if plan.release is ReleaseMode.PERMUTE:
        # A permutation is only as secret as its seed, and the plan's may be published: who has the quasi-identifiers
        # could form the groups again and shuffle back. So the original table itself seeds it.
        secret = table.secret(f"permutation {plan.seed}")
        source = Rows(permute_within(partition.labels, secret))
        return dict.fromkeys(changed_columns(plan), source)
    columns = {column.name: column for column in inputs.quasi_identifiers}
    released: dict[str, FrameColumn] = {}
    for block in partition.blocks:
        groups = Groups(block.labels)
        for name in block.columns:
            released[name] = to_frame_column(mask(columns[name], groups, plan, inputs.weights), plan)
    return released


def stratum_column(inputs: Inputs, plan: Plan) -> Mapping[str, FrameColumn]:
    """Return ``by`` with one cell for each stratum, by name, where it leaves.

    Equal values may still look different: -0.0 and 0.0, NaN and null. The records of a stratum are checked as alike, so
    they must not be told apart by that.
    """
    if plan.by is None or inputs.strata is None or plan.by in changed_columns(plan):
        return {}
    _, first, stratum = np.unique(inputs.strata, return_index=True, return_inverse=True)
    return {plan.by: Rows(first[stratum])}


def to_frame_column(column: Column, plan: Plan) -> FrameColumn:
    """Turn masked values back into what the frame understands: numbers, dates, labels."""
    if column.kind is Kind.NUMERIC:
        values = column.values if column.missing is None else np.where(column.missing, np.nan, column.values)
        return Numbers(values, column.missing, whole=column.whole and rounds(column, plan))
    if column.kind is Kind.DATE:
        return Instants(column.values.astype(np.int64) + column.origin, column.unit, column.missing)
    codes = column.values
    if column.missing is not None:
        codes = np.where(column.missing, np.int32(-1), codes)
    labels = column.levels
    if None in labels:
        # The category of missing cells leaves as missing.
        absent = labels.index(None)
        codes = np.where(codes == absent, np.int32(-1), np.where(codes > absent, codes - 1, codes)).astype(np.int32)
        labels = tuple(label for label in labels if label is not None)
    return Categories(codes, labels, scale=column.kind is Kind.ORDINAL)
