"""Correlations before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.moments import moments, safely_scaled
from shoal.report.report_data import Drift


def correlation_drift(pairs: Sequence[tuple[Column, Column]]) -> Drift | None:
    """Correlate the numeric, date and ordinal columns of tables at hand; None where there are fewer than two.

    Notes
    -----
    Pearson's correlation; ordinal columns by their ranks, missing cells at the mean. A column that is constant has
    correlation 0 with every other.
    """
    ordered = [pair for pair in pairs if not pair[0].kind.is_nominal]
    if len(ordered) < 2:
        return None
    matrices = [moments([safely_scaled(_filled(pair[side]))[0] for pair in ordered]).correlation for side in (0, 1)]
    return drift_of([before.name for before, _ in ordered], *matrices)


def drift_of(names: Sequence[str], before: NDArray[np.float64], after: NDArray[np.float64]) -> Drift:
    """Return how far correlations moved, by their matrices before and after."""
    rows_before, rows_after = (tuple(map(tuple, matrix.tolist())) for matrix in (before, after))
    drift = Drift(tuple(names), rows_before, rows_after, sentence="")
    return replace(drift, sentence=_sentence(drift))


def _filled(column: Column) -> NDArray[np.float64]:
    values = column.values.astype(np.float64)
    if column.missing is None:
        return values
    return np.where(column.missing, column.observed.mean() if len(column.observed) else 0.0, values)


def _sentence(drift: Drift) -> str:
    one, other, move, mean = drift.farthest
    if abs(move) < 0.005:
        return "No correlation changes by as much as 0.01."
    average = f"{mean:.2f}" if mean >= 0.005 else "less than 0.01"  # than two digits can say
    return (
        f"Correlations change by {average} on average; the one between {one} and {other} changes most, by {move:+.2f}."
    )
