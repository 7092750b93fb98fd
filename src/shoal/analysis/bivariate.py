"""Two columns before and after: how strongly they hang together, and their table."""

from __future__ import annotations

import math

import numpy as np

from shoal.analysis.result import Association, PairUtility
from shoal.analysis.univariate import total_variation
from shoal.analysis.variable import Codes, Floats, Variable, Weights
from shoal.moments import safely_scaled


def compare_pair(first: Variable, second: Variable, weights: Weights, *, changed: bool) -> PairUtility:
    """Compare two columns; ``changed`` says whether any record has another value than before in one of them.

    Notes
    -----
    Two ordered columns (numbers, dates, orders by their ranks) have Pearson's correlation; two columns of names
    Cramér's V (Cramér 1946); one of each the correlation ratio η, the root of the share of the variance that the names
    explain. All over records that have both cells. Tables count gaps, and cut numbers into fifths of the original
    records; beyond twenty categories the rare ones are one, which keeps V and η from growing with their number.
    """
    tables = [_table(first, second, side, each) for side, each in weights._asdict().items()]
    if first.is_ordered and second.is_ordered:
        kind: Association = "correlation"
        before, after = (correlation(first.ranked(s), second.ranked(s), w) for s, w in weights._asdict().items())
    elif not first.is_ordered and not second.is_ordered:
        kind = "cramers_v"
        before, after = (cramers_v(first.bins(s), second.bins(s), w) for s, w in weights._asdict().items())
    else:
        kind = "correlation_ratio"
        numbers, names = (first, second) if first.is_ordered else (second, first)
        before, after = (correlation_ratio(names.bins(s), numbers.ranked(s), w) for s, w in weights._asdict().items())
    return PairUtility((first.name, second.name), changed, kind, before, after, total_variation(*tables))


def _table(first: Variable, second: Variable, side: str, weights: Floats) -> Floats:
    width = second.bin_count + 1
    cells = (first.bins(side) + 1) * width + second.bins(side) + 1
    return np.asarray(np.bincount(cells, weights, (first.bin_count + 1) * width) / weights.sum())


def correlation(x: Floats, y: Floats, weights: Floats) -> float:
    """Return the weighted correlation of the records that have both values; 0 where one is constant.

    Examples
    --------
    >>> round(correlation(np.array([1.0, 2, 3, np.nan]), np.array([2.0, 4, 6, 0]), np.ones(4)), 12)
    1.0
    """
    there = ~(np.isnan(x) | np.isnan(y))
    if not there.any():
        return 0.0
    share = weights[there] / weights[there].sum()
    first, second = (_centred(values[there], share) for values in (x, y))
    product = math.sqrt(float(first**2 @ share)) * math.sqrt(float(second**2 @ share))
    return max(-1.0, min(1.0, float((first * share) @ second) / product)) if product else 0.0


def _centred(values: Floats, share: Floats) -> Floats:
    """Return values less their weighted mean, in a unit that squares allow; exactly 0 where all are the same."""
    (scaled,) = safely_scaled(values)
    from_first = scaled - scaled[0]
    return np.asarray(from_first - float(from_first @ share))


def cramers_v(rows: Codes, columns: Codes, weights: Floats) -> float:
    """Return Cramér's V of two columns of codes; records with a code below 0 are left out.

    Examples
    --------
    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.ones(4))
    1.0
    """
    there = (rows >= 0) & (columns >= 0)
    if not there.any():
        return 0.0
    rows, columns = (np.unique(codes[there], return_inverse=True)[1] for codes in (rows, columns))
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if min(height, width) == 1:
        return 0.0
    counts = np.bincount(rows * width + columns, weights[there], height * width).reshape(height, width)
    shares = counts / counts.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    square = float(((shares - expected) ** 2 / expected).sum())
    return min(1.0, math.sqrt(square / (min(height, width) - 1)))


def correlation_ratio(names: Codes, values: Floats, weights: Floats) -> float:
    """Return the root of the share of the variance of values that names explain, over the records that have both.

    Examples
    --------
    >>> round(correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4)) ** 2, 12)
    0.8
    """
    there = (names >= 0) & ~np.isnan(values)
    if not there.any():
        return 0.0
    codes, share = names[there], weights[there] / weights[there].sum()
    centred = _centred(values[there], share)
    sizes, sums = np.bincount(codes, share), np.bincount(codes, share * centred)
    between = float((sums[sizes > 0] ** 2 / sizes[sizes > 0]).sum())
    total = float(centred**2 @ share)
    return min(1.0, math.sqrt(between / total)) if total else 0.0
