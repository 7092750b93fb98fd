"""Correlations before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.moments import moments, safely_scaled
from shoal.report.data import Drift


@dataclass(frozen=True, eq=False)
class Correlations:
    """The correlations of some columns before and after.

    Notes
    -----
    Pearson's correlation; ordinal columns by their ranks, missing cells at the mean. A column that is constant has
    correlation 0 with every other.
    """

    names: tuple[str, ...]
    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @classmethod
    def of(cls, pairs: Sequence[tuple[Column, Column]]) -> Correlations | None:
        """Correlate the numeric, date and ordinal columns of tables at hand; None where there are fewer than two."""
        kept = [pair for pair in pairs if is_correlated(pair[0])]
        if len(kept) < 2:
            return None
        matrices = [moments([safely_scaled(_filled(pair[side]))[0] for pair in kept]).correlation for side in (0, 1)]
        return cls(tuple(before.name for before, _ in kept), *matrices)


def is_correlated(column: Column) -> bool:
    """Whether the values of a column have an order."""
    return not column.kind.is_nominal


def correlation_drift(correlations: Correlations | None) -> Drift | None:
    """Return how far correlations moved; None where fewer than two columns can be correlated."""
    if correlations is None:
        return None
    names, sides = correlations.names, (correlations.before, correlations.after)
    before, after = (tuple(tuple(row) for row in matrix.tolist()) for matrix in sides)
    return Drift(names, before, after, _sentence(names, sides[1] - sides[0]))


def _filled(column: Column) -> NDArray[np.float64]:
    values = column.values.astype(np.float64)
    if column.missing is None:
        return values
    return np.where(column.missing, column.observed.mean() if len(column.observed) else 0.0, values)


def _sentence(names: Sequence[str], drift: NDArray[np.float64]) -> str:
    rows, columns = np.triu_indices(len(names), 1)
    moves = drift[rows, columns]
    farthest = int(np.argmax(np.abs(moves)))
    if abs(moves[farthest]) < 0.005:
        return "No correlation changes by as much as 0.01."
    return (
        f"Correlations change by {_bounded(float(np.abs(moves).mean()))} on average; the one between "
        f"{names[rows[farthest]]} and {names[columns[farthest]]} changes most, by {moves[farthest]:+.2f}."
    )


def _bounded(mean: float) -> str:
    """Return a mean with two digits; what is less than they can say is told by a bound."""
    return f"{mean:.2f}" if mean >= 0.005 else "less than 0.01"
