"""Columns of role ``other`` that single out records together, though none of them does alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.run.giveaways.giveaway import Giveaway
from shoal.run.giveaways.remedy import masking
from shoal.run.giveaways.survey import Survey
from shoal.run.inputs import listed

_CELLS = 1 << 24
"""Cells that are looked at for the smallest combinations; beyond, one is found that nothing can be left out of."""

_SHOWN = 3
"""Combinations that are named."""

_Codes = Mapping[str, NDArray[np.int32]]


def combined_values(survey: Survey) -> Iterator[Giveaway]:
    """Find columns of role ``other`` of which a combination of values belongs to one record."""
    columns: dict[str, NDArray[np.int32]] = {}
    for name in survey.others:
        if name in survey.comparable:
            codes = survey.codes(name)
            if codes.any() and not survey.single(codes).any():  # a constant adds nothing
                columns[name] = codes
    if len(columns) < 2:
        return
    records = _singled_out(survey, columns, tuple(columns))
    if not records:
        return
    smallest = _smallest(survey, columns)
    shown = ", ".join(" + ".join(map(repr, names)) for names in smallest[:_SHOWN])
    enough = f"{shown} and {len(smallest) - _SHOWN} more" if len(smallest) > _SHOWN else shown
    involved = tuple(name for name in columns if any(name in names for names in smallest))
    yield Giveaway(
        "combined_values",
        f"{listed(list(columns))} are released as they are, and together they single out {records:,} of "
        f"{len(survey):,} records, though none does alone ({enough} {'is' if len(smallest) == 1 else 'are'} enough for "
        "some): are they really neither known from elsewhere nor confidential?",
        involved,
        records,
        masking(survey, _too_many(survey, columns)),
    )


def _singled_out(survey: Survey, columns: _Codes, names: tuple[str, ...]) -> int:
    """Count the records that some columns single out together."""
    classes = equivalence_classes([columns[name] for name in names])
    return int(survey.single(classes)[classes].sum())


def _smallest(survey: Survey, columns: _Codes) -> list[tuple[str, ...]]:
    """Return the smallest combinations that single out a record, those of the most records first."""
    names = tuple(columns)
    spent = 0
    for size in range(2, len(names) + 1):
        spent += comb(len(names), size) * size * len(survey)
        if spent > _CELLS:
            return [_irreducible(survey, columns)]
        found = {some: _singled_out(survey, columns, some) for some in combinations(names, size)}
        found = {some: count for some, count in found.items() if count}
        if found:
            return sorted(found, key=found.__getitem__, reverse=True)
    raise AssertionError("all columns together single out somebody")


def _irreducible(survey: Survey, columns: _Codes) -> tuple[str, ...]:
    """Return a combination that singles out a record and no longer does without any of its columns."""
    finest_first = sorted(columns, key=lambda name: int(columns[name].max()), reverse=True)
    count = next(i for i in range(2, len(columns) + 1) if _singled_out(survey, columns, tuple(finest_first[:i])))
    needed = finest_first[:count]
    for name in tuple(needed):
        fewer = [other for other in needed if other != name]
        if len(fewer) > 1 and _singled_out(survey, columns, tuple(fewer)):
            needed = fewer
    return tuple(name for name in columns if name in needed)


def _too_many(survey: Survey, columns: _Codes) -> list[str]:
    """Return columns without which the others single out nobody: coarse ones stay, as long as they do not."""
    classes: NDArray[np.int64] = np.zeros(len(survey), dtype=np.int64)
    masked = []
    for name in sorted(columns, key=lambda name: int(columns[name].max())):
        finer = equivalence_classes([classes, columns[name]])
        if survey.single(finer).any():
            masked.append(name)
        else:
            classes = finer
    return masked
