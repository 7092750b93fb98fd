"""What only a release shows, not the table and its plan."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.plan.attribute import Role
from shoal.run.giveaways.giveaway import Giveaway
from shoal.run.giveaways.survey import Survey

ONE_GROUP = "one_group"
"""The name of the giveaway that takes everything away, and so nothing out: strangers may know of it."""


def one_group(survey: Survey) -> Iterator[Giveaway]:
    """Find that all records look alike, where more groups could be."""
    labels, plan = survey.labels, survey.plan
    if labels is not None and len(labels) >= 2 * plan.k and not labels.any():
        sentence = "all records form one group, so the quasi-identifiers tell nothing any more: ask for less"
        yield Giveaway(ONE_GROUP, sentence, plan.names(Role.QUASI_IDENTIFIER), len(survey))


def undeclared(survey: Survey) -> Iterator[Giveaway]:
    """Find columns that should not be there; only a release by another tool has them."""
    for name in () if survey.released is None else survey.released.names:
        if name not in survey.plan.attributes:
            reason = "the plan does not declare it"
        elif survey.plan.attributes[name].role is Role.IDENTIFIER:
            reason = "the plan calls it an identifier"
        else:
            continue
        yield Giveaway("undeclared", f"{name!r} is in the release, and {reason}", (name,), len(survey))
