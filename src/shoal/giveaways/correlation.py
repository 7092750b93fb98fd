"""Rank correlations of the columns that are released as they are with the hidden ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.giveaways.determination import FEWEST
from shoal.giveaways.survey import Survey

FOLLOWS = 0.99
"""Rank correlation from which on a column follows another, up or down: the rank of a record in one tells that in the
other to within about four hundredths of the table."""

_ENOUGH = 20
"""Records with both values that a correlation is measured on at least."""

_TINY = 1e-12
"""Variances below are those of a constant, but for rounding."""


def followings(survey: Survey) -> dict[str, dict[str, float]]:
    """Return which columns that are released as they are follow which hidden ones, with the rank correlation.

    Notes
    -----
    The correlation of ranks (Spearman 1904) over the records of the sample that have both values. All pairs of columns
    are one product of two matrices, so that hundreds of columns take no longer than sorting each.
    """
    kept = _ranks(survey, survey.kept)
    hidden = _ranks(survey, survey.hidden) if kept else {}  # which takes its time: nobody follows if nobody is there
    if not hidden:
        return {}
    names, others = tuple(kept), tuple(hidden)
    correlations = _correlations(np.array(list(kept.values())), np.array(list(hidden.values())))
    found: dict[str, dict[str, float]] = {}
    for i, j in np.argwhere(np.abs(correlations) >= FOLLOWS):
        found.setdefault(names[i], {})[others[j]] = float(correlations[i, j])
    return found


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
    there = ~np.isnan(order)
    _, place, counts = np.unique(order[there], return_inverse=True, return_counts=True)
    if len(place) < _ENOUGH or len(place) - counts.max() < FEWEST:
        return None
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = np.full(len(order), np.nan)
    ranks[there] = middle[place]
    standing: NDArray[np.float64] = (ranks - np.nanmean(ranks)) / np.nanstd(ranks)
    return standing


def _correlations(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of each row of one with each of the other, over the places where both have a value."""
    there = [~np.isnan(each) for each in (one, other)]
    if all(each.all() for each in there):
        return np.asarray(one @ other.T / one.shape[1])
    ours, theirs = (each.astype(np.float64) for each in there)
    one, other = np.nan_to_num(one), np.nan_to_num(other)
    both = np.maximum(ours @ theirs.T, 1)
    mean, others_mean = (one @ theirs.T) / both, (ours @ other.T) / both
    spread = ((one**2 @ theirs.T) / both - mean**2) * ((ours @ (other**2).T) / both - others_mean**2)
    correlations = ((one @ other.T) / both - mean * others_mean) / np.sqrt(np.maximum(spread, _TINY))
    return np.asarray(np.where((both < _ENOUGH) | (spread < _TINY), 0.0, correlations))
