"""Columns released as they are that determine a hidden one, or follow it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from shoal.errors import listed
from shoal.giveaways.dependencies import FEWEST, dependencies
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.remedy import dropping, masking
from shoal.giveaways.survey import Survey
from shoal.plan.attribute import Role

FOLLOWS = 0.99
"""Rank correlation from which on a column follows another, up or down: the rank of a record in one tells that in the
other to within about four hundredths of the table."""

_ENOUGH = 20
"""Records with both values that a correlation is measured on at least."""

_TINY = 1e-12
"""Variances below are those of a constant, but for rounding."""


def followings(survey: Survey, determined: Mapping[str, Container[str]]) -> dict[str, dict[str, float]]:
    """Return which columns that are released as they are follow which hidden ones, and how closely.

    The size of the correlation of ranks (Spearman 1904) over the records of the sample that have both values; what a
    column determines is left out. All pairs of columns are one product of two matrices, so that hundreds of columns
    take no longer than sorting each.
    """
    visible = _ranks(survey, survey.kept)
    hidden = _ranks(survey, survey.hidden) if visible else {}  # which takes its time: nobody follows if nobody is there
    if not hidden:
        return {}
    names, others = tuple(visible), tuple(hidden)
    correlations = _correlations(np.array(list(visible.values())), np.array(list(hidden.values())))
    strengths: dict[str, dict[str, float]] = {}
    for i, j in np.argwhere(np.abs(correlations) >= FOLLOWS):
        if others[j] not in determined.get(names[i], ()):
            strengths.setdefault(names[i], {})[others[j]] = abs(float(correlations[i, j]))
    return strengths


def _ranks(survey: Survey, names: Iterable[str]) -> Mapping[str, NDArray[np.float64]]:
    """Return the ranks of columns that have an order: mean 0 and variance 1, NaN where missing."""
    ranks = {}
    for name in names:
        order = survey.order(name, sampled=True) if name in survey.comparable else None
        if order is not None and (standing := _standardised(order)) is not None:
            ranks[name] = standing
    return ranks


def _standardised(order: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return mean ranks of equal values, standardised; None where nearly all values are the same, or missing."""
    present = ~np.isnan(order)
    _, place, counts = np.unique(order[present], return_inverse=True, return_counts=True)
    if len(place) < _ENOUGH or len(place) - counts.max() < FEWEST:
        return None
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = np.full(len(order), np.nan)
    ranks[present] = middle[place]
    return np.asarray((ranks - np.nanmean(ranks)) / np.nanstd(ranks))


def _correlations(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of each row of one with each of the other, over the places where both have a value."""
    present = [~np.isnan(each) for each in (one, other)]
    if all(each.all() for each in present):
        return np.asarray(one @ other.T / one.shape[1])
    ours, theirs = (each.astype(np.float64) for each in present)
    one, other = np.nan_to_num(one), np.nan_to_num(other)
    both = np.maximum(ours @ theirs.T, 1)
    mean, others_mean = (one @ theirs.T) / both, (ours @ other.T) / both
    spread = ((one**2 @ theirs.T) / both - mean**2) * ((ours @ (other**2).T) / both - others_mean**2)
    correlations = ((one @ other.T) / both - mean * others_mean) / np.sqrt(np.maximum(spread, _TINY))
    return np.asarray(np.where((both < _ENOUGH) | (spread < _TINY), 0.0, correlations))


def determined_columns(survey: Survey) -> Iterator[Giveaway]:
    """Find what tells a hidden column: a code beside its name, a copy, exact values beside ranges, a share of it."""
    determined = dict(dependencies(survey))
    for exceptions, names, columns in _alike(
        (exceptions, name, tuple(same))
        for name, others in determined.items()
        for exceptions, same in groupby(sorted(others, key=others.__getitem__), key=others.__getitem__)
    ):
        one, roles = len(names) == 1, {survey.plan.attributes[column].role for column in columns}
        but = f"all but {exceptions:,} of {len(survey):,} records" if exceptions else "every record"
        yield Giveaway(
            "told",
            f"{_as_they_are(names)} {'tells' if one else 'tell'} the original {listed(columns)} of {but}: give "
            f"{'it' if one else 'them'} the same role",
            (*names, *columns),
            len(survey) - exceptions,
            dropping(survey, names) if Role.IDENTIFIER in roles else masking(survey, names),
        )
    follow = followings(survey, determined)
    for _, names, columns in _alike((0, name, tuple(others)) for name, others in follow.items()):
        one = len(names) == 1
        least = min(follow[name][column] for name in names for column in columns)
        records = int((_any_present(survey, names) & _any_present(survey, columns)).sum())
        yield Giveaway(
            "followed",
            f"{_as_they_are(names)} {'follows' if one else 'follow'} the original {listed(columns)} (rank correlation "
            f"{_floor(least)}): sorting by {'it' if one else 'them'} tells where {records:,} records stand among all; "
            f"give {'it' if one else 'them'} the same role",
            (*names, *columns),
            records,
            masking(survey, names),
        )


def _alike(
    relations: Iterable[tuple[int, str, tuple[str, ...]]],
) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Bring columns together that tell the same ones, with as many exceptions."""
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for exceptions, name, columns in relations:
        alike.setdefault((exceptions, columns), []).append(name)
    for (exceptions, columns), names in alike.items():
        yield exceptions, tuple(names), columns


def _as_they_are(names: tuple[str, ...]) -> str:
    return f"{listed(names)} {'is released as it is' if len(names) == 1 else 'are released as they are'}, and"


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
