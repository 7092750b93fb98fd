"""Rows that stand in the order of a hidden column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.classes import equivalence_classes
from shoal.encode import Subjects
from shoal.errors import listed
from shoal.frames import Table, follows, is_sorted
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.survey import Survey
from shoal.plan import Plan
from shoal.plan.attribute import Role


def row_order(survey: Survey) -> Iterator[Giveaway]:
    """Rows that leave in their order tell the rank of each record in a column that they follow.

    A release that is there, of whatever tool, is looked at as it stands; a run that will shuffle tells nothing, unless
    by an index that goes along with the rows.
    """
    original, plan = survey.original, survey.plan
    if survey.released is None and (plan.order == "shuffle" or followed_columns(original, plan)):
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


def followed_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the hidden columns that the rows follow, where the plan has rows shuffled for their sake."""
    if plan.order != "auto":
        return ()
    return tuple(name for rows, name in _hidden(table, plan) if follows(rows, name))


def columns_disclosed_by_order(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns whose hidden values rows tell by their order: those too that few rows are sorted by."""
    return tuple(name for rows, name in _hidden(table, plan) if is_sorted(rows, name) or follows(rows, name))


def _hidden(table: Table, plan: Plan) -> Iterator[tuple[Table, str]]:
    """Return the columns that are dropped, masked, permuted or recoded, each in the rows whose order could tell it.

    Not ``by``: a group has one value of it, so that masking changes nothing. Pseudonyms tell anyway which rows are of
    one subject, so that of what is the same in all of them the order of subjects is looked at, not that of rows.
    """
    names = dict.fromkeys((*plan.names(Role.IDENTIFIER), *plan.changed_names(), *plan.recoded_names()))
    subject = plan.pseudonym_column()
    subjects = None
    if subject is not None and subject in table.names:
        subjects = Subjects(subject, equivalence_classes([table.class_codes(subject)]).astype(np.int32))
    for name in names:
        if name not in table.names or name == plan.by:
            continue
        has_codes = table.dtype(name) not in ("duration", "other")
        if subjects is not None and has_codes and subjects.is_constant(table.class_codes(name)):
            yield table.select([name]).take(np.sort(subjects.first_rows)), name
        else:
            yield table, name
