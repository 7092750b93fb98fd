"""What a release gives away beside what its guarantees speak of: for the person who decides whether it leaves.

k-anonymity is about the quasi-identifiers of a plan. It does not see what a plan calls something else by mistake, what
the order of rows tells, or what leaves along with the cells. Each giveaway has a file and a line here; all but a few
are found from the table and its plan, before any work.
"""

from __future__ import annotations

from shoal.giveaways.attachments import file_label, formulas_of, index, metadata, nested_columns
from shoal.giveaways.dependencies import nearly_constant
from shoal.giveaways.giveaway import Giveaway, GiveawayError, as_manifest, refuse_giveaways
from shoal.giveaways.rare_values import combined_values, confidential_names, single_values
from shoal.giveaways.relations import determined_columns
from shoal.giveaways.release_giveaways import ALL_ALIKE, one_group, row_counts, undeclared
from shoal.giveaways.remedy import remedied
from shoal.giveaways.spellings import category_spellings, subject_spellings
from shoal.giveaways.survey import Survey
from shoal.giveaways.telling_order import row_order

FINDERS = (
    index,
    metadata,
    nested_columns,
    row_order,
    single_values,
    combined_values,
    confidential_names,
    determined_columns,
    category_spellings,
    subject_spellings,
    nearly_constant,
)
"""What a table and its plan show."""

RELEASE_FINDERS = (one_group, undeclared, row_counts)
"""What only a release shows."""


def find_giveaways(survey: Survey) -> tuple[Giveaway, ...]:
    """Return what a table would give away by its plan; no value of a record."""
    return tuple(giveaway for finder in FINDERS for giveaway in finder(survey))


def find_in_release(survey: Survey) -> tuple[Giveaway, ...]:
    """Return what only the release of a table shows; no value of a record."""
    return tuple(giveaway for finder in RELEASE_FINDERS for giveaway in finder(survey))


__all__ = [
    "ALL_ALIKE",
    "FINDERS",
    "RELEASE_FINDERS",
    "Giveaway",
    "GiveawayError",
    "Survey",
    "as_manifest",
    "file_label",
    "find_giveaways",
    "find_in_release",
    "formulas_of",
    "refuse_giveaways",
    "remedied",
]
