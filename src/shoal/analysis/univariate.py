"""One column before and after: mean, total, spread, quantiles, and how far the distributions are apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.analysis.result import ColumnUtility, Statistic
from shoal.analysis.variable import Floats, Variable, Weights
from shoal.moments import MeanDeviation, weighted_quantiles

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

    Examples
    --------
    >>> total_variation(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.25, 0.25]))
    0.25
    """
    return float(np.abs(before - after).sum()) / 2


def kolmogorov_smirnov(before: Floats, after: Floats, weights: Weights) -> float:
    """Return the greatest difference of two weighted distribution functions; NaN is left out.

    Examples
    --------
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
