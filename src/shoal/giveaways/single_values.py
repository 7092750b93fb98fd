"""Columns released as they are whose values belong to one record, or to the records of one subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from shoal.errors import listed
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.remedy import dropping, masking
from shoal.giveaways.survey import Survey
from shoal.kinds import Kind
from shoal.plan.attribute import Role


def single_values(survey: Survey) -> Iterator[Giveaway]:
    """Find columns of role ``other`` with values that single out a record."""
    alone = np.zeros(len(survey), dtype=np.bool_)
    single: dict[str, int] = {}
    for name in survey.others:
        if name not in survey.comparable:
            continue
        codes = survey.codes(name)
        values = survey.single(codes)
        if values.any():
            single[name] = int(values.sum())
            alone |= values[codes]
    if single:
        yield of_single_values(survey, single, int(alone.sum()))


def of_single_values(survey: Survey, single: Mapping[str, int], records: int) -> Giveaway:
    """Say how many values of columns belong to one subject, and how many records have them."""
    total, thing = sum(single.values()), "record" if survey.subjects is None else "subject"
    are, they, their = ("is", "it", "its") if len(single) == 1 else ("are", "they", "their")
    return Giveaway(
        "single_values",
        f"{listed(list(single))} {are} released as {they} {are}, and {total:,} of {their} values "
        f"belong{'s' if total == 1 else ''} to a single {thing}: whoever knows the value finds the person; "
        f"{are} {they} really neither known from elsewhere nor confidential?",
        tuple(single),
        records,
        masking(survey, single),
    )


def confidential_names(survey: Survey) -> Iterator[Giveaway]:
    """Find confidential columns of categories in which every record has a value of its own."""
    for name in confidential_categories(survey):
        codes = survey.codes(name)
        if codes.any() and survey.single(codes).all():
            yield of_confidential_name(survey, name, len(survey))


def confidential_categories(survey: Survey) -> list[str]:
    """Return the confidential columns of categories that leave."""
    return [
        name
        for name in survey.plan.names(Role.CONFIDENTIAL)
        if survey.plan.attributes[name].kind is Kind.NOMINAL and name in survey.leaving and name in survey.comparable
    ]


def of_confidential_name(survey: Survey, name: str, records: int) -> Giveaway:
    """Ask whether a confidential column that names everybody is an identifier."""
    each = "every record has a value" if survey.subjects is None else "every subject has values"
    return Giveaway(
        "confidential_names",
        f"{each} of {name!r} of its own, and it is released: is it an identifier?",
        (name,),
        records,
        dropping(survey, (name,)),
    )
