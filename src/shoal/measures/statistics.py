"""Information loss by five statistics of a table: values, means, covariances, variances, correlations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import CONTINUOUS, Kind
from shoal.measures.declaration import LOSS, QuasiIdentifiers, Value, declare_measure
from shoal.measures.pair import Pair
from shoal.moments import moments, row_slices

ROUNDING = 1e-12
"""A mean or covariance below this share of its columns' deviations is a zero that rounding has blurred."""


@declare_measure(
    "il",
    "100 × average of the mean variations of the values, the means, the covariances (pairs i ≤ j) and the variances, "
    "and of the mean absolute error of the correlations (pairs i < j); the variation of a number is |a − a'| / |a|, "
    "and that of a zero is 0 if unchanged and 1 if changed.",
    title="change of values, means, variances and covariances",
    kinds=(Kind.NUMERIC,),
    unit="%",
    external="withheld",  # it divides by single values
    **LOSS,
)
def il(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the information loss of five statistics, in percent.

    Notes
    -----
    Nin 2014, section 2.3. It covers numeric columns: a date has no natural zero to vary from. ``parts`` holds the five
    components before averaging. One column by itself has no correlation to lose, and that component is 0. The
    correlation with a constant column is 0. A mean or covariance within 1e-12 of 0, in standard deviations of its
    columns, is 0: otherwise the last bit of a mean that should be 0 could count as a variation of hundreds of percent.

    Examples
    --------
    Values 1, 3 released as 2, 2: the values vary by 1 and 1/3, the mean by 0, the variance (the only covariance) is
    lost and varies by 1, and there is no correlation: 100 · (2/3 + 0 + 1 + 1 + 0) / 5.

    >>> round(il(Pair.of([1.0, 3.0], [2.0, 2.0])).value, 4)
    53.3333
    """
    d = len(columns)
    before, after = (moments([getattr(column, side) for column in columns]) for side in ("original", "released"))
    deviation = before.deviation
    pairs = np.triu_indices(d)
    values = {column.name: _mean_cell_variation(column.original, column.released) for column in columns}
    correlations = np.abs(before.correlation - after.correlation)[np.triu_indices(d, 1)]
    parts = {
        "values": math.fsum(values.values()) / d,
        "means": float(_variation(before.mean, after.mean, deviation * ROUNDING).mean()),
        "covariances": float(
            _variation(
                before.covariance[pairs], after.covariance[pairs], np.outer(deviation, deviation)[pairs] * ROUNDING
            ).mean()
        ),
        "variances": float(_variation(np.diag(before.covariance), np.diag(after.covariance), 0.0).mean()),
        "correlations": float(correlations.mean()) if d > 1 else 0.0,
    }
    return Value(100.0 * math.fsum(parts.values()) / 5, attributes=values, parts=parts)


@declare_measure(
    "il1s",
    "Mean over all values of |x − x'| / (√2 · s), with s the column's standard deviation (n − 1) in the original; a "
    "constant column counts 0.",
    title="average change of a value",
    kinds=CONTINUOUS,
    **LOSS,
)
def il1s(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the mean difference of values in units of √2 standard deviations.

    Notes
    -----
    The remedy of Mateo-Sanz, Sebé and Domingo-Ferrer (2004) for `il`'s blow-up near zero. √2·s is the deviation of the
    difference of two independent values of the column.

    Examples
    --------
    Values 0, 2, 4 have standard deviation 2 and are released 2, 2, 2: (2 + 0 + 2) / 3 / (2√2).

    >>> round(il1s(Pair.of([0.0, 2.0, 4.0], [2.0, 2.0, 2.0])).value, 4)
    0.4714
    """
    parts = {
        column.name: sum(float(column.differences(rows, "deviation").sum()) for rows in row_slices(len(pair)))
        / (math.sqrt(2.0) * len(pair))
        for column in columns
    }
    return Value(math.fsum(parts.values()) / len(columns), attributes=parts)


def _mean_cell_variation(before: NDArray[Any], after: NDArray[Any]) -> float:
    n = len(before)
    return sum(float(_variation(before[rows], after[rows], 0.0).sum()) for rows in row_slices(n)) / n


def _variation(before: NDArray[Any], after: NDArray[Any], tolerance: Any) -> NDArray[np.float64]:
    """|a − a'| / |a|, where what is within the tolerance of 0 is 0."""
    before = np.where(np.abs(before) <= tolerance, 0.0, before)
    after = np.where(np.abs(after) <= tolerance, 0.0, after)
    result: NDArray[np.float64] = np.asarray(before != after, dtype=np.float64)
    np.divide(np.abs(before - after), np.abs(before), out=result, where=before != 0)
    return result
