"""Rows that stand in the order of a hidden column."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.frames import is_sorted
from shoal.plan.attribute import Role
from shoal.run.giveaways.giveaway import Giveaway
from shoal.run.giveaways.survey import Survey
from shoal.run.released import changed_columns


def row_order(survey: Survey) -> Iterator[Giveaway]:
    """A release keeps the order of rows, and with it the rank of each record in the column they were sorted by."""
    original, plan = survey.original, survey.plan
    hidden = (*plan.names(Role.IDENTIFIER), *changed_columns(plan))
    sorting = tuple(name for name in hidden if name in original.names and is_sorted(original, name))
    if sorting:
        yield Giveaway(
            "row_order",
            f"the rows stand in the order of {', '.join(map(repr, sorting))}, and the release keeps it: whoever knows "
            "the rank of a person finds the record; shuffle the rows first",
            sorting,
            len(survey),
        )
