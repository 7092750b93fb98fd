"""Interval disclosure: the original values that lie close around the released ones."""

from __future__ import annotations

import math

import numpy as np

from shoal.kinds import CONTINUOUS
from shoal.measures.column_pair import ColumnPair
from shoal.measures.definition import ORDERED, Definition, Score
from shoal.measures.pair import Pair
from shoal.moments import row_slices

ID = Definition(
    "id",
    "Percentage of original values inside a rank interval around the released one: from the released value p % of the "
    "records below it to the released value p % of the records above it in the sorted released column, averaged over "
    "p = 1…10 and over columns.",
    title="originals near the released value, by rank",
    aspect="risk",
    better="lower",
    low=0.0,
    high=100.0,
    kinds=ORDERED,
    unit="%",
    external="withheld",
)

ID_SD = Definition(
    "id_sd",
    "Percentage of original values within p % of the column's standard deviation (n − 1, original) of the released "
    "one, averaged over p = 1…10 and over columns.",
    title="originals near the released value, by deviation",
    aspect="risk",
    better="lower",
    low=0.0,
    high=100.0,
    kinds=CONTINUOUS,
    unit="%",
    external="withheld",
)

WIDTHS = range(1, 11)
"""The percentages p."""


def id(pair: Pair) -> Score:
    """Return the percentage of original values that a rank interval around the released value gives away.

    Parameters
    ----------
    pair
        The table and its release.

    Notes
    -----
    Nin 2014, section 2.3, after Domingo-Ferrer and Torra (2001): the interval reaches ⌊p·n/100⌋ places down from the
    first and up from the last of the records that share the released value, ends included. The intruder can draw it,
    for it uses the released table alone. Nominal columns have no order and are not covered.

    Examples
    --------
    Ten records in pairs 0, 0, 2, 2, …, 8, 8. With p = 10 the interval reaches one record beyond the pair, so from
    the pair below to the pair above; with p < 10 it is the released value itself. The originals 0, 1, 2, …, 9 are
    inside for p < 10 when even (5 of 10), and for p = 10 all but 9 (9 of 10): (9 · 50 + 90) / 10.

    >>> original = [float(i) for i in range(10)]
    >>> released = [float(i - i % 2) for i in range(10)]
    >>> id(Pair.of(original, released)).value
    54.0
    """
    columns = ID.quasi_identifiers(pair)
    parts = {column.name: inside_rank_interval(pair, column) for column in columns}
    return ID.score(math.fsum(parts.values()) / len(columns), columns, attributes=parts)


def id_sd(pair: Pair) -> Score:
    """Return the percentage of original values within a small share of a standard deviation of the released value.

    Parameters
    ----------
    pair
        The table and its release.

    Notes
    -----
    The interval is closed. The column of a constant is always disclosed unless it was changed.

    Examples
    --------
    Values 0, 10, 20 have standard deviation 10; released 0.55, 10, 20, the first is off by 5.5 % of it and disclosed
    for p = 6…10 only: (5 · 2/3 + 5 · 3/3) / 10.

    >>> round(id_sd(Pair.of([0.0, 10.0, 20.0], [0.55, 10.0, 20.0])).value, 4)
    83.3333
    """
    columns = ID_SD.quasi_identifiers(pair)
    parts = {column.name: _inside_deviation_interval(column) for column in columns}
    return ID_SD.score(math.fsum(parts.values()) / len(columns), columns, attributes=parts)


def inside_rank_interval(pair: Pair, column: ColumnPair) -> float:
    """Return the percentage of one column's original values inside their rank interval, computed once per pair."""
    return pair.once(("interval", column.name), lambda: _inside_rank_interval(column))


def _inside_rank_interval(column: ColumnPair) -> float:
    n = len(column)
    ranked = np.sort(column.released)
    inside = 0
    for rows in row_slices(n):
        before, after = column.original[rows], column.released[rows]
        first, last = np.searchsorted(ranked, after, "left"), np.searchsorted(ranked, after, "right") - 1
        for p in WIDTHS:
            reach = p * n // 100
            low, high = ranked[np.maximum(first - reach, 0)], ranked[np.minimum(last + reach, n - 1)]
            inside += int(np.count_nonzero((low <= before) & (before <= high)))
    return 100.0 * inside / (n * len(WIDTHS))


def _inside_deviation_interval(column: ColumnPair) -> float:
    n, deviation = len(column), column.spread[1]
    inside = 0
    for rows in row_slices(n):
        difference = np.abs(column.original[rows] - column.released[rows])
        inside += sum(int(np.count_nonzero(difference <= p * deviation / 100)) for p in WIDTHS)
    return 100.0 * inside / (n * len(WIDTHS))
