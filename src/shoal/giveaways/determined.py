"""Columns released as they are that determine a hidden one, or follow it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from shoal.errors import listed
from shoal.giveaways.correlation import followings
from shoal.giveaways.dependencies import dependencies
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.remedy import dropping, masking
from shoal.giveaways.survey import Survey
from shoal.plan.attribute import Role


def determined_columns(survey: Survey) -> Iterator[Giveaway]:
    """Find what tells a hidden column: a code beside its name, a copy, exact values beside ranges, a share of it."""
    determined = dict(dependencies(survey))
    for exceptions, names, columns in _alike(
        (exceptions, name, tuple(same))
        for name, others in determined.items()
        for exceptions, same in groupby(sorted(others, key=others.__getitem__), key=others.__getitem__)
    ):
        one = len(names) == 1
        but = f"all but {exceptions:,} of {len(survey):,} records" if exceptions else "every record"
        yield Giveaway(
            "told",
            f"{_as_they_are(names)} {'tells' if one else 'tell'} the original {listed(columns)} of {but}: give "
            f"{'it' if one else 'them'} the same role",
            (*names, *columns),
            len(survey) - exceptions,
            _remedy(survey, names, columns),
        )
    follow = {
        name: {other: abs(strength) for other, strength in others.items() if other not in determined.get(name, ())}
        for name, others in followings(survey).items()
    }
    for _, names, columns in _alike((0, name, tuple(others)) for name, others in follow.items() if others):
        one = len(names) == 1
        least = min(follow[name][column] for name in names for column in columns)
        records = _with_both(survey, names, columns)
        yield Giveaway(
            "followed",
            f"{_as_they_are(names)} {'follows' if one else 'follow'} the original {listed(columns)} (rank correlation "
            f"{_floor(least)}): sorting by {'it' if one else 'them'} tells where {records:,} records stand among all; "
            f"give {'it' if one else 'them'} the same role",
            (*names, *columns),
            records,
            masking(survey, names),
        )


def _alike(found: Iterable[tuple[int, str, tuple[str, ...]]]) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Bring columns together that tell the same ones, with as many exceptions."""
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for exceptions, name, columns in found:
        alike.setdefault((exceptions, columns), []).append(name)
    for (exceptions, columns), names in alike.items():
        yield exceptions, tuple(names), columns


def _as_they_are(names: tuple[str, ...]) -> str:
    return f"{listed(names)} {'is released as it is' if len(names) == 1 else 'are released as they are'}, and"


def _with_both(survey: Survey, names: tuple[str, ...], columns: tuple[str, ...]) -> int:
    """Count the records of which some of the columns tells about some of the others."""
    determining, determined = (_any_present(survey, group) for group in (names, columns))
    return int((determining & determined).sum())


def _any_present(survey: Survey, names: tuple[str, ...]) -> NDArray[np.bool_]:
    present = np.zeros(len(survey), dtype=np.bool_)
    for name in names:
        missing = survey.table(name).missing(name)
        present |= True if missing is None else ~missing
    return present


def _floor(strength: float) -> str:
    """Write a correlation in three digits, never as more than it is.

    >>> _floor(0.99999), _floor(1.0)
    ('0.999', '1')
    """
    return f"{int(strength * 1000 + 1e-9) / 1000:g}"


def _remedy(survey: Survey, names: tuple[str, ...], columns: tuple[str, ...]) -> str:
    roles = {survey.plan.attributes[column].role for column in columns}
    return dropping(survey, names) if Role.IDENTIFIER in roles else masking(survey, names)
