"""Squared and absolute errors, and their share of the total sum of squares: of the release, and of what it predicts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.measures.confidential_column import ConfidentialColumn, Counts
from shoal.measures.declaration import LOSS, STEPS, ConfidentialColumns, QuasiIdentifiers, Value, declare_measure
from shoal.measures.pair import Pair
from shoal.moments import row_slices


@declare_measure(
    "sse",
    "Sum over records of the squared distance between the original and the released quasi-identifiers: z-scores by the "
    f"mean and standard deviation (n - 1) of the original (a constant column counts 0), {STEPS}.",
    title="squared distance from the original",
    external="withheld",  # it counts the records whose category changed
    **LOSS,
)
def sse(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the sum of squared errors on z-scored quasi-identifiers.

    Notes
    -----
    Domingo-Ferrer and Torra 2005, section II, and Nin 2014, section 2.2. ``attributes`` holds each column's part; the
    parts add up to the value.

    Examples
    --------
    The values 0, 2, 10, 12 have mean 6 and variance 104/3. Each moved by 1: 4 · 3/104.

    >>> round(sse(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 6) == round(12 / 104, 6)
    True
    """
    parts = {column.name: column.squared_deviations for column in columns}
    return Value(math.fsum(parts.values()), attributes=parts)


@declare_measure(
    "il_percent",
    "Information loss: 100 × sse / SST, where SST is the sse of releasing the average record of the table (means, "
    "lower medians, modes) for every record.",
    title="information lost",
    unit="%",
    **LOSS,
)
def il_percent(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the information loss in percent: 100 for a release that is the same average record throughout.

    Notes
    -----
    Domingo-Ferrer and Torra 2005, section IV. ``attributes`` holds 100 × SSE / SST of each column by itself. Above 100
    only for a release that is worse than the average record. Where columns were recoded before records were grouped,
    ``parts`` holds the loss of recoding alone; it is part of the value, and not to be added to it. Records that
    were dropped are lost altogether and not part of the value: ``parts`` says how many.

    Examples
    --------
    The values 0, 2, 10, 12 vary by 36 + 16 + 16 + 36 = 104 around their mean; the release misses each by 1.

    >>> round(il_percent(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 4)
    3.8462
    """
    error = math.fsum(column.squared_deviations for column in columns)
    total = math.fsum(column.total for column in columns)
    return Value(
        percent(error, total),
        attributes={column.name: percent(column.squared_deviations, column.total) for column in columns},
        parts=({} if pair.recoded is None else {"recoding": il_percent(pair.recoded).value})
        | ({"dropped records": pair.dropped} if pair.dropped else {}),
    )


def percent(error: float, total: float) -> float:
    """100 × error / total; a table that does not vary loses nothing unless it is changed, and then everything."""
    if total == 0:
        return 0.0 if error == 0 else 100.0
    return 100.0 * error / total


_DISTANCE = (
    "quasi-identifiers scaled to [0, 1] by the smallest and greatest original value (a constant column counts 0), "
    + STEPS
)


@declare_measure(
    "normalised_sse",
    f"Mean over records of the mean over quasi-identifiers of the squared difference; {_DISTANCE}.",
    title="squared error of a value",
    external="withheld",  # the range of the original is in it
    **LOSS,
)
def normalised_sse(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the mean squared range-normalised difference.

    Notes
    -----
    Soria-Comas et al. 2015, equation 5. It is `mse` divided by the number of quasi-identifiers; at most 1 while
    released values stay within the range of the original ones.

    Examples
    --------
    Differences of 1 in a range of 10, and of 0 in a column that is released as it is: (0.01 + 0) / 2.

    >>> pair = Pair.of([[0.0, 5.0], [10.0, 6.0]], [[1.0, 5.0], [9.0, 6.0]])
    >>> round(normalised_sse(pair).value, 9)
    0.005
    """
    parts = {column.name: column.squared_ranges / len(pair) for column in columns}
    return Value(math.fsum(parts.values()) / len(columns), attributes=parts)


@declare_measure(
    "mse",
    f"Mean over records of the squared Euclidean distance to the released record; {_DISTANCE}.",
    title="squared error of a record",
    **LOSS,
)
def mse(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the mean squared distance between records and their release.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. ``attributes`` holds each column's part; the parts add up to the
    value.

    Examples
    --------
    >>> pair = Pair.of([[0.0, 0.0], [10.0, 10.0]], [[3.0, 4.0], [10.0, 10.0]])
    >>> round(mse(pair).value, 9)  # (0.09 + 0.16 + 0) / 2
    0.125
    """
    parts = {column.name: column.squared_ranges / len(pair) for column in columns}
    return Value(math.fsum(parts.values()), attributes=parts)


@declare_measure(
    "mae",
    f"Mean over records of the Euclidean distance to the released record; {_DISTANCE}.",
    title="distance that a record moved",
    **LOSS,
)
def mae(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the mean distance between records and their release.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. ``attributes`` holds the mean distance in each column by itself;
    they do not add up.

    Examples
    --------
    >>> pair = Pair.of([[0.0, 0.0], [10.0, 10.0]], [[3.0, 4.0], [10.0, 10.0]])
    >>> round(mae(pair).value, 9)  # (0.5 + 0) / 2
    0.25
    """
    total, parts = 0.0, dict.fromkeys((column.name for column in columns), 0.0)
    for rows in row_slices(len(pair)):
        squared = np.zeros(rows.stop - rows.start)
        for column in columns:
            differences = column.differences(rows, "range")
            parts[column.name] += float(differences.sum()) / len(pair)
            squared += differences**2
        total += float(np.sqrt(squared).sum())
    return Value(total / len(pair), attributes=parts)


@declare_measure(
    "d_x",
    "Distortion of the quasi-identifiers: SSE / SST on standardised values (il_percent / 100).",
    title="distortion of the quasi-identifiers",
    **LOSS,
)
def d_x(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the distortion of the quasi-identifiers.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section III.A.

    Examples
    --------
    >>> round(d_x(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 6)  # 4 / 104
    0.038462
    """
    loss = il_percent(pair)
    attributes = {name: value / 100.0 for name, value in loss.attributes.items()}
    return Value(loss.value / 100.0, attributes=attributes)


@declare_measure(
    "d_y",
    "Distortion of the confidential attributes when each is predicted from the released quasi-identifiers by the "
    "average of its equivalence class (mean, mean rank, mode): SSE / SST on standardised values; 0 when the release "
    "tells them exactly, 1 when it tells nothing.",
    title="loss of what they tell of the confidential side",
    high=1.0,
    role="confidential",
    external="release",
    **LOSS,
)
def d_y(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return how much of the confidential attributes the released quasi-identifiers do not explain.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section III.B: a small value keeps the dependence between quasi-identifiers and
    confidential attributes for analysts, and makes the confidential attributes easier to guess for everybody. Read it
    beside `emd_max` and the diversities.

    Examples
    --------
    Two classes with the confidential values 1, 3 and 5, 7: squared errors 4 around 2 and 6, 20 around the mean 4.

    >>> pair = Pair.of([0.0, 1.0, 8.0, 9.0], [0.5, 0.5, 8.5, 8.5], confidential=[1.0, 3.0, 5.0, 7.0])
    >>> round(d_y(pair).value, 6)
    0.2
    """
    labels, everyone = pair.classes, np.zeros(len(pair), dtype=np.int64)
    errors = {column.name: _squared_error(column, labels) for column in columns}
    totals = {column.name: _squared_error(column, everyone) for column in columns}
    total = math.fsum(totals.values())
    return Value(
        math.fsum(errors.values()) / total if total else 0.0,
        attributes={name: errors[name] / totals[name] if totals[name] else 0.0 for name in errors},
    )


def _squared_error(column: ConfidentialColumn, labels: NDArray[np.int64]) -> float:
    """Sum of squared distances of values to the average of their group."""
    if column.kind.is_nominal:
        counts = Counts.of(labels, column.codes)
        return float(len(labels) - np.maximum.reduceat(counts.count, counts.starts).sum())
    # A prediction need not be a category: the mean rank predicts ranks best, and keeps the ratio below 1.
    values = column.standardised if column.is_continuous else column.codes / (int(column.codes.max()) + 1)
    means = np.bincount(labels, weights=values) / np.bincount(labels)
    return float(np.sum((values - means[labels]) ** 2))
