"""Groups of records whose subjects come back: what is constant of a subject is masked once for all its records.

A subject whose records carried two masked birth dates would be one of the few who have both. So the quasi-identifiers
that are the same in all records of a subject are averaged over groups of whole subjects, and the others inside such a
group, over records of at least k of its subjects. Every class then lies in one group of subjects, and holds k of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import Groups
from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Column
from shoal.masking.grouping import group_records
from shoal.masking.inputs import Inputs
from shoal.masking.refinement import Refining
from shoal.plan import Plan, ReleaseMode
from shoal.points import Points
from shoal.pool import Progress, half
from shoal.protect import GUARANTEES

ROOM = 2
"""Subjects of a group of subjects in which records are grouped again, as a multiple of k."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of a block.

    Parameters
    ----------
    labels
        The group of each record.
    of_subjects
        The group of each record's subject, where attributes are constant per subject: a union of groups of records.
    constant
        The columns that are averaged over groups of subjects.
    """

    labels: NDArray[np.int64]
    of_subjects: NDArray[np.int64] | None = None
    constant: frozenset[str] = frozenset()

    def of_columns(self, block: Sequence[Column]) -> Iterator[tuple[Column, Groups]]:
        """Return each column of the block with the groups it is averaged over."""
        groups = Groups(self.labels)
        whole = groups if self.of_subjects is None or self.of_subjects is self.labels else Groups(self.of_subjects)
        for column in block:
            yield column, whole if column.name in self.constant else groups


def group_block(
    names: tuple[str, ...],
    points_of: Callable[[tuple[str, ...]], Points],
    inputs: Inputs,
    plan: Plan,
    refining: Refining,
    progress: Progress,
) -> tuple[Grouping, Points]:
    """Group the records of a block of columns; return the groups, and the points of all columns."""
    points = points_of(names)
    if inputs.subjects is None:
        return Grouping(group_records(points, inputs, plan, progress, refining=refining)), points
    points = replace(points, subjects=inputs.subjects.numbers)
    # Quasi-identifiers that stay as they are have nothing to be masked once.
    constant = frozenset() if plan.release is ReleaseMode.PERMUTE else inputs.constant & set(names)
    if not constant:
        return Grouping(group_records(points, inputs, plan, progress, refining=refining)), points
    varying = tuple(name for name in names if name not in constant)
    average = subject_averages(points)
    if not varying or _merged_by_neighbours(inputs):
        labels = group_records(points, inputs, plan, progress, refining=refining, of_subjects=average)
        return Grouping(labels, labels, constant), points
    of_subjects = group_records(
        points,
        inputs,
        _with_room(inputs, plan),
        half(progress, 0, len(points)),
        refining=refining,
        of_subjects=average,
    )
    inside = replace(points_of(varying), subjects=inputs.subjects.numbers)
    labels = group_records(
        inside,
        replace(inputs, domains=of_subjects),
        plan,
        half(progress, len(points), len(points)),
        refining=refining,
    )
    return Grouping(labels, of_subjects, constant), points


def _with_room(inputs: Inputs, plan: Plan) -> Plan:
    """Return the plan for groups of subjects inside which records are grouped again: twice k, where there are as many.

    Notes
    -----
    Among exactly k subjects every class needs a record of each, so whoever has the fewest decides how many classes
    there are. Twice as many leave a choice: on the bundled example 23.7 instead of 33.3 % of the information are lost,
    with three times as many 23.6 %, and what is constant is lost more and more. The price: records of one subject stand
    in classes of different others (`shoal.measures.k_linked`).
    """
    domains = np.zeros(len(inputs), dtype=np.int64) if inputs.domains is None else equivalence_classes([inputs.domains])
    assert inputs.subjects is not None
    fewest = int(subjects_of_each(domains, inputs.subjects.numbers).min())
    return plan.replace(k=ROOM * plan.k) if fewest >= ROOM * plan.k else plan


def subject_averages(points: Points) -> Points:
    """Return one point per subject: the mean of its coordinates, the median of its ranks, the mode of its codes."""
    subjects, count = points.subjects, points.subject_count
    sizes = np.bincount(subjects, minlength=count)
    coords = np.empty((count, points.coords.shape[1]))
    for j in range(coords.shape[1]):
        column = points.coords[:, j]
        mean = np.bincount(subjects, column, count) / sizes
        # Rounding must not part subjects who are alike: what is constant stays what it is.
        first = np.empty(count)
        first[subjects] = column
        constant = np.ones(count, dtype=np.bool_)
        constant[subjects[column != first[subjects]]] = False
        coords[:, j] = np.where(constant, first, mean)
    ranks = [_median(subjects, points.ranks[:, j], sizes) for j in range(points.ranks.shape[1])]
    codes = [_mode(subjects, points.codes[:, j], count) for j in range(points.codes.shape[1])]
    return Points.build(
        coords=coords,
        ranks=np.column_stack(ranks) if ranks else None,
        rank_steps=points.rank_steps,
        rank_levels=points.rank_levels,
        rank_convex=points.rank_convex,
        codes=np.column_stack(codes) if codes else None,
        code_weights=points.code_weights,
        code_levels=points.code_levels,
    )


def _median(subjects: NDArray[np.int32], ranks: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the lower median of each subject's ranks."""
    order = np.lexsort((ranks, subjects))
    starts = np.cumsum(sizes) - sizes
    return np.asarray(ranks[order][starts + (sizes - 1) // 2])


def _mode(subjects: NDArray[np.int32], codes: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the most frequent code of each subject; of equally frequent ones, the lowest."""
    pairs, numbers = np.unique(np.column_stack([subjects, codes]), axis=0, return_counts=True)
    order = np.lexsort((-pairs[:, 1], numbers, pairs[:, 0]))  # the last of each subject wins
    mode = np.empty(count, dtype=np.int32)
    mode[pairs[order, 0]] = pairs[order, 1]
    return mode


def _merged_by_neighbours(inputs: Inputs) -> bool:
    """Whether a guarantee compares groups with the groups around them: it is asked of whole subjects' groups alone."""
    return any(own and GUARANTEES[name].merges_by_itself for name, own in inputs.rules.items())
