"""Group: points to groups that keep every rule, inside each domain on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.constrain import repair
from shoal.errors import GuaranteeError
from shoal.labels import rows_of_each
from shoal.masking.inputs import Inputs
from shoal.masking.refinement import Refining, Rules
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.sections import CLOSENESS, way_of, way_options
from shoal.points import Points
from shoal.pool import Progress, completing, half, in_threads
from shoal.protect import GUARANTEES
from shoal.protect.rules import of_records


def group_records(
    points: Points,
    inputs: Inputs,
    plan: Plan,
    progress: Progress | None,
    *,
    refining: Refining,
    of_subjects: Points | None = None,
) -> NDArray[np.int64]:
    """Partition the records, separately inside each value of ``by`` where the plan names one.

    Parameters
    ----------
    points
        The records, with their subjects where k counts those.
    inputs, plan
        What they were read from, and what is asked.
    progress
        Called with the number of records settled and the number of records.
    refining
        What improves the groups, where the plan asks for it.
    of_subjects
        One point per subject, by which whole subjects are grouped instead of records.

    Notes
    -----
    Distances are those of the whole table: domains share one scale. Domains run on a thread pool, the kernels
    release the interpreter; labels are numbered domain after domain, in the order domains first appear.
    """
    if inputs.start is not None:
        return refining.records(points, inputs.start, plan.k, required_rules(inputs.rules, plan), progress)
    if inputs.domains is None:
        return _group(points, of_subjects, inputs.rules, plan, refining, progress, inputs.cells)
    rows_of = rows_of_each(inputs.domains)
    free = of_subjects is None and not points.subjects.size and not any(inputs.rules.values())

    def work(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        if free and plan.k <= len(rows) < 2 * plan.k:  # one group, whatever the method
            report(len(rows), len(rows))
            return np.zeros(len(rows), dtype=np.int64)
        rules = {name: of_records(own, rows) for name, own in inputs.rules.items()}
        own = None if of_subjects is None else of_subjects.take(np.unique(points.subjects[rows]))
        try:
            cells = None if inputs.cells is None else inputs.cells[rows]
            return _group(points.take(rows), own, rules, plan, refining, report, cells)
        except GuaranteeError as error:
            raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None

    return _in_each(rows_of, work, len(points), progress)


def merge_groups(points: Points, labels: NDArray[np.int64], inputs: Inputs, plan: Plan) -> NDArray[np.int64]:
    """Merge groups that were formed before until they keep all rules that the plan requires, inside each domain."""

    def work(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        rules = {name: of_records(own, rows) for name, own in inputs.rules.items()}
        own = np.unique(labels[rows], return_inverse=True)[1]
        return _repaired(points.take(rows), own, required_rules(rules, plan), plan, None)

    domains = np.zeros(len(points), dtype=np.int64) if inputs.domains is None else inputs.domains
    return _in_each(rows_of_each(domains), work, len(points), None)


def _in_each(
    rows_of: Sequence[NDArray[np.int64]],
    work: Callable[[NDArray[np.int64], Progress], NDArray[np.int64]],
    n: int,
    progress: Progress | None,
) -> NDArray[np.int64]:
    """Group the records of each part of a table on its own; number the groups part after part."""
    labels = np.empty(n, dtype=np.int64)
    offset = 0
    for rows, part in zip(rows_of, in_threads(work, rows_of, n, progress), strict=True):
        labels[rows] = part + offset
        offset += int(part.max()) + 1
    return labels


def _group(
    points: Points,
    of_subjects: Points | None,
    rules: Rules,
    plan: Plan,
    refining: Refining,
    progress: Progress | None,
    cells: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Form groups of records, or of subjects, merge what falls short of a rule, and refine what came of it.

    Notes
    -----
    Where whole subjects are grouped, the first record of each stands for its confidential values while groups are
    formed; what they keep is judged, and repaired, on all records.
    """
    if cells is not None:
        labels = _group_in_cells(points, of_subjects, cells, plan, refining, progress)
        return _repaired(points, labels, required_rules(rules, plan), plan, completing(progress, len(points)))
    n, then = len(points), progress
    if refining.is_asked and progress is not None:
        progress, then = half(progress, 0, n), half(progress, n, n)
    if of_subjects is None:
        labels = _form(points, rules, plan, progress)
    else:
        first = np.unique(points.subjects, return_index=True)[1]
        of_first = {name: of_records(own, first) for name, own in rules.items()}
        labels = _form_subjects(of_subjects, of_first, plan, progress)[points.subjects]
    required = required_rules(rules, plan)
    labels = _repaired(points, labels, required, plan, completing(progress, n))
    if not refining.is_asked:
        return labels
    if of_subjects is None:
        return refining.records(points, labels, plan.k, required, then)
    return refining.subjects(points, of_subjects, labels, plan.k, required, then)


def _group_in_cells(
    points: Points,
    of_subjects: Points | None,
    cells: NDArray[np.int64],
    plan: Plan,
    refining: Refining,
    progress: Progress | None,
) -> NDArray[np.int64]:
    """Form groups inside each cell, by k alone; merging for the other rules may then join groups of several cells.

    A group is a union of parts of cells, and each part has k subjects: no difference of releases leaves fewer.
    """
    numbers = points.subjects if points.subjects.size else np.arange(len(points), dtype=np.int32)

    def work(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        own = np.unique(numbers[rows])
        if len(own) < 2 * plan.k:  # one group, whatever the method
            report(len(rows), len(rows))
            return np.zeros(len(rows), dtype=np.int64)
        return _group(
            points.take(rows), None if of_subjects is None else of_subjects.take(own), {}, plan, refining, report
        )

    return _in_each(rows_of_each(cells), work, len(points), progress)


def _form_subjects(points: Points, rules: Rules, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    """Form groups of subjects, each with the confidential values of one of its records.

    Those may be no sample of the table, so that no group of them is close to it: then groups are formed by the
    partitioning method, and closeness is left to merging, which sees all records.
    """
    try:
        return _form(points, rules, plan, progress)
    except GuaranteeError:
        return _partition(points, plan, progress)


def _partition(points: Points, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    labels: NDArray[np.int64] = METHODS[plan.method].partition(
        points, plan.k, progress=progress, **plan.method_options()
    )
    return labels


def _form(points: Points, rules: Rules, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    """Form groups by the way to closeness or by the partitioning method."""
    way = way_of(plan)
    if way is not None and way.form is not None:
        closeness = [rule for name, own in rules.items() if GUARANTEES[name].section == CLOSENESS for rule in own]
        if closeness:
            options, guarantee = way_options(plan.closeness), plan.guarantee
            return way.form(points, closeness, plan.k, options, guarantee=guarantee, progress=progress)
    return _partition(points, plan, progress)


def required_rules(rules: Rules, plan: Plan) -> Rules:
    """Return the rules that groups must keep: all but those that the plan gives up."""
    given_up = plan.given_up()
    return {name: own for name, own in rules.items() if own and name != given_up}


def _repaired(
    points: Points, labels: NDArray[np.int64], rules: Rules, plan: Plan, progress: Progress | None
) -> NDArray[np.int64]:
    """Merge groups until they keep all rules.

    Raises
    ------
    GuaranteeError
        Not even all records together do.
    """
    demand = plan.demand()
    required = [(GUARANTEES[name], own) for name, own in rules.items()]
    together = [rule for guarantee, own in required if not guarantee.merges_by_itself for rule in own]
    by_itself = [(guarantee, own) for guarantee, own in required if guarantee.merges_by_itself]
    while True:
        for guarantee, own in by_itself:
            labels = guarantee.merged(demand, points, labels, own, progress)
        merged = repair(points, labels, together, progress=progress) if together else labels
        # Merging for the others may move what such a guarantee looks at: they take turns until none merges.
        if not by_itself or merged.max() == labels.max():
            return merged
        labels = merged
