"""Group: points to groups that keep every rule, inside each domain on its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.constrain import merge_near, repair
from shoal.errors import GuaranteeError
from shoal.labels import rows_of_each
from shoal.partition import METHODS
from shoal.plan import Plan
from shoal.plan.closeness import way_of
from shoal.plan.sections import CLOSENESS, way_options
from shoal.points import Points
from shoal.pool import Progress, completing, in_threads
from shoal.protect import GUARANTEES, Closeness, Rule
from shoal.protect.n_t_closeness import NTCloseness
from shoal.protect.rules import of_records
from shoal.run.inputs import Inputs

Rules = Mapping[str, tuple[Rule, ...]]
"""What groups must keep, by the guarantee that asks for it."""


def group_records(points: Points, inputs: Inputs, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    """Partition the records, separately inside each value of ``by`` where the plan names one.

    Notes
    -----
    Distances are those of the whole table: domains share one scale. Domains run on a thread pool, the kernels
    release the interpreter; labels are numbered domain after domain, in the order domains first appear.
    """
    if inputs.domains is None:
        return _group(points, inputs.rules, plan, progress)
    rows_of = rows_of_each(inputs.domains)

    def work(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        rules = {name: of_records(own, rows) for name, own in inputs.rules.items()}
        try:
            return _group(points.take(rows), rules, plan, report)
        except GuaranteeError as error:
            raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None

    parts = in_threads(work, rows_of, len(points), progress)
    labels = np.empty(len(points), dtype=np.int64)
    offset = 0
    for rows, part in zip(rows_of, parts, strict=True):
        labels[rows] = part + offset
        offset += int(part.max()) + 1
    return labels


def _group(points: Points, rules: Rules, plan: Plan, progress: Progress | None) -> NDArray[np.int64]:
    """Form groups by the way to closeness or by the partitioning method, then merge what falls short of a rule."""
    way = way_of(plan)
    if way is not None and way.form is not None:
        closeness = [rule for name, own in rules.items() if GUARANTEES[name].section == CLOSENESS for rule in own]
        options, guarantee = way_options(plan.closeness), plan.guarantee
        labels = way.form(points, closeness, plan.k, options, guarantee=guarantee, progress=progress)
    else:
        labels = METHODS[plan.method].partition(points, plan.k, progress=progress, **plan.method_options())
    return _repaired(points, labels, rules, plan, completing(progress, len(points)))


def _repaired(
    points: Points, labels: NDArray[np.int64], rules: Rules, plan: Plan, progress: Progress | None
) -> NDArray[np.int64]:
    """Merge groups until they keep all rules but those that the plan gives up.

    Raises
    ------
    GuaranteeError
        Not even all records together do.
    """
    of_neighbourhoods = [rule for rule in rules.get(NTCloseness.name, ()) if isinstance(rule, Closeness)]
    left_out = (NTCloseness.name, plan.given_up())
    others = [rule for name, own in rules.items() if name not in left_out for rule in own]
    if not of_neighbourhoods:
        return repair(points, labels, others, progress=progress) if others else labels
    # Merging for diversity moves neighbourhoods, so it takes turns with merging for closeness until neither merges.
    while True:
        near = merge_near(points, labels, of_neighbourhoods, plan.closeness.n, progress=progress)
        diverse = repair(points, near, others, progress=progress) if others else near
        if diverse.max() == near.max():
            return near
        labels = diverse
