"""Descriptive statistics before and after: of one column, and of how strongly two hang together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.analysis.result import Association, ColumnUtility, PairUtility, Statistic
from shoal.analysis.variable import Codes, Floats, Variable, Weights
from shoal.moments import MeanDeviation, safely_scaled, weighted_quantiles

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def compare_columns(variable: Variable, weights: Weights, *, changed: bool) -> ColumnUtility:
    """Compare one column; ``changed`` says whether any record has another value than before.

    Notes
    -----
    Over the cells that are there: the estimators of Horvitz and Thompson 1952 for totals, and their ratios for means,
    standard deviations and quantiles. A quantile is the least value that a share of the weights has or stays below, so
    it is a value of a record. The distance of ordered columns is that of Kolmogorov and Smirnov, the greatest
    difference of the two distribution functions; that of names the total variation, half the differences of their
    shares. A gap counts as a name of its own, and is left out of orders.
    """
    if variable.is_ordered:
        distance = kolmogorov_smirnov(variable.ranked("before"), variable.ranked("after"), weights)
    else:
        shares = [
            np.bincount(codes + 1, each, len(variable.labels) + 1) / each.sum()
            for codes, each in zip((variable.before, variable.after), weights, strict=True)
        ]
        distance = total_variation(*shares)
    return ColumnUtility(
        variable.name,
        variable.kind.value,
        variable.role.value,
        changed,
        distance,
        "kolmogorov_smirnov" if variable.is_ordered else "total_variation",
        _statistics(variable, weights) if variable.is_number else (),
    )


def total_variation(before: Floats, after: Floats) -> float:
    """Return half the sum of the differences of shares.

    >>> total_variation(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.25, 0.25]))
    0.25
    """
    return float(np.abs(before - after).sum()) / 2


def kolmogorov_smirnov(before: Floats, after: Floats, weights: Weights) -> float:
    """Return the greatest difference of two weighted distribution functions; NaN is left out.

    >>> ones = np.ones(4)
    >>> kolmogorov_smirnov(np.array([1.0, 2, 3, 4]), np.array([1.5, 1.5, 3.5, 3.5]), (ones, ones))
    0.25
    """
    there = [~np.isnan(side) for side in (before, after)]
    if not all(side.any() for side in there):
        return float(there[0].any() != there[1].any())
    values = np.concatenate([before[there[0]], after[there[1]]])
    first, second = (each[side] for each, side in zip(weights, there, strict=True))
    steps = np.concatenate([first / first.sum(), -second / second.sum()])
    order = np.argsort(values, kind="stable")
    ends = np.append(values[order][1:] != values[order][:-1], True)  # only where the next value begins
    return min(1.0, float(np.abs(np.cumsum(steps[order])[ends]).max()))


def mean_and_spread(values: Floats, weights: Floats) -> MeanDeviation:
    """Return the weighted mean and standard deviation, also of numbers whose squares would overflow."""
    exponent = math.frexp(float(np.abs(values).max(initial=0.0)))[1]
    scaled, share = np.ldexp(values, -exponent), weights / weights.sum()
    offset = float(scaled[0])  # which makes a constant column exactly constant
    mean = offset + float((scaled - offset) @ share)
    spread = math.sqrt(float((scaled - mean) ** 2 @ share)) if (scaled != offset).any() else 0.0
    return MeanDeviation(math.ldexp(mean, exponent), math.ldexp(spread, exponent))


def _statistics(variable: Variable, weights: Weights) -> tuple[Statistic, ...]:
    sides: list[list[float]] = []
    for values, each in zip((variable.before, variable.after), weights, strict=True):
        there: NDArray[np.bool_] = ~np.isnan(values)
        if not there.any():
            return ()
        observed, counted = values[there], each[there]
        quantiles = weighted_quantiles(observed, counted, QUANTILES)
        with np.errstate(over="ignore"):
            total = float(observed @ counted)
        sides.append([*mean_and_spread(observed, counted), total, *quantiles.tolist()])
    spread = sides[0][1]
    names = ("mean", "standard deviation", "total", *(f"quantile {share:g}" for share in QUANTILES))
    lines = []
    for name, before, after in zip(names, *sides, strict=True):
        if name == "total" and variable.kind is not variable.kind.NUMERIC:
            continue  # dates and places do not add up
        if not math.isfinite(before) or not math.isfinite(after):
            continue  # a sum beyond the largest double
        unit = abs(before) / 100 if name == "total" else spread
        lines.append(Statistic(name, before, after, (after - before) / unit if unit else None))
    return tuple(lines)


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
