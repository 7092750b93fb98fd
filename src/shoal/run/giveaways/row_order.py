"""Rows that stand in the order of a hidden column."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.run.giveaways.giveaway import Giveaway
from shoal.run.giveaways.survey import Survey
from shoal.run.inputs import listed
from shoal.run.order import columns_disclosed_by_order, will_shuffle


def row_order(survey: Survey) -> Iterator[Giveaway]:
    """Rows that leave in their order tell the rank of each record in a column that they follow.

    A release that is there, of whatever tool, is looked at as it stands; a run that will shuffle tells nothing, unless
    by an index that goes along with the rows.
    """
    original, plan = survey.original, survey.plan
    if survey.released is None and will_shuffle(original, plan):
        if original.has_sorted_index:
            sentence = "the frame's index goes along with the shuffled rows, and tells the order they had: reset it"
            yield Giveaway("shuffled_index", sentence, (), len(survey))
        return
    columns = columns_disclosed_by_order(original, plan)
    if columns:
        yield Giveaway(
            "row_order",
            f"the rows follow {listed(columns)}, and the release keeps their order: whoever knows the rank of a person "
            'finds the record; order = "shuffle" ends it',
            columns,
            len(survey),
            'order = "shuffle"',
        )
