"""Grouping: the records of a block of columns in groups that keep every rule, inside each domain on their own.

A subject whose records carried two masked birth dates would be one of the few who have both. So the quasi-identifiers
that are the same in all records of a subject are averaged over groups of whole subjects, and the others inside such a
group, over records of at least k of its subjects. Every class then lies in one group of subjects, and holds k of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import Groups
from shoal.classes import equivalence_classes, subjects_of_each
from shoal.constrain import repair
from shoal.errors import GuaranteeError
from shoal.frames import Mask
from shoal.kinds.column import Column
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.average_points import subject_averages
from shoal.masking.inputs import Inputs
from shoal.masking.refinement import Refiner, Rules, required_rules
from shoal.masking.steering import beside_gaps, steering_of
from shoal.masking.stopwatch import Stopwatch
from shoal.partitioners import METHODS
from shoal.partitioners.method import partition_each
from shoal.plan import Plan, ReleaseMode
from shoal.plan.registered_keys import CLOSENESS, options_of, way_of
from shoal.points import Points
from shoal.pool import completing, half
from shoal.progress import Progress
from shoal.protect import GUARANTEES, asked
from shoal.protect.rules import of_records
from shoal.steer import Steering

Labels = NDArray[np.int64]

ROOM = 2
"""Subjects of a group of subjects in which records are grouped again, as a multiple of k."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of a block."""

    labels: Labels  # the group of each record
    # the group of each record's subject, a union of groups of records; the same where no attribute is constant of it
    of_subjects: Labels
    constant: frozenset[str] = frozenset()  # the columns that are averaged over groups of subjects
    points: Points | None = None  # the points that were grouped, where a guarantee asks for them once more
    # the cells that leave missing, by column; columns without gaps to keep lack
    gaps: Mapping[str, Mask] = field(default_factory=dict)

    def of_columns(self, block: Sequence[Column]) -> Iterator[tuple[Column, Groups]]:
        """Return each column of the block with the groups it is averaged over."""
        groups = Groups(self.labels)
        subject_groups = groups if self.of_subjects is self.labels else Groups(self.of_subjects)
        for column in block:
            yield column, subject_groups if column.name in self.constant else groups

    def with_gaps(self, masked: Column) -> Column:
        """Return a masked column with the gaps that leave."""
        gaps = self.gaps.get(masked.name)
        if gaps is None:
            return masked
        return replace(masked, missing=gaps if masked.missing is None else gaps | masked.missing)


@dataclass(eq=False)
class Grouper:
    """Groups the records of a table by its plan, block by block; several blocks may be at work at once."""

    # inputs, plan: what was read of the table, and what is asked
    inputs: Inputs
    plan: Plan
    blocks: AttributeBlocks  # the columns that are grouped together
    refiner: Refiner  # improves the groups, where the plan asks for it
    watch: Stopwatch = field(default_factory=Stopwatch)  # takes the time of encoding and steering
    steering: Steering = field(init=False)

    def __post_init__(self) -> None:
        self.steering = steering_of(self.inputs, self.plan)

    def points_of(self, names: Sequence[str]) -> Points:
        """Return some columns as the points that are grouped, with their subjects where k counts those."""
        with self.watch("encode"):
            columns = [self.inputs.columns[name] for name in names]
            points = beside_gaps(self.blocks.points_of(columns), columns, self.plan)
        with self.watch("steer"):
            points = self.steering(points)
        return points if self.inputs.subjects is None else replace(points, subjects=self.inputs.subjects.numbers)

    def group(self, block: Sequence[Column], progress: Progress) -> Grouping:
        """Group the records by a block of columns."""
        inputs, plan, names = self.inputs, self.plan, [column.name for column in block]
        points = self.points_of(names)
        # Quasi-identifiers that stay as they are have nothing to be masked once.
        constant = frozenset() if plan.release is ReleaseMode.PERMUTE else inputs.constant & set(names)
        varying = [name for name in names if name not in constant]
        subjects = subject_averages(points) if constant else None
        if not constant or not varying or _merged_by_neighbours(inputs):
            labels = of_subjects = group_records(points, inputs, plan, self.refiner, progress, subjects)
        else:
            first_pass, second_pass = (half(progress, before, len(points)) for before in (0, len(points)))
            of_subjects = group_records(points, inputs, _with_room(inputs, plan), self.refiner, first_pass, subjects)
            inside = self.points_of(varying)
            labels = group_records(inside, replace(inputs, domains=of_subjects), plan, self.refiner, second_pass)
        asks_again = any(guarantee.keeps_points for guarantee in asked(plan.demand()))
        return Grouping(labels, of_subjects, constant, points if asks_again else None)


def _with_room(inputs: Inputs, plan: Plan) -> Plan:
    """Return the plan for groups of subjects inside which records are grouped again: twice k, where there are as many.

    Among exactly k subjects every class needs a record of each, so whoever has the fewest decides how many classes
    there are. Twice as many leave a choice: on the bundled example 23.7 instead of 33.3 % of the information are lost,
    with three times as many 23.6 %, and what is constant is lost more and more. The price: records of one subject stand
    in classes of different others (`shoal.measures.k_linked`).
    """
    domains = np.zeros(len(inputs), dtype=np.int64) if inputs.domains is None else equivalence_classes([inputs.domains])
    assert inputs.subjects is not None
    fewest = int(subjects_of_each(domains, inputs.subjects.numbers).min())
    return plan.replace(k=ROOM * plan.k) if fewest >= ROOM * plan.k else plan


def _merged_by_neighbours(inputs: Inputs) -> bool:
    """Whether a guarantee compares groups with the groups around them: it is asked of whole subjects' groups alone."""
    return any(rules and GUARANTEES[name].merges_by_itself for name, rules in inputs.rules.items())


@dataclass(frozen=True, eq=False)
class _Part:
    """Records that are grouped among themselves: those of a table, of one value of ``by``, or of a cell."""

    points: Points  # the records, with their subjects where k counts those
    rules: Rules  # what their groups must keep
    # one point per subject, by which whole subjects are grouped instead of records
    subject_points: Points | None = None
    # a number per record where groups must be made of whole subjects with equal ones, before any are merged
    cells: Labels | None = None

    def take(self, rows: NDArray[np.int64]) -> _Part:
        """Return some of the records, as a part of their own."""
        subject_points = self.subject_points
        if subject_points is not None:
            subject_points = subject_points.take(np.unique(self.points.subjects[rows]))
        rules = {name: of_records(each, rows) for name, each in self.rules.items()}
        return _Part(self.points.take(rows), rules, subject_points, None if self.cells is None else self.cells[rows])


def group_records(
    points: Points,
    inputs: Inputs,
    plan: Plan,
    refiner: Refiner,
    progress: Progress | None,
    subject_points: Points | None = None,
) -> Labels:
    """Partition the records, or by their points whole subjects, separately inside each value of ``by``.

    Distances are those of the whole table: domains share one scale. Domains run on a thread pool, the kernels
    release the interpreter; labels are numbered domain after domain, in the order domains first appear.
    """
    if inputs.start is not None:
        return refiner.refine_records(points, inputs.start, plan.k, required_rules(inputs.rules, plan), progress)
    table = _Part(points, inputs.rules, subject_points, inputs.cells)
    if inputs.domains is None:
        return _group(table, plan, refiner, progress)
    free = subject_points is None and not points.subjects.size and not any(inputs.rules.values())

    def work(rows: NDArray[np.int64], report: Progress) -> Labels:
        if free and plan.k <= len(rows) < 2 * plan.k:  # one group, whatever the method
            report(len(rows), len(rows))
            return np.zeros(len(rows), dtype=np.int64)
        part = table.take(rows)
        try:
            return _group(part, plan, refiner, report)
        except GuaranteeError as error:
            raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None

    return partition_each(inputs.domains, work, progress)


def merge_groups(points: Points, labels: Labels, inputs: Inputs, plan: Plan) -> Labels:
    """Merge groups that were formed before until they keep all rules that the plan requires, inside each domain."""
    table = _Part(points, required_rules(inputs.rules, plan))

    def work(rows: NDArray[np.int64], report: Progress) -> Labels:
        return _merge(table.take(rows), np.unique(labels[rows], return_inverse=True)[1], plan, None)

    domains = np.zeros(len(points), dtype=np.int64) if inputs.domains is None else inputs.domains
    return partition_each(domains, work, None)


def _group(part: _Part, plan: Plan, refiner: Refiner, progress: Progress | None) -> Labels:
    """Form groups of records, or of subjects, merge what falls short of a rule, and refine what came of it."""
    points, n = part.points, len(part.points)
    required = replace(part, rules=required_rules(part.rules, plan))
    if part.cells is not None:
        labels = _group_in_cells(part, plan, refiner, progress)
        return _merge(required, labels, plan, completing(progress, n))
    refining = progress
    if refiner.is_asked and progress is not None:
        progress, refining = half(progress, 0, n), half(progress, n, n)
    labels = _merge(required, _form(part, plan, progress), plan, completing(progress, n))
    if not refiner.is_asked:
        return labels
    if part.subject_points is None:
        return refiner.refine_records(points, labels, plan.k, required.rules, refining)
    return refiner.refine_subjects(points, part.subject_points, labels, plan.k, required.rules, refining)


def _group_in_cells(part: _Part, plan: Plan, refiner: Refiner, progress: Progress | None) -> Labels:
    """Form groups inside each cell, by k alone; merging for the other rules may then join groups of several cells.

    A group is a union of parts of cells, and each part has k subjects: no difference of releases leaves fewer.
    """
    points = part.points
    numbers = points.subjects if points.subjects.size else np.arange(len(points), dtype=np.int32)
    by_k = replace(part, rules={}, cells=None)

    def work(rows: NDArray[np.int64], report: Progress) -> Labels:
        if len(np.unique(numbers[rows])) < 2 * plan.k:  # one group, whatever the method
            report(len(rows), len(rows))
            return np.zeros(len(rows), dtype=np.int64)
        return _group(by_k.take(rows), plan, refiner, report)

    assert part.cells is not None
    return partition_each(part.cells, work, progress)


def _form(part: _Part, plan: Plan, progress: Progress | None) -> Labels:
    """Form groups by the way to closeness or by the partitioning method.

    Where whole subjects are grouped, the first record of each stands for its confidential values while groups are
    formed; what they keep is judged, and repaired, on all records. First records may be no sample of the table, so that
    no group of them is close to it: then groups are formed by the partitioning method, and closeness is left to
    merging.
    """
    points, rules = part.points, part.rules
    if part.subject_points is not None:
        first = np.unique(points.subjects, return_index=True)[1]
        points = part.subject_points
        rules = {name: of_records(each, first) for name, each in rules.items()}
    way = way_of(plan)
    closeness = [rule for name, each in rules.items() if GUARANTEES[name].section == CLOSENESS for rule in each]
    labels: Labels | None = None
    if way is not None and way.form is not None and closeness:
        options, guarantee = options_of(way, plan.closeness), plan.guarantee
        try:
            labels = way.form(points, closeness, plan.k, options, guarantee=guarantee, progress=progress)
        except GuaranteeError:
            if part.subject_points is None:
                raise
    if labels is None:
        labels = METHODS[plan.method].partition(points, plan.k, progress=progress, **plan.method_options())
    return labels if part.subject_points is None else labels[part.points.subjects]


def _merge(part: _Part, labels: Labels, plan: Plan, progress: Progress | None) -> Labels:
    """Merge groups until they keep all rules of the part; raise where not even all records together do."""
    demand, points = plan.demand(), part.points
    required = [(GUARANTEES[name], each) for name, each in part.rules.items()]
    together = [rule for guarantee, each in required if not guarantee.merges_by_itself for rule in each]
    by_itself = [(guarantee, each) for guarantee, each in required if guarantee.merges_by_itself]
    while True:
        for guarantee, each in by_itself:
            labels = guarantee.merged(demand, points, labels, each, progress)
        merged = repair(points, labels, together, progress=progress) if together else labels
        # Merging for the others may move what such a guarantee looks at: they take turns until none merges.
        if not by_itself or merged.max() == labels.max():
            return merged
        labels = merged
