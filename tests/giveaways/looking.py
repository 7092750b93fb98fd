"""Looking for giveaways in a table: what is found, and what is left after its remedy."""

import shoal
from shoal.encode import read_subjects
from shoal.frames import Table
from shoal.giveaways import Survey, find_giveaways, remedied

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}
NOMINAL = {"role": "quasi_identifier", "kind": "nominal"}
OTHER = {"role": "other"}
SECRET = {"role": "confidential", "kind": "numeric"}


def found(frame, plan, name=None):
    """What a table would give away, before any work; only of one kind, if it is named."""
    table, subject = Table.of(frame), plan.subject_column()
    survey = Survey(table, plan, subjects=None if subject is None else read_subjects(table, subject))
    return [giveaway for giveaway in find_giveaways(survey) if name in (None, giveaway.name)]


def ends_by_remedy(frame, plan, giveaway):
    """Whether the table can be anonymized with the remedy in the plan, and is no longer warned of this."""
    mended = remedied(plan, giveaway.remedy)
    left = [other for other in shoal.anonymize(frame, mended).giveaways if other.name == giveaway.name]
    return not any(set(giveaway.columns) == set(other.columns) for other in left)
