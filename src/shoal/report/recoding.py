"""What was made coarser before records were grouped, and what that lost by itself."""

from __future__ import annotations

from shoal.measure import il_percent
from shoal.measure.tables import recoded_pair
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.recode import RECODINGS, Recoded
from shoal.report.data import RecodingRow
from shoal.report.edition import Guard
from shoal.run.recoded import coarsened


def recoding_rows(recoding: Recoded, plan: Plan, guard: Guard) -> tuple[RecodingRow, ...]:
    """Return a row for each recoding of each column, in the order in which they were applied.

    Information loss is told of quasi-identifiers, as the measures tell it, at the last recoding of a column that loses
    something; it is that of all of them together. External readers see whole percents, and no count of a few.
    """
    lost = dict(il_percent(recoded_pair(recoding, plan)).attributes) if coarsened(plan) else {}
    masked = set(plan.names(Role.QUASI_IDENTIFIER))
    last = {step.column: step for step in recoding.steps if step.key not in RECODINGS or RECODINGS[step.key].loses}
    return tuple(
        RecodingRow(
            step.column,
            step.words,
            guard.amount(step.cells, step.of)
            if guard.shows(step.cells) and guard.shows(step.of - step.cells)
            else None,
            100 if guard.external else step.of,
            lost[step.column]
            if step.column in masked and last.get(step.column) is step and not guard.external
            else None,
        )
        for step in recoding.steps
    )
