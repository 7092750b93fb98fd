"""Mask: every block of quasi-identifiers encoded, steered, grouped and averaged; one block is the usual case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import Groups, mask, permute_within
from shoal.classes import equivalence_classes
from shoal.frames import FrameColumn, Rows, Table
from shoal.kinds import Operator
from shoal.kinds.column import Column
from shoal.kinds.registry import to_frame_columns
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.grouping import Grouper, merge_groups
from shoal.masking.inputs import Inputs
from shoal.masking.kept_gaps import keep_gaps
from shoal.masking.refinement import Refiner, required_rules
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.totals import with_totals
from shoal.masking.value_methods import mask_values
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.points import Points
from shoal.pool import in_threads
from shoal.progress import Progress
from shoal.protect import GUARANTEES, released_classes


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that were partitioned together, and the group of each record."""

    columns: tuple[str, ...]
    labels: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Partition:
    """How records were grouped: in one block of all quasi-identifiers, in several, or in none where values were mixed.

    ``labels`` is the group of each record; with several blocks, records share one when they do in every block; with
    none, when all their masked values are equal.
    """

    blocks: tuple[Block, ...]
    labels: NDArray[np.int64] = field(repr=False)

    def take(self, rows: NDArray[np.int64]) -> Partition:
        """Return the partition of other rows, or of the same in another order."""
        return Partition(tuple(Block(block.columns, block.labels[rows]) for block in self.blocks), self.labels[rows])


@dataclass(frozen=True, eq=False)
class Masking:
    """What masking gave."""

    columns: Mapping[str, FrameColumn]  # those that change, by name
    partition: Partition  # how records were grouped
    points: Points | None = None  # the points that were grouped, where a guarantee asks for them once more
    refiner: Refiner | None = None  # what refinement came to, where the plan asks for it


@dataclass(frozen=True, eq=False)
class _MaskedBlock:
    """The masked columns of a block, its groups unless values are mixed, and the points they were formed by."""

    columns: Sequence[Column]
    groups: Block | None = None
    points: Points | None = None


def mask_table(
    original: Table, inputs: Inputs, plan: Plan, watch: Stopwatch | None = None, progress: Progress | None = None
) -> Masking:
    """Return the columns that change, and the groups; the original seeds permutations and the choice among categories.

    Blocks run on a thread pool, and only the blocks at work are points at a time. What steers the partition steers that
    of every block. Records share a label where they share the group of every block, or all their mixed values.
    """
    watch = watch or Stopwatch()
    blocks = AttributeBlocks.of(inputs, plan)
    refiner = Refiner(plan, inputs, passes=len(blocks.blocks) * (2 if inputs.constant else 1))
    grouper = Grouper(inputs, plan, blocks, refiner, watch)
    secret = _category_seed(original, plan)
    mixes_values = METHODS[plan.method].masks_values

    def mask_block(block: Sequence[Column], report: Progress) -> _MaskedBlock:
        if mixes_values:
            with watch("mix"):
                return _MaskedBlock(mask_values(block, blocks, inputs, plan, report))
        with watch("partition"):
            grouping = grouper.group(block, report)
        names = tuple(name for column in block for name in column.names)
        if plan.release is ReleaseMode.PERMUTE:
            return _MaskedBlock((), Block(names, grouping.labels), grouping.points)
        with watch("aggregate"):
            grouping = keep_gaps(grouping, block, inputs, plan)
            columns = [
                grouping.with_gaps(_average(column, groups, inputs, plan, secret))
                for column, groups in grouping.of_columns(block)
            ]
        return _MaskedBlock(columns, Block(names, grouping.labels), grouping.points)

    rounds = len(inputs.quasi_identifiers) if mixes_values else len(blocks.blocks)
    masked = in_threads(mask_block, blocks.blocks, len(inputs) * rounds, progress)
    columns = with_totals([column for each in masked for column in each.columns], plan)
    partition = _partition([each.groups for each in masked if each.groups is not None], columns)
    if plan.release is ReleaseMode.PERMUTE:
        # A permutation is only as secret as its seed, and the plan's may be published: who has the quasi-identifiers
        # could form the groups again and shuffle back. So the original table itself seeds it.
        secret = original.secret(f"permutation {plan.seed}")
        changes: Mapping[str, FrameColumn] = dict.fromkeys(
            plan.changed_names(), Rows(permute_within(partition.labels, secret))
        )
    else:
        changes = {name: part for column in columns for name, part in to_frame_columns(column).items()}
    return Masking(changes, partition, masked[-1].points, refiner if refiner.is_asked else None)


def _average(column: Column, groups: Groups, inputs: Inputs, plan: Plan, secret: int) -> Column:
    """Return a column with what stands for each group: the mean of its records, or of its subjects, each once."""
    if not inputs.once:
        return mask(column, groups, weights=inputs.weights, preserve_variance=plan.preserve_variance, secret=secret)
    assert inputs.subjects is not None, "check_previous asked for them"
    present = np.ones(len(column), np.bool_) if column.missing is None else ~column.missing
    rows = inputs.subjects.rows_where(present)
    masked = mask(
        column.take(rows),
        Groups(groups.labels[rows]),
        weights=None if inputs.weights is None else inputs.weights[rows],
        preserve_variance=plan.preserve_variance,
        secret=secret,
    )
    return masked.take(inputs.subjects.numbers)


def _category_seed(original: Table, plan: Plan) -> int:
    """Return the secret number that categories of groups are drawn by, where any are; 0 elsewhere."""
    operators = {plan.attributes[name].operator for name in plan.names(Role.QUASI_IDENTIFIER)}
    if plan.release is ReleaseMode.PERMUTE or not operators & {Operator.MODE, Operator.DRAW, Operator.MEDOID}:
        return 0
    return original.secret(f"categories {plan.seed}")


def _partition(blocks: Sequence[Block], columns: Sequence[Column]) -> Partition:
    """Return how records are grouped over all blocks, or by their mixed values where there are none."""
    if len(blocks) == 1:
        labels = blocks[0].labels
    elif blocks:
        labels = equivalence_classes([block.labels for block in blocks])
    else:
        labels = equivalence_classes([column.values.astype(np.float64, copy=False) for column in columns])
    return Partition(tuple(blocks), labels)


def domain_column(inputs: Inputs, plan: Plan) -> Mapping[str, FrameColumn]:
    """Return ``by`` with one cell for each of its values, by name, where it leaves.

    Equal values may still look different: -0.0 and 0.0, NaN and null. The records of a domain are checked as alike, so
    they must not be told apart by that.
    """
    if plan.by is None or inputs.domains is None or plan.by in plan.changed_names():
        return {}
    _, first, domain = np.unique(inputs.domains, return_index=True, return_inverse=True)
    return {plan.by: Rows(first[domain])}


def coarser_groups(table: Table, masking: Masking, inputs: Inputs, plan: Plan) -> NDArray[np.int64] | None:
    """Return coarser groups that keep the rules where the classes that would leave do not; None where they do.

    Rounding, medians and modes may give two groups the same values, and groups whose released values are equal are one
    class. A class of several groups keeps what each of them does, but for a guarantee that compares groups with those
    around them: it must look at classes, as whoever judges it will. Classes are numbered as they are when they are
    judged: among equally near ones the number decides which are around a class.
    """
    required = required_rules(inputs.rules, plan)
    if plan.release is ReleaseMode.PERMUTE or not any(GUARANTEES[name].merges_by_itself for name in required):
        return None
    released = Table.of(table.replace({**masking.columns, **domain_column(inputs, plan)}))
    classes = released_classes(released, plan.demand())
    assert masking.points is not None, "points are kept for a guarantee that asks for them"
    merged = merge_groups(masking.points, classes, inputs, plan)
    return None if merged.max() == classes.max() else merged


def unchanged_sentence(groups: Mapping[str, Any]) -> str | None:
    """Say what a manifest's counts of groups say of those that came out unchanged; nothing where there are none."""
    unchanged, count = groups.get("unchanged", 0), groups["count"]
    if not unchanged:
        return None
    return (
        f"{unchanged:,} of {count:,} groups came out unchanged, by chance or because all their records have the same "
        "confidential values"
    )
