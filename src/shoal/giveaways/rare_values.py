"""Rare values: cells and combinations of cells that single people out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
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


_CELLS = 1 << 24
"""Cells that are looked at for the smallest combinations; beyond, one is found that nothing can be left out of."""

_SHOWN = 3
"""Combinations that are named."""

Count = Callable[[tuple[str, ...]], int]
"""Counts the records that some columns single out together."""


def combined_values(survey: Survey) -> Iterator[Giveaway]:
    """Find columns of role ``other`` of which a combination of values belongs to one record."""
    columns: dict[str, NDArray[np.int32]] = {}
    for name in survey.others:
        if name in survey.comparable:
            codes = survey.codes(name)
            if codes.any() and not survey.single(codes).any():  # a constant adds nothing
                columns[name] = codes

    def count(names: tuple[str, ...]) -> int:
        classes = equivalence_classes([columns[name] for name in names])
        return int(survey.single(classes)[classes].sum())

    levels = {name: int(codes.max()) for name, codes in columns.items()}
    yield from of_combinations(survey, levels, count, len(survey))


def of_combinations(survey: Survey, levels: Mapping[str, int], count: Count, records: int) -> Iterator[Giveaway]:
    """Say which combinations of columns single out records.

    None of the columns singles out one alone; ``levels`` says how many values each has, about, and ``count`` counts
    the records that some of them single out together.
    """
    if len(levels) < 2:
        return
    names = tuple(levels)
    alone = count(names)
    if not alone:
        return
    smallest = _smallest(levels, count, records)
    shown = ", ".join(" + ".join(map(repr, some)) for some in smallest[:_SHOWN])
    enough = f"{shown} and {len(smallest) - _SHOWN} more" if len(smallest) > _SHOWN else shown
    involved = tuple(name for name in names if any(name in some for some in smallest))
    yield Giveaway(
        "combined_values",
        f"{listed(list(names))} are released as they are, and together they single out {alone:,} of "
        f"{records:,} records, though none does alone ({enough} {'is' if len(smallest) == 1 else 'are'} enough for "
        "some): are they really neither known from elsewhere nor confidential?",
        involved,
        alone,
        masking(survey, _too_many(levels, count)),
    )


def _smallest(levels: Mapping[str, int], count: Count, records: int) -> list[tuple[str, ...]]:
    """Return the smallest combinations that single out a record, those of the most records first."""
    names = tuple(levels)
    spent = 0
    for size in range(2, len(names) + 1):
        spent += comb(len(names), size) * size * records
        if spent > _CELLS:
            return [_irreducible(levels, count)]
        counts = {some: alone for some in combinations(names, size) if (alone := count(some))}
        if counts:
            return sorted(counts, key=counts.__getitem__, reverse=True)
    raise AssertionError("all columns together single out somebody")


def _irreducible(levels: Mapping[str, int], count: Count) -> tuple[str, ...]:
    """Return a combination that singles out a record and no longer does without any of its columns."""
    finest_first = sorted(levels, key=levels.__getitem__, reverse=True)
    needed = finest_first[: next(i for i in range(2, len(levels) + 1) if count(tuple(finest_first[:i])))]
    for name in tuple(needed):
        fewer = [other for other in needed if other != name]
        if len(fewer) > 1 and count(tuple(fewer)):
            needed = fewer
    return tuple(name for name in levels if name in needed)


def _too_many(levels: Mapping[str, int], count: Count) -> list[str]:
    """Return columns without which the others single out nobody: coarse ones stay, as long as they do not."""
    released: tuple[str, ...] = ()
    masked = []
    for name in sorted(levels, key=levels.__getitem__):
        if released and count((*released, name)):  # none does alone
            masked.append(name)
        else:
            released = (*released, name)
    return masked
