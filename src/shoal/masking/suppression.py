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
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.grouping import Grouper
from shoal.masking.inputs import Inputs, read_inputs
from shoal.masking.preflight import require_feasible
from shoal.masking.record_costs import costliest, squared_error
from shoal.masking.refinement import Refiner
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
    rows
        Those that stay, in their order.
    records, gone
        How many records there were, and how many subjects have none left.
    points
        All records as they are compared.
    loss
        The squared error of the groups that all records make.
    """

    asked: float
    rows: NDArray[np.int64]
    records: int
    gone: int
    points: Points
    loss: float

    @property
    def dropped(self) -> int:
        """How many records are dropped."""
        return self.records - len(self.rows)

    def saved(self, labels: NDArray[np.int64]) -> float:
        """Return the percentage of the squared error that groups of the records that stay do not have."""
        if self.loss == 0:
            return 0.0
        return 100.0 * (1.0 - squared_error(self.points.take(self.rows), labels) / self.loss)

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


def choose_suppression(inputs: Inputs, plan: Plan, progress: Progress | None) -> Suppression | None:
    """Choose what to drop of a table; None where that is nothing.

    Notes
    -----
    Greedy, by the squared error that is saved for a record dropped: a group as a whole, or single records of a group
    that keeps k subjects without them. A record of a group of k cannot go alone: the others would have to join groups
    elsewhere, which costs more than it saves where records are few.
    """
    records = len(inputs)
    most = budget(plan, records)
    if plan.suppress is None or most == 0:
        return None
    blocks = AttributeBlocks.of(inputs, plan)
    (block,) = blocks.blocks
    labels = Grouper(inputs, plan, blocks, Refiner(plan, inputs)).group(block, progress or _unheard).labels
    points = blocks.points_of(block)
    subjects = np.arange(records) if inputs.subjects is None else inputs.subjects.numbers
    dropped = costliest(points, labels, most, k=plan.k, subjects=subjects, domains=inputs.domains)
    if len(dropped) == 0:
        return None
    rows = np.setdiff1d(np.arange(records), dropped)
    gone = 0 if inputs.subjects is None else len(np.unique(subjects)) - len(np.unique(subjects[rows]))
    return Suppression(plan.suppress, rows, records, gone, points, squared_error(points, labels))


def _unheard(done: int, total: int) -> None:
    """Take the progress of work that nobody looks at."""


def nothing_suppressed(plan: Plan, records: int, why: str) -> dict[str, Any]:
    """Return what the manifest says where a plan allows to drop records and none was."""
    return {"asked": plan.suppress, "records": 0, "of": records, "subjects": 0, "saved_percent": 0.0, "why": why}


def read_remaining(table: Table, plan: Plan) -> Inputs | None:
    """Return what is read of the table that is left; None where the plan could not be carried out on it."""
    try:
        inputs = read_inputs(table, plan)
        require_followable(inputs.constant, plan)
        require_feasible(inputs, plan)
    except (DataError, GuaranteeError):
        return None
    return inputs
