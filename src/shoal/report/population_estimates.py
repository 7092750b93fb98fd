"""Estimates of the population before and after, by sampling weights: means, totals, shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.report.categorical import JointCodes
from shoal.report.continuous import as_shown
from shoal.report.report_data import PopulationRow
from shoal.report.spread import as_numbers, whole_days

MOST_SHARES = 5
"""The categories of a column that are listed: those whose shares moved most."""

Weights = NDArray[np.float64]


def population_rows(
    columns: Iterable[tuple[Column, Column]], weights: tuple[Weights, Weights]
) -> tuple[PopulationRow, ...]:
    """Return the estimates of every column, by how many people each record stands for before and after.

    Notes
    -----
    The estimators of Horvitz and Thompson 1952 for totals, and their ratios for means and shares; over the cells that
    are there.
    """
    rows = [PopulationRow("", "people", float(weights[0].sum()), float(weights[1].sum()))]
    for before, after in columns:
        estimates = _numbers if before.kind.is_continuous else _shares
        rows += estimates(before, after, weights)
    return tuple(rows)


def _numbers(before: Column, after: Column, weights: tuple[Weights, Weights]) -> Iterator[PopulationRow]:
    sides = [
        (as_numbers(column), each if column.missing is None else each[~column.missing])
        for column, each in zip((before, after), weights, strict=True)
    ]
    if not all(len(values) for values, _ in sides):
        return
    dates = before.kind.is_date
    means = [float(np.average(values, weights=each)) for values, each in sides]
    yield PopulationRow(before.name, "mean", *(as_shown(mean, dates=dates, days=whole_days(before)) for mean in means))
    if not dates:
        yield PopulationRow(before.name, "total", *(float(values @ each) for values, each in sides))


def _shares(before: Column, after: Column, weights: tuple[Weights, Weights]) -> Iterator[PopulationRow]:
    codes = JointCodes.of(before, after)
    labels = codes.labels
    shares = [
        100 * np.bincount(side, each, len(labels)) / each.sum()
        for side, each in zip((codes.before, codes.after), weights, strict=True)
    ]
    moved = np.abs(shares[0] - shares[1])
    listed = sorted(np.argsort(-moved, kind="stable")[:MOST_SHARES])
    for place in listed:
        if shares[0][place] or shares[1][place]:
            label = f"share of {labels[place]}, %"
            yield PopulationRow(before.name, label, float(shares[0][place]), float(shares[1][place]))
