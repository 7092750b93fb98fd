"""What was asked and what holds, as far as an edition may tell it."""

from __future__ import annotations

from dataclasses import replace

from shoal.plan import Plan
from shoal.protect import Judgement
from shoal.protect.dominance import Dominance
from shoal.report.edition import Guard
from shoal.run.intersection import NAME as INTERSECTION


def told_judgement(judgement: Judgement, plan: Plan, guard: Guard) -> Judgement:
    """Return a judgement without what external readers could find single persons by.

    Notes
    -----
    Counts of those whom an intruder finds stay inside. So does the largest share of a mean where more stands behind it
    than the released table shows: which records are of one subject, and which have no value. By the released weights, a
    share in nine digits would tell which records of which class these are. What is told instead is that no share is
    beyond what was asked, or that one may be anything.
    """
    if not guard.external:
        return judgement
    judgement = replace(
        judgement, detail={name: value for name, value in judgement.detail.items() if not isinstance(value, int)}
    )
    if judgement.name == INTERSECTION:
        return replace(judgement, note="")
    if judgement.name == Dominance.name and _hides_contributors(plan) and judgement.asked is not None:
        return replace(judgement, achieved=judgement.asked if judgement.holds else 1.0)
    return judgement


def _hides_contributors(plan: Plan) -> bool:
    """Whether the records that make a mean follow from more than the released table."""
    return plan.subject_column() is not None or any(plan.spec(name).missing.admits for name in plan.averaged_names())
