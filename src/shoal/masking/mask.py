"""Mask: every block of quasi-identifiers encoded, steered, grouped and averaged; one block is the usual case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.aggregate import Groups, mask
from shoal.classes import equivalence_classes
from shoal.encode import Column, to_frame_columns
from shoal.frames import FrameColumn, Table
from shoal.masking.attribute_blocks import Division
from shoal.masking.gaps import beside_gaps, keep_gaps
from shoal.masking.inputs import Inputs
from shoal.masking.mixing import mask_values
from shoal.masking.partition import Block, Partition
from shoal.masking.permutation import category_seed, permuted_columns
from shoal.masking.refinement import Refining
from shoal.masking.steering import steering_of
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.subject_grouping import group_block
from shoal.masking.totals import with_totals
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.points import Points
from shoal.pool import Progress, in_threads
from shoal.protect import asked


@dataclass(frozen=True, eq=False)
class Masked:
    """What masking gave.

    Parameters
    ----------
    columns
        Those that change, by name.
    partition
        How records were grouped.
    points
        The points that were grouped, where a guarantee asks for them once more.
    refining
        What refinement came to, where the plan asks for it.
    """

    columns: Mapping[str, FrameColumn]
    partition: Partition
    points: Points | None = None
    refining: Refining | None = None


@dataclass(eq=False)
class _Worker:
    """One block after the other, or several at once on a thread each."""

    division: Division
    inputs: Inputs
    plan: Plan
    watch: Stopwatch
    refining: Refining
    keep_points: bool
    secret: int
    points: Points | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.steering = steering_of(self.inputs, self.plan)

    def __call__(self, block: Sequence[Column], report: Progress) -> tuple[Block | None, list[Column]]:
        """Return the groups of a block, None where its values are mixed, and its masked columns."""
        inputs, plan, names = self.inputs, self.plan, tuple(column.name for column in block)
        if METHODS[plan.method].masks_values:
            with self.watch("mix"):
                return None, mask_values(block, self.division, inputs, plan, report)
        with self.watch("partition"):
            grouping, points = group_block(names, self._points_of, inputs, plan, self.refining, report)
        if self.keep_points:
            self.points = points
        del points  # the largest thing in memory
        made = Block(tuple(name for column in block for name in column.names), grouping.labels)
        if plan.release is ReleaseMode.PERMUTE:
            return made, []
        with self.watch("aggregate"):
            kept = keep_gaps(grouping, block, inputs, plan)
            made = Block(made.columns, kept.grouping.labels)
            return made, [
                kept.apply(self._masked(column, groups)) for column, groups in kept.grouping.of_columns(block)
            ]

    def _masked(self, column: Column, groups: Groups) -> Column:
        """Return a column with what stands for each group: the mean of its records, or of its subjects, each once."""
        inputs, variance = self.inputs, self.plan.preserve_variance
        if not inputs.once:
            return mask(column, groups, weights=inputs.weights, preserve_variance=variance, secret=self.secret)
        assert inputs.subjects is not None, "check_previous asked for them"
        there = np.ones(len(column), np.bool_) if column.missing is None else ~column.missing
        rows = inputs.subjects.rows_where(there)
        weights = None if inputs.weights is None else inputs.weights[rows]
        own = Groups(groups.labels[rows])
        masked = mask(column.take(rows), own, weights=weights, preserve_variance=variance, secret=self.secret)
        return masked.take(inputs.subjects.numbers)

    def _points_of(self, names: Sequence[str]) -> Points:
        """Return some columns as the points that are grouped."""
        with self.watch("encode"):
            columns = [self.inputs.columns[name] for name in names]
            points = beside_gaps(self.division.points_of(columns), columns, self.plan)
        with self.watch("steer"):
            return self.steering(points)


def mask_blocks(table: Table, inputs: Inputs, plan: Plan, watch: Stopwatch, progress: Progress | None) -> Masked:
    """Return the columns that change, and the groups.

    The table is the one that came in, which seeds a permutation; the inputs were read from it after recoding.

    Notes
    -----
    Blocks run on a thread pool, and only the blocks at work are points at a time. What steers the partition steers that
    of every block. Records share a label where they share the group of every block, or all their mixed values.
    """
    division = Division.of(inputs, plan)
    blocks = division.blocks
    refining = Refining(plan, inputs, passes=len(blocks) * (2 if inputs.constant else 1))
    keep_points = any(guarantee.keeps_points for guarantee in asked(plan.demand()))
    worker = _Worker(division, inputs, plan, watch, refining, keep_points, category_seed(table, plan))
    each = len(inputs.quasi_identifiers) if METHODS[plan.method].masks_values else len(blocks)
    parts = in_threads(worker, blocks, len(inputs) * each, progress)
    grouped = tuple(block for block, _ in parts if block is not None)
    columns = with_totals([column for _, masked in parts for column in masked], plan)
    if len(grouped) == 1:
        labels = grouped[0].labels
    elif grouped:
        labels = equivalence_classes([block.labels for block in grouped])
    else:
        labels = equivalence_classes([column.values.astype(np.float64, copy=False) for column in columns])
    if plan.release is ReleaseMode.PERMUTE:
        released = permuted_columns(table, labels, plan)
    else:
        released = {name: part for column in columns for name, part in to_frame_columns(column).items()}
    return Masked(released, Partition(grouped, labels), worker.points, refining if refining.is_asked else None)
