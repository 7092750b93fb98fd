"""What was asked and what holds, as far as an edition may tell it."""

from __future__ import annotations

from dataclasses import replace

from shoal.plan import Plan
from shoal.protect import Judgement
from shoal.protect.dominance import Dominance
from shoal.protect.identification_risk import IdentificationRisk
from shoal.protect.k_anonymity import KAnonymity
from shoal.protect.n_t_closeness import NTCloseness
from shoal.protect.registry import GUARANTEES
from shoal.protect.t_closeness import UNPROTECTED
from shoal.report.edition import Guard
from shoal.republish.intersection import NAME as INTERSECTION

_RISKS = (each.name for each in GUARANTEES.values() if isinstance(each, IdentificationRisk))
_COUNTS_SUBJECTS = {KAnonymity.name, *_RISKS}


def published_judgement(judgement: Judgement, plan: Plan, guard: Guard) -> Judgement:
    """Return a judgement without what external readers could find single persons by.

    Notes
    -----
    Counts of those whom an intruder finds stay inside. So does what was reached wherever more stands behind it than the
    released table shows: which records are of one subject, which have no value, where originals lie among each other,
    which record of an earlier release is which. By the released weights and classes, such a number would tell which
    records these are. What is told instead is that all keep to what was asked, or that one may be anything.
    """
    if not guard.external:
        return judgement
    judgement = replace(
        judgement, detail={name: value for name, value in judgement.detail.items() if not isinstance(value, int)}
    )
    if not _follows_from_more(judgement.name, plan, guard):
        return judgement
    reached = judgement.asked if judgement.holds and judgement.asked is not None else type(judgement.achieved)(1)
    definition, note = judgement.definition, judgement.note
    if judgement.name in (INTERSECTION, KAnonymity.name):  # who is whose, or whose originals are all one
        note = ""
    if judgement.name == NTCloseness.name:
        note = note[note.index(UNPROTECTED) :] if UNPROTECTED in note else ""  # without what each attribute reaches
    if judgement.name == plan.given_up() == KAnonymity.name:
        definition = f"k not guaranteed: {plan.demand().why_not_k}"
    return replace(judgement, achieved=reached, definition=definition, note=note, detail={})


def _follows_from_more(name: str, plan: Plan, guard: Guard) -> bool:
    """Whether what was reached follows from more than the released table."""
    if name == Dominance.name:
        return plan.subject_column() is not None or any(
            plan.spec(each).missing.admits for each in plan.averaged_names()
        )
    return name in (INTERSECTION, NTCloseness.name) or (name in _COUNTS_SUBJECTS and not guard.counts_subjects)
