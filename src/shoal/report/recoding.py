"""What was made coarser before records were grouped, and what that lost by itself."""

from __future__ import annotations

from shoal.measure import il_percent
from shoal.measure.tables import recoded_pair
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.recode import RECODINGS, Recoded, Step
from shoal.report.data import RecodingRow
from shoal.report.edition import Guard
from shoal.run.recoded import coarsened


def recoding_rows(recoding: Recoded, plan: Plan, guard: Guard) -> tuple[RecodingRow, ...]:
    """Return a row for each recoding of each column, in the order in which they were applied.

    Information loss is told of quasi-identifiers, as the measures tell it, at the last recoding of a column that loses
    something; it is that of all of them together. External readers see whole percents, and neither a count of a few nor
    that there are none: where none and few are told apart, a single cell decides what is shown.
    """
    lost = dict(il_percent(recoded_pair(recoding, plan)).attributes) if coarsened(plan) else {}
    masked = set(plan.names(Role.QUASI_IDENTIFIER))
    last = {step.column: step for step in recoding.steps if step.key not in RECODINGS or RECODINGS[step.key].loses}
    return tuple(
        recoding_row(
            step,
            guard,
            lost[step.column]
            if step.column in masked and last.get(step.column) is step and not guard.external
            else None,
        )
        for step in recoding.steps
    )


def recoding_row(step: Step, guard: Guard, lost: float | None = None) -> RecodingRow:
    """Return what one recoding did, as far as the edition may show it, and what the column lost by recoding."""
    return RecodingRow(
        step.column,
        step.words,
        guard.amount(step.cells, step.of) if _told(step, guard) else None,
        100 if guard.external else step.of,
        lost,
    )


def _told(step: Step, guard: Guard) -> bool:
    """Whether many cells changed and many stayed, or whoever reads it may know of each."""
    return not guard.external or min(step.cells, step.of - step.cells) >= guard.fewest
