"""What was made coarser before records were grouped, and what that lost by itself."""

from __future__ import annotations

from shoal.masking.recoding import coarsened
from shoal.measures import il_percent
from shoal.measures.tables import recoded_pair
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.recode import RECODINGS, Recoded, Step
from shoal.report.data import RecodingRow
from shoal.report.edition import Guard


def recoding_rows(recoding: Recoded, plan: Plan, guard: Guard) -> tuple[RecodingRow, ...]:
    """Return a row for each recoding of each column, in the order in which they were applied.

    Information loss is told of quasi-identifiers, as the measures tell it, at the last recoding of a column that loses
    something; it is that of all of them together. External readers see what was done, and not to how many cells: beside
    the released values at a bound, or beyond it, that would tell which of the originals were recoded.
    """
    compared = coarsened(plan) and not guard.external
    lost = dict(il_percent(recoded_pair(recoding, plan)).attributes) if compared else {}
    masked = set(plan.names(Role.QUASI_IDENTIFIER))
    last = {step.column: step for step in recoding.steps if step.key not in RECODINGS or RECODINGS[step.key].loses}
    return tuple(
        recoding_row(
            step,
            guard,
            lost.get(step.column) if step.column in masked and last.get(step.column) is step else None,
        )
        for step in recoding.steps
    )


def recoding_row(step: Step, guard: Guard, lost: float | None = None) -> RecodingRow:
    """Return what one recoding did, as far as the edition may show it, and what the column lost by recoding."""
    return RecodingRow(
        step.column,
        step.words,
        None if guard.external else step.cells,
        None if guard.external else step.of,
        lost,
    )
