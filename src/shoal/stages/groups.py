"""Grouping: points to groups, block by block, inside each stratum on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.constrain import Closeness, k_first, repair, steered, t_first
from shoal.constrain._merge import as_settled
from shoal.constrain.neighbourhood import merge_near
from shoal.encode import Column, encode
from shoal.errors import GuaranteeError
from shoal.partition.registry import METHODS, options_of
from shoal.plan import Plan
from shoal.plan.blocks import waived
from shoal.plan.protections import ClosenessMethod, ClosenessSection, Strata
from shoal.points import Points
from shoal.pool import Progress, in_threads
from shoal.run.release import Block, Partition
from shoal.stages.demands import Demands
from shoal.stages.inputs import Inputs
from shoal.stages.steering import steering_of


def group_records(points: Points, inputs: Inputs, plan: Plan, progress: Progress | None) -> Partition:
    """Partition the records, separately inside each value of ``by`` where the plan names one.

    Notes
    -----
    Distances are those of the whole table: strata share one scale. Strata run on a thread pool, the kernels
    release the interpreter; labels are numbered stratum after stratum, in the order strata first appear.
    """
    labels = _labels(points, inputs, plan, progress)
    return Partition((_block(inputs.quasi_identifiers, labels),), labels)


def group_blocks(
    blocks: Sequence[Sequence[Column]], inputs: Inputs, plan: Plan, progress: Progress | None
) -> Partition:
    """Partition the records once for each block of columns; records share a label where they share every group.

    Notes
    -----
    Blocks run on a thread pool, and only the blocks at work are points at a time. What steers the partition steers that
    of every block.
    """
    steering = steering_of(inputs, plan)

    def work(block: Sequence[Column], report: Progress) -> NDArray[np.int64]:
        return _labels(steering(encode(block, plan)), inputs, plan, report)

    parts = in_threads(work, blocks, len(inputs) * len(blocks), progress)
    return Partition(tuple(_block(block, part) for block, part in zip(blocks, parts, strict=True)), alike(parts))


def alike(columns: Sequence[NDArray[np.int64] | NDArray[np.float64]]) -> NDArray[np.int64]:
    """Number the groups of records that agree in every column, in the order of their first records."""
    labels = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if labels[-1] == len(labels) - 1:
            break  # every record is alone already
        labels = _core.split_classes(labels, column)
    return labels


def _block(columns: Sequence[Column], labels: NDArray[np.int64]) -> Block:
    return Block(tuple(column.name for column in columns), labels)


def _labels(points: Points, inputs: Inputs, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    if inputs.strata is None:
        return _partition(points, plan, inputs.demands, progress)
    return _partition_strata(points, inputs.strata, plan, inputs.demands, progress)


def _partition(points: Points, plan: Plan, demands: Demands, progress: Progress | None) -> NDArray[np.int64]:
    if plan.closeness is not None and plan.closeness.method is not ClosenessMethod.MERGE:
        labels = _close_groups(points, plan, plan.closeness, demands.closeness, progress)
        if waived(plan) == "t_closeness":
            demands = replace(demands, closeness=())
    else:
        method = METHODS[plan.method]
        labels = method.partition(points, plan.k, progress=progress, **options_of(plan.method, plan))
    return repaired(points, labels, demands, as_settled(progress, len(points)))


def _close_groups(
    points: Points, plan: Plan, section: ClosenessSection, rules: Sequence[Closeness], progress: Progress | None
) -> NDArray[np.int64]:
    k, attributes, t = plan.k, [rule.attribute for rule in rules], [rule.t for rule in rules]
    match section.method:
        case ClosenessMethod.K_FIRST:
            return k_first(points, attributes, k=k, t=t, progress=progress)
        case ClosenessMethod.STEERED:
            return steered(
                points, attributes, k=k, t=t, weight=section.weight, guarantee=plan.guarantee, progress=progress
            )
        case _:
            stratify: int | Literal["all"] = "all" if section.strata is Strata.ALL else 0
            return t_first(points, attributes, k=k, t=t, stratify=stratify, progress=progress)


def repaired(
    points: Points, labels: NDArray[np.int64], demands: Demands, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Merge groups until they keep all demands.

    Raises
    ------
    GuaranteeError
        Not even all records together do.
    """
    if demands.near is None:
        return repair(points, labels, demands.rules, progress=progress) if demands else labels
    # Merging for diversity moves neighbourhoods, so it takes turns with merging for closeness until neither merges.
    while True:
        near = merge_near(points, labels, demands.closeness, demands.near, progress=progress)
        diverse = repair(points, near, demands.diversity, progress=progress) if demands.diversity else near
        if diverse.max() == near.max():
            return near
        labels = diverse


def _partition_strata(
    points: Points, strata: NDArray[np.int64], plan: Plan, demands: Demands, progress: Progress | None
) -> NDArray[np.int64]:
    rows_of = strata_rows(strata)

    def work(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        try:
            return _partition(points.take(rows), plan, demands.take(rows), report)
        except GuaranteeError as error:
            raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None

    parts = in_threads(work, rows_of, len(points), progress)
    labels = np.empty(len(points), dtype=np.int64)
    offset = 0
    for rows, part in zip(rows_of, parts, strict=True):
        labels[rows] = part + offset
        offset += int(part.max()) + 1
    return labels


def strata_rows(strata: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the rows of each stratum, strata in the order they first appear, rows in theirs."""
    _, first, inverse, sizes = np.unique(strata, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    parts = np.split(order, np.cumsum(sizes)[:-1])
    return [parts[i] for i in np.argsort(first, kind="stable")]
