"""Suppression: the few records that cost most are dropped, and the others are grouped without them.

Records are grouped once, those that would save most are taken out, and the run goes on with the table that is left, as
if it had come so: every guarantee is reached and judged on what is released. t-closeness compares with the released
table, which is what an outsider sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, GuaranteeError
from shoal.frames import Table
from shoal.masking.attribute_blocks import Division
from shoal.masking.gaps import beside_gaps
from shoal.masking.inputs import Inputs, read_inputs
from shoal.masking.mask import Masked
from shoal.masking.preflight import require_feasible
from shoal.masking.record_costs import costliest, squared_error
from shoal.masking.refinement import Refining
from shoal.masking.repetition import mask_table
from shoal.masking.steering import steering_of
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.subject_grouping import group_block
from shoal.masking.totals import require_followable
from shoal.plan import Plan
from shoal.points import Points
from shoal.pool import Progress


@dataclass(frozen=True, eq=False)
class Suppression:
    """What is dropped of a table.

    Parameters
    ----------
    asked
        The largest share of records that may be.
    kept
        The rows that stay, in their order.
    records, gone
        How many records there were, and how many subjects have none left.
    points
        All records as they are compared.
    loss
        The squared error of the groups that all records make.
    """

    asked: float
    kept: NDArray[np.int64]
    records: int
    gone: int
    points: Points
    loss: float

    @property
    def dropped(self) -> int:
        """How many records are dropped."""
        return self.records - len(self.kept)

    def saved(self, labels: NDArray[np.int64]) -> float:
        """Return the percentage of the squared error that groups of the kept records do not have."""
        if self.loss == 0:
            return 0.0
        return 100.0 * (1.0 - squared_error(self.points.take(self.kept), labels) / self.loss)

    def to_dict(self, saved: float) -> dict[str, Any]:
        """Return plain values for the manifest; not which rows, which are nobody's business."""
        return {
            "asked": self.asked,
            "records": self.dropped,
            "of": self.records,
            "subjects": self.gone,
            "saved_percent": round(saved, 2),
        }


def suppression_sentence(manifest: Mapping[str, Any]) -> str | None:
    """Say what a manifest says of dropped records; nothing where the plan drops none."""
    about = manifest.get("suppressed")
    if about is None:
        return None
    if not about["records"]:
        return f"no record was dropped: {about['why']}"
    return (
        f"{about['records']:,} of {about['of']:,} records were dropped, which saved {about['saved_percent']:.3g} % of "
        "the squared error in the groups"
    )


def budget(plan: Plan, records: int) -> int:
    """Return how many records a plan may drop: the share as it is written, rounded down."""
    return 0 if plan.suppress is None else int(Fraction(repr(plan.suppress)) * records)


def suppress(table: Table, inputs: Inputs, plan: Plan, progress: Progress | None) -> Suppression | None:
    """Choose what to drop of a table; None where that is nothing.

    Notes
    -----
    Greedy, by the squared error that is saved for a record dropped: a group as a whole, or single records of a group
    that keeps k subjects without them. A record of a group of k cannot go alone: the others would have to join groups
    elsewhere, which costs more than it saves where records are few.
    """
    most = budget(plan, len(table))
    if most == 0:
        return None
    division, steering = Division.of(inputs, plan), steering_of(inputs, plan)
    (block,) = division.blocks

    def points_of(names: tuple[str, ...]) -> Points:
        columns = [inputs.columns[name] for name in names]
        return steering(beside_gaps(division.points_of(columns), columns, plan))

    names = tuple(column.name for column in block)
    refining = Refining(plan, inputs)
    grouping, _ = group_block(names, points_of, inputs, plan, refining, progress or (lambda done, total: None))
    points = division.points_of(block)
    subjects = np.arange(len(table)) if inputs.subjects is None else inputs.subjects.numbers
    gone = costliest(points, grouping.labels, most, k=plan.k, subjects=subjects, domains=inputs.domains)
    if len(gone) == 0:
        return None
    kept = np.setdiff1d(np.arange(len(table)), gone)
    lost = len(np.unique(subjects)) - len(np.unique(subjects[kept]))
    assert plan.suppress is not None
    loss = squared_error(points, grouping.labels)
    return Suppression(plan.suppress, kept, len(table), 0 if inputs.subjects is None else lost, points, loss)


@dataclass(frozen=True, eq=False)
class Kept:
    """The records that leave, masked.

    Parameters
    ----------
    rows
        Their places among all records; None where none was dropped.
    table, inputs, masked
        The table that is left, what is read of it, and its masked columns.
    said
        What the manifest says of dropped records.
    """

    rows: NDArray[np.int64] | None
    table: Table
    inputs: Inputs
    masked: Masked
    said: Mapping[str, Any]


def mask_kept(
    came: Table, table: Table, inputs: Inputs, plan: Plan, watch: Stopwatch, progress: Progress | None
) -> Kept:
    """Mask a table without the records that cost most, where the plan allows to drop some and that saves anything.

    Parameters
    ----------
    came, table, inputs
        The table that came, the same after recoding, and what was read of that.
    plan, watch, progress
        As in `mask_table`.
    """
    said: dict[str, Any] = {}
    if plan.suppress is not None:
        with watch("suppress"):
            chosen = suppress(table, inputs, plan, progress)
            left = None if chosen is None else _left_inputs(table.take(chosen.kept), plan)
        why = "the share allows less than one, or none costs anything"
        if chosen is not None:
            why = "without them the plan could not be carried out"
        if chosen is not None and left is not None:
            kept = table.take(chosen.kept)
            masked = mask_table(came, kept, left, plan, watch, progress)
            saved = chosen.saved(masked.partition.labels)
            if saved > 0:
                return Kept(chosen.kept, kept, left, masked, {"suppressed": chosen.to_dict(saved)})
            why = "nothing would be saved"
        nothing = {"records": 0, "of": len(table), "subjects": 0, "saved_percent": 0.0}
        said = {"suppressed": {"asked": plan.suppress, **nothing, "why": why}}
    return Kept(None, table, inputs, mask_table(came, table, inputs, plan, watch, progress), said)


def _left_inputs(left: Table, plan: Plan) -> Inputs | None:
    """Return what is read of the table that is left; None where the plan could not be carried out on it."""
    try:
        inputs = read_inputs(left, plan)
        require_followable(inputs.constant, plan)
        require_feasible(inputs, plan)
    except (DataError, GuaranteeError):
        return None
    return inputs
