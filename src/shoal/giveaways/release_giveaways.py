"""What only a release shows, not the table and its plan."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.survey import Survey
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect import released_classes

ALL_ALIKE = "all records form one group, so the quasi-identifiers tell nothing any more: ask for less"
"""The giveaway that takes everything away, and so nothing out: readers of the release may know of it."""


def one_group(survey: Survey) -> Iterator[Giveaway]:
    """Find that all records look alike, where more groups could be."""
    labels, plan = survey.labels, survey.plan
    if labels is not None and len(labels) >= 2 * plan.k and not labels.any():
        yield Giveaway("one_group", ALL_ALIKE, plan.names(Role.QUASI_IDENTIFIER), len(survey))


def undeclared(survey: Survey) -> Iterator[Giveaway]:
    """Find columns that should not be there; only a release by another tool has them."""
    for name in () if survey.released is None else survey.released.names:
        if name not in survey.plan.attributes:
            reason = "the plan does not declare it"
        elif name in survey.plan.dropped_names():
            reason = "the plan calls it an identifier"
        else:
            continue
        yield Giveaway("undeclared", f"{name!r} is in the release, and {reason}", (name,), len(survey))


def row_counts(survey: Survey) -> Iterator[Giveaway]:
    """Find subjects who can be told by the number of their rows, which pseudonyms show."""
    released, plan = survey.released, survey.plan
    name = plan.pseudonym_column()
    if released is None or name is None or name not in released.names:
        return
    classes = released_classes(released, plan.demand())
    _, first, rows = np.unique(released.class_codes(name), return_index=True, return_counts=True)
    # Class and number of rows of each pseudonym, and how many have both.
    _, kind, alike = np.unique(np.column_stack([classes[first], rows]), axis=0, return_inverse=True, return_counts=True)
    rare = alike[kind] < plan.k
    if rare.any():
        yield of_row_counts(plan, name, int(rare.sum()), len(rows), int(rows[rare].sum()))


def of_row_counts(plan: Plan, name: str, rare: int, subjects: int, records: int) -> Giveaway:
    """Say how many subjects can be told by the number of their rows."""
    sentence = (
        f"{rare:,} of {subjects:,} subjects ({name}) have a number of rows that fewer than k = {plan.k} of their class "
        "have: whoever knows how often a person comes finds it among fewer; bring as many rows of each, or leave "
        "keep_subject out"
    )
    return Giveaway("row_counts", sentence, (name,), records)
